/**
 * Valid JSON documents, made wrong. A mutation is data, so that a failing input can be read and shrunk; it is applied
 * to a document's tree, or to the text that is sent.
 */
import * as fc from "fast-check";
import { type JsonObject, parseJson } from "../../../src/protocol/signing/json.ts";
import { sign } from "../../../src/protocol/signing/signature.ts";
import { anyText } from "../../support/any-text.ts";

/** JSON as written, right or not. */
type JsonText = string;

export type Mutation =
  | { kind: "remove"; at: number }
  | { kind: "replace"; at: number; value: JsonText }
  | { kind: "add"; at: number; name: string; value: JsonText }
  /** A member is written twice, the second time with another value. */
  | { kind: "repeat"; at: number; value: JsonText }
  | { kind: "text"; how: TextMutation; at: number };

const TEXT_MUTATIONS = [
  "truncate",
  "flip-byte",
  "drop-byte",
  "wrap-in-array",
  "byte-order-mark",
  "trailing-text",
  "latin-1",
  "fill",
  "empty",
  "white-space",
] as const;

type TextMutation = (typeof TEXT_MUTATIONS)[number];

/** Names that mean something to some language, to this service in other places, or to a card. */
const NAMES = [
  ["__proto__", "constructor", "toString", "hasOwnProperty", "then", "", " ", "\u0000", "\ud800", "𝕏", "a".repeat(300)],
  ["type", "statusCode", "datetime", "signature", "terminalId", "posId", "transData", "referenceId", "password"],
  ["cvv", "track2", "pinBlock", "cashAmt", "transId", "open", "memory"],
].flat();

const TEXTS = [
  [
    "",
    " ",
    "\t",
    "\u0000",
    "\ud800",
    "\udfff",
    "\u202e",
    "\ufeff",
    "e\u0301",
    "💳",
    "null",
    "undefined",
    "NaN",
    "true",
  ],
  ["0", "-1", "1.0", "1e3", "0.00", "12.50", "999999999.99", "1000000000", "9999999999", "10000000000", "v1", "v2"],
  ["sale", "void", "inquiry", "getLast", "cashOut", "bankCard", "qrCustScan", "cancel", "00", "22", "hello", "result"],
  ["' OR 1=1 --", '"; DROP TABLE accounts; --', "%s%n", "${7*7}", "../../etc/passwd", "<script>", "\\", "\r\nX-A: b"],
  ["4111111111111111", ";4111111111111111=25121010000?", "%B4111111111111111^A/B^2512?", "Asia/Kuala_Lumpur"],
  ["20261120T101112", "20260230T000000", "00000000000000", "x".repeat(25), "x".repeat(129), "💳".repeat(101)],
].flat();

/** Written as they stand: among them texts that are not JSON, or not accepted by this service. */
const RAW = [
  ["null", "true", "false", "[]", "{}", "0", "-0", "1", "-1", "2.0", "2e0", "01", "1e999", "NaN", "undefined", "'x'"],
  ["999999999999999", "1000000000000000", "9007199254740993", "1.7976931348623157e309", "0.1", "+1", ".5", "0x10"],
  ['"\\ud800"', '"\\u0000"', '"\\x"', '"\n"', '"', "{", "]", '{"a":1,"a":2}', '{"__proto__":{"status":"active"}}'],
  ["[".repeat(31) + "]".repeat(31), "[".repeat(5_000), '{"a":'.repeat(200) + "1" + "}".repeat(200)],
  [`[${"1,".repeat(500)}1]`, `["${"x".repeat(17_000)}"]`, '["a","b","c","d","e","f","g","h","i","j","k"]'],
].flat();

/** Any value; `known` are the names of things that exist, of this account and of another one. */
function jsonText(known: readonly string[]): fc.Arbitrary<JsonText> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)) },
    { weight: 4, arbitrary: fc.constantFrom(...RAW) },
    { weight: 3, arbitrary: fc.constantFrom(...known).map((text) => JSON.stringify(text)) },
    { weight: 1, arbitrary: anyText({ maxLength: 40 }).map((text) => JSON.stringify(text)) },
    { weight: 1, arbitrary: fc.maxSafeInteger().map(String) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  );
}

