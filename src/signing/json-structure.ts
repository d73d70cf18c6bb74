/**
 * Measures what `JSON.parse` does not report: how deep a text nests, how it writes numbers, how many members it has,
 * and which names repeat. Runs in browsers, Node and workerd.
 */
import { INTEGER_DIGITS } from "../protocol/limits/messages.ts";
import type { Problem } from "../protocol/problem.ts";

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const CAPITAL_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const SMALL_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * In UTF-16 code units: the most of a member's name in a problem's path, so that a 400 does not become larger than its
 * request.
 */
const PATH_NAME_LENGTH = 64;

export interface JsonStructure {
  /** The deepest nesting of arrays and objects; `1` for `[]`, `0` for a bare value. */
  depth: number;
  /** Includes those with a repeated name. */
  members: number;
  /** Every number is written as a plain integer of at most INTEGER_DIGITS digits. */
  plainNumbers: boolean;
}

/**
 * Measures a text in one pass without recursion, so that a text that nests too deeply never reaches a recursive parser.
 * Exact for every prefix that is JSON; the rest does not matter, because `JSON.parse` refuses it.
 */
export function measureJson(text: string): JsonStructure {
  const endOfString = text.includes("\\") ? endOfEscaped : endOfPlain;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let plainNumbers = true;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    switch (unit) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case COLON:
        members++;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth++;
        deepest = Math.max(deepest, depth);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
      default: {
        const first = index;
        while (isDigit(text.charCodeAt(index)) && isDigit(text.charCodeAt(index + 1))) index++;
        plainNumbers &&= index - first < INTEGER_DIGITS && !isUnplain(text, index);
      }
    }
  }
  return { depth: deepest, members, plainNumbers };
}

/** Whether a character outside strings shows that a number is not written as a plain integer. */
function isUnplain(text: string, index: number): boolean {
  switch (text.charCodeAt(index)) {
    case POINT:
    case CAPITAL_E:
      return true;
    case SMALL_E:
      // The letter belongs to `true`, `false` or an exponent.
      return isDigit(text.charCodeAt(index - 1));
    case MINUS:
      return text.charCodeAt(index + 1) === ZERO;
    default:
      return false;
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** The index of the quotation mark that ends the string starting at `start`, or the text's length. */
function endOfPlain(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  return end === -1 ? text.length : end;
}

function endOfEscaped(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) return index;
    if (unit === BACKSLASH) index++;
  }
  return text.length;
}

/** Appends a member's name or an element's index to a dotted path. Cuts long names and replaces lone surrogates. */
export function pathTo(container: string, name: string): string {
  const short = name.length > PATH_NAME_LENGTH ? `${name.slice(0, PATH_NAME_LENGTH)}…` : name;
  const printable = short.toWellFormed();
  return container === "" ? printable : `${container}.${printable}`;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

type Container =
  | { kind: "object"; path: string; names: Set<string>; expectsName: boolean; lastName: string }
  | { kind: "array"; path: string; index: number };

/** Names every repeated member of a JSON text that `JSON.parse` accepts. */
export function repeatedMembers(text: string): Problem[] {
  const problems: Problem[] = [];
  const open: Container[] = [];
  const pathOfValue = (): string => {
    const container = open.at(-1);
    if (container === undefined) return "";
    return pathTo(container.path, container.kind === "array" ? String(container.index) : container.lastName);
  };
  for (const [token] of text.matchAll(TOKENS)) {
    const container = open.at(-1);
    if (token === "{") {
      open.push({ kind: "object", path: pathOfValue(), names: new Set(), expectsName: true, lastName: "" });
    } else if (token === "[") {
      open.push({ kind: "array", path: pathOfValue(), index: 0 });
    } else if (token === "}" || token === "]") open.pop();
    else if (container?.kind === "array") container.index += token === "," ? 1 : 0;
    else if (container !== undefined) problems.push(...problemsIn(container, token));
  }
  return problems;
}

/** The next token is a comma or a text: a problem is a name that the object has already. */
function problemsIn(container: Extract<Container, { kind: "object" }>, token: string): Problem[] {
  if (!container.expectsName) {
    container.expectsName = token === ",";
    return [];
  }
  const name = String(JSON.parse(token));
  const isRepeated = container.names.has(name);
  container.expectsName = false;
  container.lastName = name;
  container.names.add(name);
  return isRepeated ? [{ path: pathTo(container.path, name), message: "Write each name only once in an object." }] : [];
}
