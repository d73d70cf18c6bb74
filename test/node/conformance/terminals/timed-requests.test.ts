/** What the steps about requests say of a terminal, with all that it sends and when. No time passes. */
import { describe, it } from "vitest";
import { TerminalScene } from "../../../../src/conformance/terminal/scene.ts";
import { UNBOUND } from "../../../../src/conformance/terminal/counterpart.ts";
import { now } from "../../../../src/conformance/times.ts";
import type { JsonObject } from "../../../../src/signing/json.ts";
import {
  exchange,
  frame,
  KEPT,
  PATIENCE,
  Played,
  result,
  run,
  said,
  SECRET,
  type Sent,
  useStoppedClock,
} from "./played.ts";

useStoppedClock();

describe("a request that waits for its customer", () => {
  it.for<[string, (requestId: JsonObject) => JsonObject[]]>([
    ["kept", (about) => [{ type: "accepted", ...about }]],
    [
      "kept",
      (about) => [
        { type: "accepted", ...about },
        { type: "progress", stage: "present", ...about },
      ],
    ],
    [
      "left-out: the payment of 10.89 did not wait for its customer (set one that does with --wait AMOUNT)",
      (about) => [
        { type: "accepted", ...about },
        { type: "result", statusCode: "00", ...about },
      ],
    ],
    [
      "blocked: the terminal did not accept a request (see “accepted”)",
      (about) => [{ type: "refused", reason: "busy", ...about }],
    ],
    ["blocked: the terminal did not accept a request (see “accepted”)", () => [{ type: "accepted", requestId: "1" }]],
    ["blocked: the terminal did not accept a request (see “accepted”)", () => []],
  ])("is in progress: %s", async ([seen, answers], { expect }) => {
    const heard = new Played<object>();
    const told: string[] = [];
    const sent: JsonObject[] = [];
    const counterpart = { heard, binding: UNBOUND, known: new Set(), secret: SECRET };
    const amounts = { approve: "10.00", wait: "10.89", pending: "10.22" };
    const tester = { tell: (what: string) => told.push(what) };
    const scene = new TerminalScene({ counterpart, amounts, tester, patience: PATIENCE } as never);
    const line = {
      send: (request: JsonObject) => {
        sent.push(request);
        heard.items.push(...answers({ requestId: request["requestId"] ?? "" }).map((one) => frame(one)));
      },
    };
    const made = await scene.atWork(line as never);
    expect(said(made.ok ? KEPT : made.error)).toBe(seen);
    expect(told).toEqual(["At the terminal: do nothing for the sale of 10.89, and present no card."]);
    expect(sent).toEqual([
      expect.objectContaining({
        type: "request",
        transType: "sale",
        posId: "KIT-POS",
        merchantId: "KIT-M",
        attempt: 1,
      }),
    ]);
    expect(heard.waits).toEqual([4_000, 200].slice(0, heard.waits.length));
  });
});

describe("a terminal that is sent what it cannot know", () => {
  it.for<[string, object | null, Sent | null]>([
    ["kept", null, frame({ type: "accepted" })],
    ["nothing", null, null],
    ["refused busy", null, frame({ type: "refused", reason: "busy" })],
    ["it ended with code 4000", { at: 0, code: 4000 }, frame({ type: "accepted" })],
  ])("goes on: %s", async ([seen, ended, answer], { expect }) => {
    const sent: unknown[] = [];
    const line = {
      ended,
      send: (told: JsonObject) => sent.push(told["type"]),
      sendText: (told: string) => sent.push(told),
    };
    const verdict = await run("unknown-frames", {
      options: { counterpart: { heard: new Played() }, patience: PATIENCE },
      line: async () => line,
      draft: () => exchange("1", answer),
    });
    expect([said(verdict), sent]).toEqual([seen, ["weather", "not a frame", "ack", "ping"]]);
  });
});

describe("a request at its respondBy", () => {
  it.for<[string, Sent | null]>([
    ["kept", result({ statusCode: "11" })],
    ["result 22", result({ statusCode: "22", responseCode: "" })],
    ["result 00 00", result()],
    ["none within 4 s after it", null],
  ])("ends: %s", async ([seen, answer], { expect }) => {
    const work = exchange("1", answer);
    const begun: unknown[] = [];
    const verdict = await run("respond-by", {
      options: { counterpart: {}, patience: PATIENCE },
      line: async () => ({}),
      atWork: async (_: unknown, sending: unknown) => {
        begun.push(sending);
        return { ok: true, value: { work } };
      },
    });
    expect([said(verdict), begun, work.waits]).toEqual([seen, [{ respondBy: now() + 3_000 }], [7_000]]);
  });
});

