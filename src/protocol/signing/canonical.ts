/**
 * The JSON Canonicalization Scheme (RFC 8785): one text per value in every language. Runs in browsers, Node and
 * workerd.
 */
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * No white space, the members of each object sorted by the UTF-16 code units of their names, strings and numbers as
 * ECMAScript serialises them. Omits undefined members, as `JSON.stringify` does. Throws a TypeError for values that
 * JSON cannot express (NaN, a function): a programming error, because parsed messages have none.
 */
export function canonicalize(value: JsonValue): string {
  const sorted = inOrder(value, null);
  return sorted === UNORDERABLE ? written(value) : JSON.stringify(sorted);
}

/** Returns the canonical form of a message without its top-level `signature`. */
export function signedForm(message: JsonObject): string {
  const sorted = inOrder(message, "signature");
  return sorted === UNORDERABLE ? writtenMembers(message, "signature") : JSON.stringify(sorted);
}

/** No copy with its members in this order is possible. */
const UNORDERABLE = Symbol("unorderable");

/**
 * Returns a copy with its members in canonical order: `JSON.stringify` writes members in the order in which they were
 * added, in a third of the time of writing each separately. But it writes array indices first, in numeric order
 * (ECMA-262, OrdinaryOwnPropertyKeys), and `__proto__` cannot be added. An object with such a name is written member by
 * member.
 */
function inOrder(value: JsonValue, except: string | null): JsonValue | typeof UNORDERABLE {
  if (typeof value !== "object" || value === null) return checked(value);
  if (Array.isArray(value)) {
    const copy = value.map((element) => inOrder(element, null));
    return copy.every((element) => element !== UNORDERABLE) ? copy : UNORDERABLE;
  }
  const copy: JsonObject = {};
  for (const name of sortedNames(value)) {
    const member = name === except ? undefined : value[name];
    if (member === undefined) continue;
    const sorted = startsWithDigit(name) || name === "__proto__" ? UNORDERABLE : inOrder(member, null);
    if (sorted === UNORDERABLE) return UNORDERABLE;
    copy[name] = sorted;
  }
  return copy;
}

/** Without a comparator, sorting compares UTF-16 code units, the order of RFC 8785, section 3.2.3. */
function sortedNames(object: JsonObject): string[] {
  return Object.keys(object).toSorted();
}

/** Every array index starts with a digit. */
function startsWithDigit(name: string): boolean {
  const unit = name.charCodeAt(0);
  return unit >= 0x30 && unit <= 0x39;
}

function written(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(checked(value));
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  return writtenMembers(value, null);
}

function writtenMembers(object: JsonObject, except: string | null): string {
  let text = "";
  for (const name of sortedNames(object)) {
    const value = object[name];
    if (value === undefined || name === except) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${written(value)}`;
  }
  return `{${text}}`;
}

function checked(value: null | boolean | number | string): null | boolean | number | string {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
  throw new TypeError("Only JSON values have a canonical form.");
}
