/** The calls of the operator's page, and what becomes of an answer that does not arrive whole. */
import { describe, it, onTestFinished, vi } from "vitest";
import { OperatorCalls } from "../../../../src/pages/operator/operator-calls.ts";

/** What `fetch` resolves to from now on. */
function answerWith(body: BodyInit): void {
  vi.stubGlobal("fetch", async () => new Response(body));
  onTestFinished(() => void vi.unstubAllGlobals());
}

/** The beginning of a body whose connection is then lost. */
function brokenOff(text: string): ReadableStream {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.error(new TypeError("network error"));
    },
  });
}

const calls = new OperatorCalls("token");

describe("an answer to the operator's page", () => {
  it("returns the JSON of its body", async ({ expect }) => {
    answerWith('{"data":[],"next":null}');
    expect(await calls.get("/terminals")).toEqual({ data: [], next: null });
  });

  it.for(["", '{"data":[', '{"data":[],"next":null}'])(
    "is no answer if it breaks off after %j",
    async (text, { expect }) => {
      answerWith(brokenOff(text));
      await expect(calls.get("/terminals")).rejects.toMatchObject({
        name: "CallError",
        status: 0,
        message: "The gateway does not answer. Check your connection, then try again.",
      });
    },
  );

  it.for(["", "<html>"])("is refused, with its status, if %j instead of JSON", async (text, { expect }) => {
    answerWith(text);
    const refused = { name: "CallError", status: 200, message: "The gateway answered 200 without JSON." };
    await expect(calls.get("/terminals")).rejects.toMatchObject(refused);
  });
});
