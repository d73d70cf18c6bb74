/** Which texts a terminal takes for a frame of the gateway. */
import { describe, it } from "vitest";
import { readFrame } from "../../../../../src/sdk/client/terminal/frames.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { requestFrame, welcome } from "../../../../support/scripted-gateway.ts";

const requestId = "1000000001";
const binding = { posId: "POS-1", merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/** With all members. */
const FRAMES: Record<string, object> = {
  welcome: { ...welcome(), ...binding },
  ready: { type: "ready" },
  request: { ...requestFrame(), referenceLabel: "Table 4", signature: "0".repeat(64) },
  ask: { type: "ask", requestId, attempt: 1 },
  cancel: { type: "cancel", requestId, attempt: 1 },
  ack: { type: "ack", requestId, statusCode: "00" },
  binding: { type: "binding", ...binding },
  error: { type: "error", code: "bad_signature", message: "no", doc: "https://gateway.test/docs", requestId },
};

const OPTIONAL = ["request referenceLabel", "error doc", "error requestId"];

describe("a terminal", () => {
  it.for(Object.entries(FRAMES))(
    "reads %s if all its members are there and of their types",
    ([type, given], { expect }) => {
      const frame = given as JsonObject;
      expect(readFrame(frame)).toEqual({ kind: "frame", frame, json: frame });
      expect(readFrame({ ...frame, more: [] })).toMatchObject({ kind: "frame" });
      for (const member of Object.keys(frame).filter((name) => name !== "type")) {
        const { [member]: _left, ...rest } = frame;
        const bad = { kind: "bad", why: `${type}: ${member} is missing or has another type` };
        expect(readFrame({ ...frame, [member]: true })).toEqual(bad);
        expect(readFrame({ ...frame, [member]: [] })).toEqual(bad);
        const isOptional = OPTIONAL.includes(`${type} ${member}`);
        expect(readFrame(rest), member).toEqual(isOptional ? { kind: "frame", frame: rest, json: rest } : bad);
        const isOfBinding = member in binding && type !== "request";
        expect(readFrame({ ...frame, [member]: null }), member).toMatchObject(isOfBinding ? { kind: "frame" } : bad);
      }
    },
  );

  it("reads no unknown status, type of transaction or type of frame", ({ expect }) => {
    expect(readFrame({ ...FRAMES["ack"], statusCode: "33" })).toMatchObject({ kind: "bad" });
    expect(readFrame({ ...FRAMES["request"], transType: "inquiry" })).toMatchObject({ kind: "bad" });
    for (const frame of [{}, { type: "dance" }, { type: "toString" }, { type: 7 }]) {
      expect(readFrame(frame)).toEqual({ kind: "bad", why: "unknown type" });
    }
    for (const text of [null, [], "ready", 7])
      expect(readFrame(text)).toEqual({ kind: "bad", why: "not a JSON object" });
  });
});
