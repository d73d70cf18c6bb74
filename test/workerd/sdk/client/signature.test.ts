import { describe, it } from "vitest";
import { hasValidSignature, signMessage } from "../../../../src/sdk/client/signature.ts";
import { sign } from "../../../../src/protocol/signing/signature.ts";
import vectors from "../../../support/protocol/signing/vectors.json";

describe("a signature made with WebCrypto", () => {
  it.for(vectors.vectors)(
    "is that of an independent implementation: $name",
    async ({ body, key, signature }, { expect }) => {
      const message = await signMessage(body, key);
      expect(message.signature).toBe(signature);
      expect(await hasValidSignature(JSON.parse(JSON.stringify(message)), key)).toBe(true);
    },
  );

  it("is the gateway's own, and does not cover what is not sent", async ({ expect }) => {
    const message = { type: "hello", open: ["1000000001"], left: undefined };
    const { signature } = await signMessage(message, "secret");
    expect(signature).toBe(sign({ type: "hello", open: ["1000000001"] }, "secret"));
  });

  it("covers the message without the signature that it had", async ({ expect }) => {
    const once = await signMessage({ a: 1 }, "key");
    expect(await signMessage(once, "key")).toEqual(once);
  });

  it.for([
    ["another key", { a: 1 }, "other"],
    ["another message", { a: 2 }, "key"],
  ] as const)("is not right under %s", async ([, members, key], { expect }) => {
    const { signature } = await signMessage({ a: 1 }, "key");
    expect(await hasValidSignature({ ...members, signature }, key)).toBe(false);
  });

  it("is not right with more, or in other letters", async ({ expect }) => {
    const { signature } = await signMessage({ a: 1 }, "key");
    for (const other of [signature.toUpperCase(), `${signature}00`]) {
      expect(await hasValidSignature({ a: 1, signature: other }, "key")).toBe(false);
    }
  });

  it.for([undefined, null, 7, "", "zz".repeat(32), "AB".repeat(32), "00".repeat(31)])(
    "is not %j, regardless of the message",
    async (signature, { expect }) => {
      const message = signature === undefined ? { a: 1 } : { a: 1, signature };
      expect(await hasValidSignature(message, "key")).toBe(false);
    },
  );
});
