import { describe, expect, it } from "vitest";
import { signedForm } from "../../../../src/protocol/signing/canonical.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { datetimeProblems } from "../../../../src/protocol/signing/problems.ts";
import { digestForm, sign, verifySignature, withSignature } from "../../../../src/protocol/signing/signature.ts";
import { parsedObject } from "./json-values.ts";
import { vectors } from "../../../support/protocol/signing/vectors.json";

const KEY = "3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc";
const MESSAGE: JsonObject = { posId: "POS-0001", transData: { transAmt: "12.50" }, datetime: "20261120T021500" };

describe("a signature", () => {
  it.each(vectors)("equals another implementation's for the vector “$name”", ({ body, key, signature }) => {
    const message = body as JsonObject;
    expect(sign(message, key)).toBe(signature);
    expect(withSignature(message, key)).toEqual({ ...message, signature });
    expect(verifySignature({ ...message, signature }, key)).toBe(true);
  });

  it("is HMAC-SHA-256 under the UTF-8 bytes of the key's text", async () => {
    const encoder = new TextEncoder();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", encoder.encode("clé €"), algorithm, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", key, encoder.encode('{"a":"ü"}'));
    expect(sign({ a: "ü" }, "clé €")).toBe(Buffer.from(mac).toString("hex"));
  });

  it("is valid for any order of the members", () => {
    const { signature } = withSignature(MESSAGE, KEY);
    const shuffled: JsonObject = { signature, ...Object.fromEntries(Object.entries(MESSAGE).toReversed()) };
    expect(verifySignature(shuffled, KEY)).toBe(true);
  });

  it("replaces the previous one", () => {
    expect(withSignature({ ...MESSAGE, signature: "old" }, KEY)).toEqual(withSignature(MESSAGE, KEY));
  });

  it("holds for what is sent if the message has undefined members", () => {
    const sent = JSON.stringify(withSignature({ a: 1, b: undefined, c: { d: undefined } }, KEY));
    expect(verifySignature(parsedObject(sent), KEY)).toBe(true);
  });
});

describe("verification", () => {
  const signed: JsonObject = withSignature(MESSAGE, KEY);
  const signature = sign(MESSAGE, KEY);

  it("refuses another key", () => {
    expect(verifySignature(signed, `${KEY}=`)).toBe(false);
    expect(verifySignature(signed, "")).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["a changed value", { ...signed, posId: "POS-0002" }],
    ["a changed value further down", { ...signed, transData: { transAmt: "12.51" } }],
    ["an added member", { ...signed, extra: null }],
    ["a removed member", { signature, posId: "POS-0001", datetime: "20261120T021500" }],
    ["a member of another type", { ...signed, transData: { transAmt: 1250 } }],
  ])("refuses %s", (_, message) => {
    expect(verifySignature(message, KEY)).toBe(false);
  });

  it.each<[string, JsonObject[string]]>([
    ["null", null],
    ["empty", ""],
    ["a number", 5],
    ["in a list", [signature]],
    ["cut short", signature.slice(0, 62)],
    ["followed by a line feed", `${signature}\n`],
    ["followed by more", `${signature}00`],
    ["not hexadecimal", "z".repeat(64)],
    ["64 characters of more than 64 bytes", "é".repeat(64)],
    ["wrong in its last digit", signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0")],
  ])("refuses a signature that is %s", (_, wrong) => {
    expect(verifySignature({ ...MESSAGE, signature: wrong }, KEY)).toBe(false);
  });

  it("accepts a signature in capitals", () => {
    expect(verifySignature({ ...MESSAGE, signature: signature.toUpperCase() }, KEY)).toBe(true);
  });

  it("refuses a message without a signature, even with one in __proto__", () => {
    expect(verifySignature(MESSAGE, KEY)).toBe(false);
    const text = `{"a":1,"__proto__":{"signature":"${sign(parsedObject('{"a":1}'), KEY)}"}}`;
    expect(verifySignature(parsedObject(text), KEY)).toBe(false);
  });
});

describe("the digest returned to a POS", () => {
  it.each(vectors)("is that of the canonical form, in UTF-8: “$name”", async ({ body, signature, canonical }) => {
    const bytes = new TextEncoder().encode(canonical);
    const sha256 = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
    expect(digestForm(signedForm({ ...(body as JsonObject), signature }))).toEqual({ length: bytes.length, sha256 });
  });
});

describe("a message's time", () => {
  const NOW = Date.UTC(2026, 10, 20, 10, 15);

  it("may be fifteen minutes off, and no more", () => {
    const refused = [-900_001, -900_000, 0, 900_000, 900_001].filter(
      (off) => datetimeProblems(NOW + off, NOW).length > 0,
    );
    expect(refused).toEqual([-900_001, 900_001]);
  });

  it.each([
    [28_800_000, "28800 seconds ahead of"],
    [-28_800_499, "28800 seconds behind"],
  ])("is refused if it is %i ms off, naming the seconds", (off, words) => {
    expect(datetimeProblems(NOW + off, NOW)).toEqual([
      {
        path: "datetime",
        message: expect.stringMatching(`^The time is ${words} the gateway's clock; at most 900 are`),
      },
    ]);
  });
});
