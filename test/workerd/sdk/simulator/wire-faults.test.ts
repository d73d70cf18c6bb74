import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { behaviourFor } from "../../../../src/sdk/simulator/behaviour.ts";
import { FaultySocket, WireFaults } from "../../../../src/sdk/simulator/wire-faults.ts";
import { requestFrame, ScriptedConnection } from "../../../support/scripted-gateway.ts";

const ID = "1000000001";
const RESULT = JSON.stringify({ type: "result", requestId: ID, statusCode: "00", signature: "f".repeat(64) });
const PROGRESS = JSON.stringify({ type: "progress", requestId: ID, stage: "pin" });
const OTHERS = ["ping", "{", "null", "7", '{"type":"weather"}', '{"type":"result","requestId":7}'];
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
  it("passes everything of a sound sale", ({ expect }) => {
    const wire = wireWith("10.00");
    for (const text of [ACCEPTED, RESULT, RESULT, ...OTHERS]) expect(wire.outgoing(text)).toEqual(passes(text));
  });

  it.for(["10.81", "10.83", "10.84", "10.85", "10.87"])(
    "passes at %s what is about no sale or another one",
    (transAmt, { expect }) => {
      const wire = wireWith(transAmt);
      const other = RESULT.replace(ID, "1000000002");
      for (const text of [ACCEPTED, other, other, ...OTHERS]) expect(wire.outgoing(text)).toEqual(passes(text));
      for (const text of OTHERS) expect(wire.incoming(text)).toBe("pass");
      for (const data of [undefined, new Uint8Array(2)]) expect(wire.incoming(data)).toBe("pass");
    },
  );

  it("is silent at .83 after accepted until the gateway asks", ({ expect }) => {
    const wire = wireWith("10.83");
    expect(wire.outgoing(ACCEPTED)).toEqual(passes(ACCEPTED));
    expect(wire.outgoing(PROGRESS)).toEqual([]);
    expect(wire.outgoing(RESULT)).toEqual([]);
    wire.incoming(JSON.stringify({ type: "ask", requestId: "1000000002", attempt: 1 }));
    wire.incoming(JSON.stringify({ type: "cancel", requestId: ID, attempt: 1 }));
    expect(wire.outgoing(RESULT)).toEqual([]);
    wire.incoming(JSON.stringify({ type: "ask", requestId: ID, attempt: 1 }));
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });

  it("holds the result back at .85 until the request's end", ({ expect }) => {
    const clock = { now: 0 };
    const wire = wireWith("10.85", clock);
    expect(wire.outgoing(PROGRESS)).toEqual(passes(PROGRESS));
    expect(wire.outgoing(RESULT)).toEqual([{ text: RESULT, after: 92_000 }]);
    wire.incoming(JSON.stringify({ type: "ask", requestId: ID, attempt: 1 }));
    expect(wire.outgoing(RESULT)).toEqual([{ text: RESULT, after: 92_000 }]);
    clock.now = 92_000;
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });

  it("drops once at .82, when it reads the request", ({ expect }) => {
    const wire = new WireFaults(() => behaviourFor("10.82"));
    const frame = JSON.stringify({ ...requestFrame(), signature: "" });
    expect(wire.incoming(frame)).toBe("drop");
    expect(wire.incoming(frame)).toBe("pass");
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });

  it.for([
    ["10.81", "drop"],
    ["10.84", [...passes(RESULT), ...passes(RESULT)]],
    ["10.87", passes(RESULT.replace("f".repeat(64), "0".repeat(64)))],
  ] as const)("does its worst at %s to the first result alone", ([transAmt, fate], { expect }) => {
    const wire = wireWith(transAmt);
    expect(wire.outgoing(RESULT)).toEqual(fate);
    // Also if the gateway sends the request again.
    expect(wire.incoming(JSON.stringify({ ...requestFrame(), signature: "" }))).toBe("pass");
    expect(wire.outgoing(RESULT)).toEqual(passes(RESULT));
  });
});

/** Both sides of it, and what the client is told. */
function connected(latency?: number, transAmt = "10.00") {
  const inner = new ScriptedConnection([]);
  const sent: string[] = [];
  inner.send = (text) => void sent.push(text);
  const socket = new FaultySocket(inner, new WireFaults(() => behaviourFor(transAmt)), latency);
  const told: unknown[] = [];
  for (const type of ["open", "message", "close", "error"] as const) {
    socket.addEventListener(type, ({ type: kind, data, code }) => told.push(data ?? code ?? kind));
  }
  return { inner, socket, sent, told };
}

describe("a connection with faults", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("delays each text in both directions", async ({ expect }) => {
    const { inner, socket, sent, told } = connected(50);
    socket.send("ping");
    inner.say("pong");
    await vi.advanceTimersByTimeAsync(49);
    expect([sent, told]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect([sent, told]).toEqual([["ping"], ["pong"]]);
  });

  it("passes everything at once without a delay, and reports its end", ({ expect }) => {
    const { inner, socket, sent, told } = connected();
    expect(socket.readyState).toBe(1);
    socket.send("ping");
    inner.say("pong");
    socket.close(4000, "enough");
    expect([sent, told, inner.closedWith, socket.readyState]).toEqual([["ping"], ["pong", 4000], 4000, 3]);
  });

  it("sends nothing late into a connection that has closed", async ({ expect }) => {
    const { inner, socket, sent } = connected(50);
    socket.send("ping");
    inner.readyState = 2;
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([]);
  });

  it("loses what is on its way, and ends once without handshake", async ({ expect }) => {
    const { inner, socket, sent, told } = connected(50);
    socket.addEventListener("close", ({ type, reason }) => told.push([type, reason]));
    socket.send("ping");
    inner.say("pong");
    socket.drop();
    socket.drop();
    socket.send("ping");
    socket.close(4000, "enough");
    inner.say("pong");
    await vi.advanceTimersByTimeAsync(100);
    expect([sent, told, inner.closedWith, socket.readyState]).toEqual([[], [1006, ["close", ""]], 3100, 3]);
  });

  it("is lost at .82 on the request, at .81 on the result", ({ expect }) => {
    const request = JSON.stringify({ ...requestFrame(), signature: "" });
    const early = connected(undefined, "10.82");
    early.inner.say(request);
    early.socket.send("ping");
    expect([early.told, early.sent, early.inner.closedWith]).toEqual([[1006], [], 3100]);
    const late = connected(undefined, "10.81");
    late.inner.say(request);
    late.socket.send(ACCEPTED);
    late.socket.send(RESULT);
    expect([late.told, late.sent, late.inner.closedWith]).toEqual([[request, 1006], [ACCEPTED], 3100]);
  });
});
