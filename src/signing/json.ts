/**
 * JSON as this service takes it, a subset of RFC 8259 that every language reads and writes alike, so that a signature
 * over it means the same everywhere. Runs in browsers, Node and workerd alike.
 */
import { err, ok, type Result } from "../result.ts";
import { INTEGER_DIGITS, JSON_DEPTH, JSON_PROBLEMS } from "../protocol/limits/messages.ts";
import { type JsonStructure, measureJson, pathTo, repeatedMembers } from "./json-structure.ts";
import type { Problem } from "../protocol/problem.ts";

/** A JSON value as this service takes it: numbers are plain integers, texts are well-formed Unicode. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * Which numbers are taken. `plain`: integers of at most 15 digits, written plainly, which every language writes and signs
 * alike; for whatever is signed. `any`: what JSON has, for messages without a signature.
 */
export type JsonNumbers = "plain" | "any";

export type JsonResult = Result<JsonValue, Problem[]>;

const PLAIN_INTEGER = new RegExp(`^(?:0|-?[1-9][0-9]{0,${INTEGER_DIGITS - 1}})$`);

const NOT_PLAIN = `Write numbers as plain integers of at most ${INTEGER_DIGITS} digits: 2, not 2.0, 2e0 or -0. Amounts are texts.`;
const LONE_SURROGATE = "Write well-formed Unicode: this text has a lone surrogate.";
const LONE_SURROGATE_IN_NAME = "Write well-formed Unicode: this name has a lone surrogate.";

/**
 * `JSON.parse` with source text access (ECMAScript 2026; V8 11.4, Firefox 135, Safari 18.4): the reviver is told how a
 * number was written. Older runtimes do not tell; there the number's own text is judged, which lets `2.0` pass as `2`.
 */
type Reviver = (this: object, name: string, value: unknown, context?: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => JsonValue;

/** A finding of the reviver, which knows the container but not the way to it. */
interface Mark {
  container: object;
  name: string;
  message: string;
}

/**
 * Parses a text once, for signature and use alike. Refused, beside what is not JSON: numbers that `numbers`
 * does not take; lone surrogates in texts and names; nesting deeper than 32; a name written twice
 * in one object (parsers disagree on which one counts). A member called `__proto__` is a member like any other.
 *
 * Problems are at most 20, and never quote a value.
 */
export function parseJson(text: string, numbers: JsonNumbers = "plain"): JsonResult {
  const written = measureJson(text);
  if (written.depth > JSON_DEPTH) return refused([{ path: "", message: `Nest at most ${JSON_DEPTH} levels deep.` }]);

  const quickly = parsePlain(text, written, numbers);
  return quickly === null ? parseExactly(text, written, numbers) : ok(quickly.value);
}

/**
 * What nearly every message is: plain numbers, no member written twice, and no escape that could write half a surrogate
 * pair. That much is known without a look at each value; null where it is not, and it has to be looked at.
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

/** Members of all objects. Recurses no deeper than the text nests. */
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

/** Looks at every value, and says what is wrong with it. */
function parseExactly(text: string, written: JsonStructure, numbers: JsonNumbers): JsonResult {
  const marks: Mark[] = [];
  let kept = 0;
  const review: Reviver = function review(name, value, context) {
    if (typeof value === "number") {
      if (numbers === "plain" && !PLAIN_INTEGER.test(context?.source ?? String(value))) {
        marks.push({ container: this, name, message: NOT_PLAIN });
      }
    } else if (typeof value === "string" && !value.isWellFormed()) {
      marks.push({ container: this, name, message: LONE_SURROGATE });
    }
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
    // The error of the platform is not passed on: it quotes the text, which may hold a password.
    return refused([{ path: "", message: "Send valid JSON (RFC 8259), encoded in UTF-8." }]);
  }
  // The reviver sees each member that was kept, and the whole as a member of its own.
  const repeated = kept === written.members + 1 ? [] : repeatedMembers(text);
  if (marks.length === 0 && repeated.length === 0) return ok(value);
  return refused([...locate(value, marks), ...repeated]);
}

function refused(problems: Problem[]): JsonResult {
  return err(problems.slice(0, JSON_PROBLEMS));
}

/** Finds the path of every mark. Recurses no deeper than the text nests. */
function locate(whole: JsonValue, marks: Mark[]): Problem[] {
  const byContainer = new Map<object, Mark[]>();
  // No Map.groupBy: the clients read with this, too, and Node 20 does not have it.
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
  // What is left was found on the whole itself, whose container is the parser's own.
  for (const left of byContainer.values()) for (const { message } of left) problems.push({ path: "", message });
  return problems;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** The text of UTF-8 bytes, a byte order mark dropped; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
