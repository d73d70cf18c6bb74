/**
 * What `JSON.parse` does not tell: how deep a text nests, how many members it writes, and which of them twice. Runs
 * in browsers, Node and workerd alike.
 */
import { PATH_NAME_LENGTH } from "../limits.ts";
import type { Problem } from "./problem.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface JsonStructure {
  /** The deepest nesting of arrays and objects; `1` for `[]`, `0` for a bare value. */
  depth: number;
  /** Members written, those with a name that was already there included. */
  members: number;
}

/**
 * Measures a text in one pass without recursion, so that a text that nests too deeply never reaches a parser that
 * recurses. Exact for every prefix that is JSON; what it says of the rest does not matter, as `JSON.parse` refuses it.
 */
export function measureJson(text: string): JsonStructure {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case COLON:
        members++;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth++;
        if (depth > deepest) deepest = depth;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
    }
  }
  return { depth: deepest, members };
}

/** The index of the quotation mark that ends the string starting at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) return index;
    if (unit === BACKSLASH) index++;
  }
  return text.length;
}

/** Appends a member's name or an element's index to a dotted path; long names are cut, lone surrogates replaced. */
export function pathTo(container: string, name: string): string {
  const short = name.length > PATH_NAME_LENGTH ? `${name.slice(0, PATH_NAME_LENGTH)}…` : name;
  const printable = short.toWellFormed();
  return container === "" ? printable : `${container}.${printable}`;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

type Container =
  | { kind: "object"; path: string; names: Set<string>; expectsName: boolean; lastName: string }
  | { kind: "array"; path: string; index: number };

/** Names every member of a JSON text (one that `JSON.parse` accepts) whose name its object already has. */
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
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === ",") {
      if (container?.kind === "object") container.expectsName = true;
      else if (container?.kind === "array") container.index++;
    } else if (container?.kind === "object" && container.expectsName) {
      const name = String(JSON.parse(token));
      container.expectsName = false;
      container.lastName = name;
      if (container.names.has(name)) {
        problems.push({ path: pathTo(container.path, name), message: "Write each name only once in an object." });
      }
      container.names.add(name);
    }
  }
  return problems;
}
