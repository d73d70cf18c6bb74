/**
 * JSON as this service accepts it: a subset of RFC 8259 that every language reads and writes alike, so that a signature
 * over it means the same everywhere. Runs in browsers, Node and workerd.
 */
import { err, ok, type Result } from "../result.ts";
import { INTEGER_DIGITS, JSON_DEPTH, JSON_PROBLEMS } from "../limits.ts";
import type { Problem } from "../problem.ts";

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
type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver?: Reviver) => JsonValue;

/** Marks a number that is not written plainly: JSON itself has no NaN. */
function markUnplainNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && !PLAIN_INTEGER.test(context?.source ?? String(value)) ? NaN : value;
}

/**
 * Parses a text once: the value that it returns is the value whose canonical form is signed and the value that is used,
 * so a name that is written twice cannot mean two things (`JSON.parse` takes the last). Besides invalid JSON, refuses
 * numbers that `numbers` does not accept, lone surrogates in strings and names, and nesting deeper than 32. A member
 * called `__proto__` is like any other.
 *
 * Returns at most 20 problems, which never quote a value.
 */
export function parseJson(text: string, numbers: JsonNumbers = "plain"): JsonResult {
  let value: JsonValue;
  try {
    value = parseWithSource(text, numbers === "plain" ? markUnplainNumber : undefined);
  } catch {
    // The platform's error is dropped: it quotes the text, which may contain a password.
    return err([{ path: "", message: "Send valid JSON (RFC 8259), encoded in UTF-8." }]);
  }
  if (isAcceptable(value, JSON_DEPTH)) return ok(value);
  if (isDeeperThan(value, JSON_DEPTH)) return err([{ path: "", message: `Nest at most ${JSON_DEPTH} levels deep.` }]);
  return err(problemsIn(value, "").slice(0, JSON_PROBLEMS));
}

/** Returns true nearly always, and only what is refused pays for paths and words. It goes no deeper than `levels`. */
function isAcceptable(value: JsonValue, levels: number): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return !Number.isNaN(value);
  if (levels === 0) return false;
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed() || !isAcceptable(member, levels - 1)) return false;
  }
  return true;
}

/** Goes no deeper than `levels`. */
function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function problemsIn(value: JsonValue, path: string): Problem[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [{ path, message: LONE_SURROGATE }];
  if (Number.isNaN(value)) return [{ path, message: NOT_PLAIN }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = joinPath(path, name);
    const problems = problemsIn(member, at);
    return name.isWellFormed() ? problems : [{ path: at, message: LONE_SURROGATE_IN_NAME }, ...problems];
  });
}

/**
 * A problem's path shows at most so many UTF-16 code units of a member's name, so that a 400 does not become larger
 * than its request.
 */
const PATH_NAME_LENGTH = 64;

/** Appends a member's name or an element's index to a dotted path. Cuts long names and replaces lone surrogates. */
export function joinPath(path: string, name: string): string {
  const short = name.length > PATH_NAME_LENGTH ? `${name.slice(0, PATH_NAME_LENGTH)}…` : name;
  const printable = short.toWellFormed();
  return path === "" ? printable : `${path}.${printable}`;
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
