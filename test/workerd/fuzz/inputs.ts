/** Valid JSON documents, made wrong by fast-check, which also shrinks what fails. */
import * as fc from "fast-check";
import { type JsonObject, parseJson } from "../../../src/protocol/signing/json.ts";
import { sign } from "../../../src/protocol/signing/signature.ts";
import { anyText } from "../../support/any-text.ts";

/** Names that mean something to some language, to this service in other places, or to a card. */
const NAMES = [
  ["__proto__", "constructor", "toString", "then", "", " ", "\u0000", "\ud800", "𝕏", "a".repeat(300)],
  ["type", "statusCode", "datetime", "terminalId", "posId", "transData", "referenceId", "password"],
  ["cvv", "track2", "pinBlock", "cashAmt", "transId", "open", "memory"],
].flat();

const TEXTS = [
  ["", " ", "\t", "\u0000", "\ud800", "\u202e", "\ufeff", "e\u0301", "💳", "null", "NaN", "true"],
  ["0", "-1", "1.0", "1e3", "0.00", "12.50", "999999999.99", "1000000000", "10000000000", "v1", "v2"],
  ["sale", "void", "inquiry", "getLast", "cashOut", "bankCard", "qrCustScan", "cancel", "00", "22", "hello", "result"],
  ["' OR 1=1 --", "%s%n", "${7*7}", "../../etc/passwd", "<script>", "\\", "\r\nX-A: b", "Asia/Kuala_Lumpur"],
  ["4111111111111111", ";4111111111111111=25121010000?", "%B4111111111111111^A/B^2512?"],
  ["20261120T101112", "20260230T000000", "00000000000000", "x".repeat(25), "x".repeat(129), "💳".repeat(101)],
].flat();

/** Written as they stand: among them texts that are not JSON, or not accepted by this service. */
const RAW = [
  ["null", "[]", "{}", "0", "-0", "-1", "2.0", "2e0", "01", "1e999", "NaN", "undefined", "'x'", "+1", ".5", "0x10"],
  ["999999999999999", "1000000000000000", "9007199254740993", "1.7976931348623157e309", "0.1"],
  ['"\\ud800"', '"\\x"', '"\n"', '"', "{", "]", '{"a":1,"a":2}', '1,"posId":2', '{"__proto__":{"status":"active"}}'],
  ["[".repeat(31) + "]".repeat(31), "[".repeat(5_000), `[${"1,".repeat(500)}1]`, `["${"x".repeat(17_000)}"]`],
].flat();

/** Most values are right: or nothing behind the first check would ever be reached. */
export function mostly<Value>(right: Value, wrong: fc.Arbitrary<Value>, weight = 8): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: wrong });
}

/** A document, or bytes that are sent instead of one. */
export type Body = { document: object; raw: { at: number; text: string } | null } | { bytes: Uint8Array };

/**
 * The document with some members left out, replaced or added, at any depth.
 *
 * @param known names of things that exist, of this account and of another one
 */
export function bodies(document: object, known: readonly string[]): fc.Arbitrary<Body> {
  const value: fc.Arbitrary<unknown> = fc.oneof(
    fc.constantFrom(...TEXTS),
    fc.constantFrom(...known),
    anyText({ maxLength: 40 }),
    fc.maxSafeInteger(),
    fc.jsonValue({ maxDepth: 4 }),
  );
  const changed = (right: unknown): fc.Arbitrary<unknown> => {
    if (typeof right !== "object" || right === null || Array.isArray(right)) return mostly(right, value, 16);
    const members = Object.entries(right).map(([name, member]) => [
      name,
      mostly<unknown>(undefined, changed(member), 1).chain((other) => mostly<unknown>(member, fc.constant(other), 16)),
    ]);
    const added = mostly<object>({}, fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 1 }), 4);
    const whole = fc.tuple(fc.record(Object.fromEntries(members)), added);
    return whole.map(([own, others]) => ({ ...own, ...others }));
  };
  const raw = fc.record({ at: fc.nat({ max: 20 }), text: fc.constantFrom(...RAW) });
  return fc.oneof(
    {
      weight: 30,
      arbitrary: fc.record({ document: changed(document) as fc.Arbitrary<object>, raw: mostly(null, raw) }),
    },
    { weight: 1, arbitrary: fc.record({ bytes: fc.uint8Array({ maxLength: 200 }) }) },
  );
}

/**
 * The bytes that are sent. With a `key` the document is signed after it was changed, where it still can be: most inputs shall
 * get past the signature.
 */
export function bytesOf(body: Body, key: string | null): Uint8Array {
  if ("bytes" in body) return body.bytes;
  let text = JSON.stringify(body.document);
  const { raw } = body;
  if (raw !== null) {
    let member = 0;
    text = text.replaceAll(/:(?:"[^"\\]*"|\d+)/gu, (whole) => (member++ === raw.at ? `:${raw.text}` : whole));
  }
  const parsed = key === null ? null : parseJson(text);
  if (key !== null && parsed?.ok === true && isObject(parsed.value)) {
    text = JSON.stringify({ ...parsed.value, signature: sign(parsed.value, key) });
  }
  return new TextEncoder().encode(text);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
