import * as fc from "fast-check";
import { type JsonObject, type JsonValue, parseJson } from "../../../../src/protocol/signing/json.ts";
import { anyText } from "../../../support/any-text.ts";

const LARGEST = 10 ** 15 - 1;

/** The value of a text that must be accepted. */
export function parsed(text: string): JsonValue {
  const result = parseJson(text);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function parsedObject(text: string): JsonObject {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("not an object");
  return value;
}

/** Values as a message may hold them: plain integers, well-formed texts, any well-formed names (`__proto__` too). */
export function jsonValues(): fc.Arbitrary<JsonValue> {
  const text = anyText({ maxLength: 12 });
  const name = fc.oneof(text, fc.constantFrom("__proto__", "signature", "1", "10", "9", "constructor", "toString"));
  return fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant(null),
      fc.boolean(),
      fc.integer({ min: -LARGEST, max: LARGEST }),
      text,
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(name, tie("value"), { maxKeys: 6, noNullPrototype: true }),
    ),
  })).value;
}
