/** The examples of both contracts are valid messages with correct signatures. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";
import { hasValidSignature } from "../../../../src/sdk/client/signature.ts";
import { readFrame } from "../../../../src/sdk/client/terminal/frames.ts";
import { CONTRACTS } from "../../../../src/docs/contracts.ts";
import { DEMO_SIGNING_KEY, EXAMPLES } from "../../../../src/gateway/http/openapi/examples.ts";
import {
  DEMO_TERMINAL_SECRET,
  FURTHER_FRAMES,
  GATEWAY_FRAMES,
  TERMINAL_EXAMPLES,
  TERMINAL_FRAMES,
} from "../../../../src/gateway/http/openapi/terminal-examples.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { terminalFrame } from "../../../../src/protocol/terminal-frames.ts";
import { gatewayFrame } from "../../../../src/protocol/schemas/frames.ts";
import { inquiryResponse, transactionResponse } from "../../../../src/protocol/schemas/transfers.ts";
import { parseCancel, parseTransfer } from "../../../../src/gateway/http/pos/transfer/messages.ts";
import vectors from "../../../support/protocol/signing/vectors.json" with { type: "json" };

/** Every object with a signature in a document, at any depth. */
function signedIn(value: unknown): JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(signedIn);
  return "signature" in value && typeof value.signature === "string" ? [value as JsonObject, ...inside] : inside;
}

describe("the examples of the OpenAPI document", () => {
  it("have valid signatures with the key that the document names", async ({ expect }) => {
    const document = CONTRACTS["openapi.json"];
    expect(document.info.description).toContain(DEMO_SIGNING_KEY);
    const { TerminalLoginRequest, BindRequest, ...others } = document.components.schemas;
    const messages = [...signedIn(document.paths), ...signedIn(others)];
    expect(messages.length).toBeGreaterThan(20);
    for (const message of messages)
      expect(await hasValidSignature(message, DEMO_SIGNING_KEY), JSON.stringify(message)).toBe(true);
    const terminals = [...signedIn(TerminalLoginRequest), ...signedIn(BindRequest)];
    expect(terminals).toHaveLength(2);
    for (const message of terminals) expect(await hasValidSignature(message, DEMO_TERMINAL_SECRET)).toBe(true);
  });

  it("begin with the first of the vectors that an independent implementation made", ({ expect }) => {
    const [first] = vectors.vectors;
    expect(DEMO_SIGNING_KEY).toBe(first?.key);
    expect(EXAMPLES.sale.request).toEqual({ ...first?.body, signature: first?.signature });
    expect(CONTRACTS["openapi.json"].info.description).toContain(first?.canonical);
  });

  it("are transfers that the gateway accepts, and answers that it returns", ({ expect }) => {
    for (const [name, { request, answer }] of Object.entries(EXAMPLES)) {
      const parse = name === "cancel" ? parseCancel : parseTransfer;
      expect(parse(structuredClone(request) as unknown as JsonObject)).toMatchObject({ ok: true });
      const { transType } = answer;
      const schema = transType === "inquiry" || transType === "getLast" ? inquiryResponse : transactionResponse;
      expect(schema.strict().parse(answer)).toEqual(answer);
    }
  });
});

describe("the examples of the AsyncAPI document", () => {
  it("have valid signatures with the secret that the document names", async ({ expect }) => {
    const document = CONTRACTS["asyncapi.json"];
    expect(document.info.description).toContain(DEMO_TERMINAL_SECRET);
    for (const { signature } of Object.values(TERMINAL_EXAMPLES)) {
      expect(document.info.description).toContain(signature);
    }
    const messages = signedIn(document.components.messages);
    expect(new Set(messages.map(({ type }) => type))).toEqual(new Set(["hello", "request", "result"]));
    for (const message of messages) expect(await hasValidSignature(message, DEMO_TERMINAL_SECRET)).toBe(true);
  });

  it("are frames that a terminal reads, and frames that the gateway accepts", ({ expect }) => {
    for (const frame of Object.values(GATEWAY_FRAMES)) {
      expect(gatewayFrame.parse(frame)).toEqual(frame);
      expect(readFrame(frame as unknown as JsonObject)).toMatchObject({ kind: "frame" });
    }
    for (const frame of Object.values(TERMINAL_FRAMES)) {
      expect(terminalFrame.safeParse(frame)).toMatchObject({ success: true });
    }
  });

  it("are also such frames if there are several examples of a kind", ({ expect }) => {
    for (const { payload } of FURTHER_FRAMES) {
      const judge = payload.type === "request" ? gatewayFrame : terminalFrame;
      expect(judge.safeParse(payload)).toMatchObject({ success: true });
    }
  });

  it("match the JSON Schema of all frames", ({ expect }) => {
    const publish = new Ajv2020({ strict: false }).compile(CONTRACTS["frames.json"]);
    const frames = [
      ...Object.values({ ...GATEWAY_FRAMES, ...TERMINAL_FRAMES }),
      ...FURTHER_FRAMES.map(({ payload }) => payload),
    ];
    for (const frame of frames) expect(publish(frame), JSON.stringify(publish.errors)).toBe(true);
    expect(publish({ type: "farewell" })).toBe(false);
  });

  it("include one of each kind of frame", ({ expect }) => {
    const kinds = [...gatewayFrame.options, ...terminalFrame.options].map(({ shape }) => shape.type.value);
    expect(Object.keys({ ...GATEWAY_FRAMES, ...TERMINAL_FRAMES })).toEqual(kinds);
    const { messages } = CONTRACTS["asyncapi.json"].components;
    expect(Object.values(messages).map(({ name }) => name)).toEqual([...kinds, "ping", "pong"]);
  });
});