function played(patient: boolean, answers: (Sent | null)[]) {
  const told: unknown[] = [];
  return {
    told,
    scene: {
      options: { counterpart: { secret: SECRET }, patience: PATIENCE, patient },
      line: async () => ({ send: (members: object) => told.push(members) }),
      concluded: async () => ({ ok: true, value: { exchange: exchange("1", ...answers), result: result() } }),
    },
  };
}

describe("a result whose signature is refused", () => {
  const forged = { ...result(), frame: { ...result().frame, responseCode: "05" } };

  it.for<[string, (Sent | null)[]]>([
    ["kept", [result({}, 4_000)]],
    ["after 4 s", [result({}, 3_999)]],
    ["none within 6 s", [null]],
    ["the signature is wrong", [{ ...forged, at: 5_000 }]],
  ])("comes again after five seconds, signed: %s", async ([seen, answers], { expect }) => {
    const { scene, told } = played(false, answers);
    const verdict = await run("signs-anew", scene);
    expect(said(verdict)).toContain(seen);
    if (verdict.kind === "kept") expect(verdict.note).toBe("tested once; --patient tests the limit of five");
    expect(told).toEqual([expect.objectContaining({ type: "error", code: "bad_signature", requestId: "1" })]);
  });

  it.for<[string, number, boolean]>([
    ["kept", 5, false],
    ["another one", 5, true],
    ["none within 6 s", 4, false],
  ])("comes again five times, and no more: %s", async ([seen, times, isMore], { expect }) => {
    const again = Array.from({ length: times }, () => result({}, 5_000));
    const { scene, told } = played(true, [...again, ...(isMore ? [result({}, 5_000)] : [])]);
    const verdict = await run("signs-anew", scene);
    expect([said(verdict), told.length]).toEqual([seen, Math.min(times + 1, 6)]);
    if (verdict.kind === "kept") expect(verdict.note).toBeUndefined();
  });
});

describe("the result of a sale", () => {
  it.for<[string, JsonObject]>([
    ["left-out: the sale was not approved", { statusCode: "11", softwareVersion: "1", terminalSn: "S" }],
    ["softwareVersion is missing", { statusCode: "11", terminalSn: "S" }],
  ])("is complete: %s", async ([seen, members], { expect }) => {
    const made = { exchange: exchange("1000000001"), result: result(members) };
    const verdict = await run("result-fields", {
      options: { patience: PATIENCE },
      line: async () => ({ number: 1 }),
      concluded: async () => ({ ok: true, value: made }),
    });
    expect(said(verdict)).toBe(seen);
  });
});

const accepted = (attempt: number) => frame({ type: "accepted", attempt });

describe("a terminal that is asked, or asked again", () => {
  const refused = frame({ type: "refused", reason: "expired" });
  const started = frame({ type: "progress", stage: "present" });
  const [approved, declined, pending] = [result(), result({ statusCode: "11" }), result({ statusCode: "22" })];

  it.for<[string, string, Sent[], string[]]>([
    ["repeat-at-work", "kept", [started, accepted(2)], ["send {}"]],
    ["repeat-at-work", "another attempt", [accepted(1)], ["send {}"]],
    ["repeat-at-work", "refused expired", [refused], ["send {}"]],
    ["repeat-at-work", "result 00 00", [approved], ["send {}"]],
    ["repeat-at-work", "nothing", [], ["send {}"]],
    ["repeat-after-result", "kept", [approved], ["skip", "send {}"]],
    ["repeat-after-result", "it was started again: progress present", [started, approved], ["skip", "send {}"]],
    ["repeat-after-result", "refused expired", [refused], ["skip", "send {}"]],
    ["repeat-after-result", "nothing", [], ["skip", "send {}"]],
    ["in-order", "kept", [accepted(1)], ["send {}", "cancel"]],
    ["in-order", "first: refused expired", [refused], ["send {}", "cancel"]],
    ["in-order", "first: nothing", [], ["send {}", "cancel"]],
    ["cancel", "kept", [started, declined], ["cancel"]],
    ["cancel", "result 00 00", [approved], ["cancel"]],
    ["cancel", "refused expired", [refused], ["cancel"]],
    ["cancel", "no result", [], ["cancel"]],
    ["ask", "kept", [started, pending], ["ask"]],
    ["ask", "result 00 00", [approved], ["ask"]],
    ["ask", "refused expired", [refused], ["ask"]],
    ["ask", "none", [], ["ask"]],
  ])("(%s): %s", async ([name, seen, comes, did], { expect }) => {
    const one = exchange("1000000001", ...comes);
    const made = { exchange: one, result: result(), work: one };
    const verdict = await run(name, {
      options: { patience: PATIENCE, counterpart: { secret: SECRET } },
      line: async () => ({ number: 1 }),
      concluded: async () => ({ ok: true, value: made }),
      atWork: async () => ({ ok: true, value: made }),
      draft: () => one,
    });
    expect([said(verdict), one.did]).toEqual([seen, did]);
  });
});