const at = fc.nat({ max: 60 });

export function mutations(known: readonly string[]): fc.Arbitrary<Mutation[]> {
  const value = jsonText(known);
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), at }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("replace" as const), at, value }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("add" as const), at, name: fc.constantFrom(...NAMES), value }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("repeat" as const), at, value }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("text" as const), how: fc.constantFrom(...TEXT_MUTATIONS), at }),
    },
  );
  return fc.array(mutation, { minLength: 1, maxLength: 3 });
}

/** Stand for raw JSON, and for a name that is there already, until the tree is a text. */
const RAW_MARK = "\u0001raw:";
const NAME_MARK = "\u0001name:";

type Tree = { [name: string]: unknown };

/**
 * The bytes that are sent for `document` with these mutations. With a `key` it is signed after its tree was changed,
 * where it still is a message that can be: most inputs shall get past the signature.
 */
export function mutated(document: object, changes: readonly Mutation[], key: string | null): Uint8Array {
  const tree = structuredClone(document) as Tree;
  const raws: string[] = [];
  const raw = (text: string): string => RAW_MARK + (raws.push(text) - 1);
  for (const change of changes) {
    if (change.kind === "text") continue;
    const places = placesOf(tree);
    const place = places[change.at % Math.max(1, places.length)];
    if (place === undefined) continue;
    const { container, name } = place;
    if (change.kind === "remove") delete container[name];
    else if (change.kind === "replace") container[name] = raw(change.value);
    else if (change.kind === "add") define(container, change.name, raw(change.value));
    else define(container, `${NAME_MARK}${raws.length}:${name}`, raw(change.value));
  }
  let text = written(tree, raws);
  const parsed = key === null ? null : parseJson(text);
  if (key !== null && parsed?.ok === true && isObject(parsed.value)) {
    text = JSON.stringify({ ...parsed.value, signature: sign(parsed.value, key) });
  }
  let bytes: Uint8Array = new TextEncoder().encode(text);
  for (const change of changes) if (change.kind === "text") bytes = mutatedBytes(bytes, change);
  return bytes;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Also `__proto__` becomes a member like any other. */
function define(container: Tree, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Every member of every object, the outermost ones first. */
function placesOf(tree: Tree): { container: Tree; name: string }[] {
  const places: { container: Tree; name: string }[] = [];
  const visit = (container: Tree): void => {
    for (const name of Object.keys(container)) places.push({ container, name });
    for (const value of Object.values(container)) if (isObject(value)) visit(value);
  };
  visit(tree);
  return places;
}

function written(tree: Tree, raws: readonly string[]): string {
  return JSON.stringify(tree)
    .replaceAll(/"\\u0001raw:(\d+)"/g, (_mark, index: string) => raws[Number(index)] ?? "null")
    .replaceAll(/\\u0001name:\d+:/g, "");
}

function mutatedBytes(bytes: Uint8Array, { how, at: where }: Extract<Mutation, { kind: "text" }>): Uint8Array {
  const index = bytes.length === 0 ? 0 : (where * 37) % bytes.length;
  switch (how) {
    case "truncate":
      return bytes.slice(0, index);
    case "flip-byte":
      return bytes.map((byte, position) => (position === index ? byte ^ (1 << (where % 8)) : byte));
    case "drop-byte":
      return bytes.filter((_byte, position) => position !== index);
    case "wrap-in-array":
      return joined("[", bytes, "]");
    case "byte-order-mark":
      return joined("\ufeff", bytes, "");
    case "trailing-text":
      return joined("", bytes, " x");
    case "latin-1":
      return bytes.slice(0, index).map((byte, position) => (position === index - 1 ? 0xe9 : byte));
    case "fill":
      return joined(" ".repeat(16_384), bytes, "");
    case "empty":
      return new Uint8Array(0);
    case "white-space":
      return joined(" \t\r\n", bytes, "\n");
  }
}

function joined(before: string, bytes: Uint8Array, after: string): Uint8Array {
  const encoder = new TextEncoder();
  return new Uint8Array([...encoder.encode(before), ...bytes, ...encoder.encode(after)]);
}
