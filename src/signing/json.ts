/**
 * JSON as this service accepts it: a subset of RFC 8259 that every language reads and writes alike, so that a signature
 * over it means the same everywhere. Runs in browsers, Node and workerd.
 */
import { err, ok, type Result } from "../outcomes/result.ts";
import { INTEGER_DIGITS, JSON_DEPTH, JSON_PROBLEMS } from "../protocol/limits/messages.ts";
import { type JsonStructure, measureJson, pathTo, repeatedMembers } from "./json-structure.ts";
import type { Problem } from "../protocol/problem.ts";

/** Numbers are plain integers, strings are well-formed Unicode. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [name: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `plain`: integers of at most 15 digits, written plainly, which every language writes and signs alike; for every
 * signed message. `any`: all JSON numbers, for messages without a signature.
 */
export type JsonNumbers = "plain" | "any";

export type JsonResult = Result<JsonValue, Problem[]>;

const PLAIN_INTEGER = new RegExp(`^(?:0|-?[1-9][0-9]{0,${INTEGER_DIGITS - 1}})$`);

const NOT_PLAIN = `Write numbers as plain integers of at most ${INTEGER_DIGITS} digits: 2, not 2.0, 2e0 or -0. Amounts are strings.`;
const LONE_SURROGATE = "Write well-formed Unicode: this text has a lone surrogate.";
const LONE_SURROGATE_IN_NAME = "Write well-formed Unicode: this name has a lone surrogate.";

/**
 * `JSON.parse` with source text access (ECMAScript 2026; V8 11.4, Firefox 135, Safari 18.4): the reviver gets the text of a
 * number. In older runtimes the number itself is checked, so `2.0` passes as `2`.
 */
type Reviver = (this: object, name: string, value: unknown, context?: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => JsonValue;

/** The reviver knows the container of a problem, but not its path. */
interface Mark {
  container: object;
  name: string;
  message: string;
}

/**
 * Parses a text once, for signature and use. Besides invalid JSON, refuses: numbers that `numbers` does not accept; lone
 * surrogates in strings and names; nesting deeper than 32; a repeated name in one object (parsers disagree on which one
 * counts). A member called `__proto__` is like any other.
 *
 * Returns at most 20 problems, which never quote a value.
 */
export function parseJson(text: string, numbers: JsonNumbers = "plain"): JsonResult {
  const written = measureJson(text);
  if (written.depth > JSON_DEPTH) return refused([{ path: "", message: `Nest at most ${JSON_DEPTH} levels deep.` }]);

  const quickly = parsePlain(text, written, numbers);
  return quickly === null ? parseExactly(text, written, numbers) : ok(quickly.value);
}

/**
 * The fast path for nearly every message: plain numbers, no repeated member, and no escape that could write half a
 * surrogate pair. All this is known without visiting each value. Null if it does not apply.
 */
function parsePlain(text: string, written: JsonStructure, numbers: JsonNumbers): { value: JsonValue } | null {
  if ((numbers === "plain" && !written.plainNumbers) || text.includes("\\u") || !text.isWellFormed()) return null;
  try {
    const value = JSON.parse(text) as JsonValue;
    return countMembers(value) === written.members ? { value } : null;
  } catch {
    return null;
  }
}

/** Recurses no deeper than the text nests. */
function countMembers(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element);
    return members;
  }
  for (const name of Object.keys(value)) members += 1 + countMembers(value[name] ?? null);
  return members;
}

function parseExactly(text: string, written: JsonStructure, numbers: JsonNumbers): JsonResult {
  const marks: Mark[] = [];
  let kept = 0;
  const review: Reviver = function review(name, value, context) {
    const message = problemOf(value, numbers === "plain" ? context?.source : "0");
    if (message !== null) marks.push({ container: this, name, message });
    if (!Array.isArray(this)) {
      kept++;
      if (!name.isWellFormed()) marks.push({ container: this, name, message: LONE_SURROGATE_IN_NAME });
    }
    return value;
  };

  let value: JsonValue;
  try {
    value = parseWithSource(text, review);
  } catch {
    // The platform's error is dropped: it quotes the text, which may contain a password.
    return refused([{ path: "", message: "Send valid JSON (RFC 8259), encoded in UTF-8." }]);
  }
  // The reviver visits each member that was kept, and the whole as a member of its own.
  const repeated = kept === written.members + 1 ? [] : repeatedMembers(text);
  if (marks.length === 0 && repeated.length === 0) return ok(value);
  return refused([...locate(value, marks), ...repeated]);
}

/**
 * null: nothing is wrong.
 *
 * @param source how a number is written; undefined: unknown
 */
function problemOf(value: unknown, source: string | undefined): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : LONE_SURROGATE;
  return typeof value === "number" && !PLAIN_INTEGER.test(source ?? String(value)) ? NOT_PLAIN : null;
}

function refused(problems: Problem[]): JsonResult {
  return err(problems.slice(0, JSON_PROBLEMS));
}

/** Finds the path of every mark. Recurses no deeper than the text nests. */
function locate(whole: JsonValue, marks: Mark[]): Problem[] {
  const byContainer = new Map<object, Mark[]>();
  // No Map.groupBy: the clients use this too, and Node 20 does not have it.
  for (const mark of marks) {
    const group = byContainer.get(mark.container);
    if (group === undefined) byContainer.set(mark.container, [mark]);
    else group.push(mark);
  }
  const problems: Problem[] = [];
  const visit = (value: JsonValue, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const { name, message } of byContainer.get(value) ?? []) problems.push({ path: pathTo(path, name), message });
    byContainer.delete(value);
    for (const [name, member] of Object.entries(value)) visit(member, pathTo(path, name));
  };
  visit(whole, "");
  // The rest belongs to the whole text, whose container is the parser's own.
  for (const left of byContainer.values()) for (const { message } of left) problems.push({ path: "", message });
  return problems;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** The text of UTF-8 bytes without a byte order mark; null if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
