/**
 * The JSON Canonicalization Scheme (RFC 8785): one text per value, whoever writes it. Runs in browsers, Node and
 * workerd alike.
 */
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * The canonical form of `value`: no white space, the members of each object sorted by the UTF-16 code units of their
 * names, strings and numbers as ECMAScript's own serialisation writes them. Members whose value is undefined are left
 * out, as `JSON.stringify` does. Throws a TypeError for what JSON cannot say (NaN, a function): a programmer's mistake,
 * as parsed messages hold nothing of the kind.
 */
export function canonicalize(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return canonicalPrimitive(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  return canonicalMembers(value, null);
}

/** What is signed: the canonical form of a message without its top-level `signature`. */
export function signedForm(message: JsonObject): string {
  return canonicalMembers(message, "signature");
}

function canonicalPrimitive(value: null | boolean | number): string {
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return JSON.stringify(value);
  throw new TypeError("Only JSON values have a canonical form.");
}

function canonicalMembers(object: JsonObject, except: string | null): string {
  let text = "";
  // Without a comparator, `toSorted` compares UTF-16 code units, which is the order of RFC 8785 3.2.3.
  for (const name of Object.keys(object).toSorted()) {
    const value = object[name];
    if (value === undefined || name === except) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonicalize(value)}`;
  }
  return `{${text}}`;
}
