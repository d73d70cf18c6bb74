import { describe, it } from "vitest";
import { behaviourFor } from "../../src/simulator/behaviour.ts";
import { WireFaults } from "../../src/simulator/wire-faults.ts";
import { requestFrame } from "../support/scripted-gateway.ts";

const ID = "1000000001";
const RESULT = JSON.stringify({ type: "result", requestId: ID, statusCode: "00", signature: "f".repeat(64) });
const ACCEPTED = JSON.stringify({ type: "accepted", requestId: ID, attempt: 1 });

/** The wire of a terminal that has read a sale of this amount. */
function wireWith(transAmt: string, clock = { now: 0 }): WireFaults {
  const wire = new WireFaults(
    () => behaviourFor(transAmt),
    () => clock.now,
  );
  const frame = requestFrame({ transData: { transAmt, paymentMethod: "bankCard" }, respondBy: 75_000 });
  wire.incoming(JSON.stringify({ ...frame, signature: "" }));
  return wire;
}

/** A text that passes as it is. */
const passes = (text: string) => [{ text, after: 0 }];

describe("the wire of a simulated terminal", () => {
  it("of a sound sale passes everything", ({ expect }) => {
    const wire = wireWith("10.00");
    for (const text of [ACCEPTED, RESULT, RESULT, "ping", "{"]) expect(wire.outgoing(text)).toEqual(passes(text));
  });

  it("at .83 is silent after accepted until the gateway asks", ({ expect }) => {
    const wire = wireWith("10.83");
    expect(wire.outgoing(ACCEPTED)).toEqual(passes(ACCEPTED));
    expect(wire.outgoing(RESULT)).toEqual([]);
    wire.incoming(JSON.stringify({ type: "cancel", requestId: ID, attempt: 1 }));
    expect(wire.outgoing(RESULT)).toEqual([]);
    wire.incoming(JSON.stringify({ type: "ask", requestId: ID, attempt: 1 }));
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });

  it("at .85 holds the result back until after the request's end", ({ expect }) => {
    const clock = { now: 0 };
    const wire = wireWith("10.85", clock);
    expect(wire.outgoing(RESULT)).toEqual([{ text: RESULT, after: 92_000 }]);
    clock.now = 92_000;
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });

  it("at .82 drops once, when it reads the request", ({ expect }) => {
    const wire = new WireFaults(() => behaviourFor("10.82"));
    const frame = JSON.stringify({ ...requestFrame(), signature: "" });
    expect(wire.incoming(frame)).toBe("drop");
    expect(wire.incoming(frame)).toBe("pass");
  });

  it.for([
    ["10.81", "drop"],
    ["10.84", [...passes(RESULT), ...passes(RESULT)]],
    ["10.87", passes(RESULT.replace("f".repeat(64), "0".repeat(64)))],
  ] as const)("at %s does its worst to the first result alone", ([transAmt, fate], { expect }) => {
    const wire = wireWith(transAmt);
    expect(wire.outgoing(RESULT)).toEqual(fate);
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });
});
