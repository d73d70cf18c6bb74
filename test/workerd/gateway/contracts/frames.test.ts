/** The gateway's frames match the AsyncAPI document, without additional members. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";
import { asyncApi } from "../../../../src/docs/contracts/asyncapi.ts";
import type { JsonSchema } from "../../../../src/gateway/http/openapi/json-schema.ts";
import { hasValidSignature } from "../../../../src/sdk/client/signature.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { useFakeClock } from "../../../support/clock.ts";
import type { FrameError } from "../../../../src/protocol/frames.ts";
import { BASE_URL, operator } from "../../../support/gateway.ts";
import { AT_ONCE, setChannel, useAccount } from "../../../support/scene.ts";
import { type Frame, type RequestFrame, ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const { messages, schemas } = asyncApi().components;
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: "frames:", components: { schemas: closed(schemas) } });

function docOf(code: FrameError): string {
  return `${BASE_URL}/docs/errors#${code}`;
}

function closed(all: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name, { ...schema, additionalProperties: false }]),
  );
}

/** The differences between a frame and the document; empty if there are none. */
function problemsOf(frame: Frame): string[] {
  const [name] = Object.entries(messages).find(([, message]) => message.name === frame.type) ?? [];
  if (name === undefined) return [`there is no ${frame.type}`];
  const validate = ajv.compile({ $ref: `frames:#/components/schemas/${name}` });
  return validate(frame)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe("every frame of the gateway", () => {
  it("matches the contract, and the tests have seen every one", async ({ expect }) => {
    const here = await scene();
    const seen = new Set<string>();
    const judge = (frame: Frame): Frame => {
      expect(problemsOf(frame), JSON.stringify(frame)).toEqual([]);
      seen.add(frame.type);
      return frame;
    };

    const connection = await ScriptedTerminal.open(here.terminal);
    const welcome = judge(await connection.next("welcome"));
    connection.sendHello(String(welcome["nonce"]));
    judge(await connection.next("ready"));

    await setChannel("Framed Pay", 1);
    const wallet = { paymentMethod: "qrCustScan", paymentChannel: "Framed Pay", note: "n", printCount: 0 };
    const sale = here.pos.saleBody({ referenceLabel: "Table 7" }, wallet);
    const answer = here.pos.transfer(sale);
    const request = judge(await connection.next("request")) as RequestFrame;
    const { requestId } = request;
    expect(await hasValidSignature(request as unknown as JsonObject, here.terminal.secret)).toBe(true);
    connection.accept(request);
    connection.result({ requestId }, "22");
    judge(await connection.next("ack"));
    await answer;

    const again = here.pos.transfer(sale);
    judge(await connection.next("ask"));
    here.approve(connection, request);
    judge(await connection.next("ack"));
    await again;

    const voiding = here.pos.void(requestId, {}, AT_ONCE);
    const second = judge(await connection.next("request")) as RequestFrame;
    connection.accept(second);
    await voiding;
    const cancelled = here.pos.cancel(second.referenceId);
    judge(await connection.next("cancel"));
    connection.result(second, "11");
    await cancelled;

    connection.send({ type: "nothing" });
    expect(judge(await connection.next("error"))["doc"]).toBe(docOf("bad_frame"));
    connection.send({ ...connection.resultFrame(requestId, "00"), signature: "0".repeat(64) });
    const unsigned = { code: "bad_signature", doc: docOf("bad_signature"), requestId };
    expect(judge(await connection.next("error"))).toMatchObject(unsigned);
    connection.result({ requestId: "9999999999" }, "00");
    const unknown = { code: "unknown_request", doc: docOf("unknown_request"), requestId: "9999999999" };
    expect(judge(await connection.next("error"))).toMatchObject(unknown);

    await operator("PATCH", `/operator/accounts/${here.pos.account.posId}`, { currency: "SGD" });
    expect(judge(await connection.next("binding"))["currency"]).toBe("SGD");
    await operator("PATCH", `/operator/accounts/${here.pos.account.posId}`, { currency: "MYR" });
    await here.unbind();
    for (const currency of ["MYR", null]) expect(judge(await connection.next("binding"))["currency"]).toBe(currency);

    // What the gateway sends unasked, and what it answers.
    const sent = Object.values(asyncApi().operations).flatMap(({ action, messages: frames, reply }) =>
      action === "send" ? frames : (reply?.messages ?? []),
    );
    const names = sent.map(({ $ref }) => messages[$ref.split("/").at(-1) ?? ""]?.name ?? $ref);
    const published = names.filter((name) => name !== "ping" && name !== "pong");
    expect(seen).toEqual(new Set(published));
  });

  it("is checked: a member that is not published is detected", ({ expect }) => {
    expect(problemsOf({ type: "ready" })).toEqual([]);
    expect(problemsOf({ type: "ready", more: 1 })).not.toEqual([]);
    expect(problemsOf({ type: "farewell" })).not.toEqual([]);
  });
});
