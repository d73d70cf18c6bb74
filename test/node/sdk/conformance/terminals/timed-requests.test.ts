/** What the steps about requests say of a terminal, with all that it sends and when. No time passes. */
import { describe, it, vi } from "vitest";
import { TerminalScene } from "../../../../../src/sdk/conformance/terminal/scene.ts";
import { UNBOUND } from "../../../../../src/sdk/conformance/terminal/counterpart.ts";
import { now } from "../../../../../src/sdk/conformance/times.ts";
import type { BindingMembers } from "../../../../../src/protocol/binding.ts";
import { MANDATORY } from "../../../../../src/protocol/transactions.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
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
  text,
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
    // An earlier answer to a ping does not say that these are read.
    const heard = new Played(text(0, "pong"));
    const next = vi.spyOn(heard, "next");
    const line = {
      ended,
      send: (told: JsonObject) => sent.push(told["type"]),
      sendText: (told: string) => {
        sent.push(told);
        if (told === "ping") heard.items.push(text(0, "{"), text(0, "pong"));
      },
    };
    const verdict = await run("unknown-frames", {
      options: { counterpart: { heard }, patience: PATIENCE },
      line: async () => line,
      draft: () => exchange("1", answer),
    });
    expect([said(verdict), sent]).toEqual([seen, ["weather", "not a frame", "ack", "ping"]]);
    expect([await next.mock.results[0]?.value, heard.waits]).toMatchObject([{ index: 2 }, [500]]);
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
  const one = exchange("1", ...answers);
  return {
    told,
    waits: one.waits,
    scene: {
      options: { counterpart: { secret: SECRET }, patience: PATIENCE, patient },
      line: async () => ({ send: (members: object) => told.push(members) }),
      concluded: async () => ({ ok: true, value: { exchange: one, result: result() } }),
    },
  };
}

describe("a result whose signature is refused", () => {
  const forged = { ...result(), frame: { ...result().frame, responseCode: "05" } };

  it.for<[string, (Sent | null)[]]>([
    ["kept", [result({}, 14_000)]],
    ["after 4 s", [result({}, 13_999)]],
    ["none within 6 s", [null]],
    ["the signature is wrong", [{ ...forged, at: 15_000 }]],
  ])("comes again after five seconds, signed: %s", async ([seen, answers], { expect }) => {
    vi.advanceTimersByTime(10_000);
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
    const { scene, told, waits } = played(true, [...again, ...(isMore ? [result({}, 5_000)] : [])]);
    const verdict = await run("signs-anew", scene);
    expect([said(verdict), told.length]).toEqual([seen, Math.min(times + 1, 6)]);
    if (verdict.kind === "kept") expect(verdict.note).toBeUndefined();
    if (times === 5) expect(waits.at(-1)).toBe(10_000);
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
const refused = (reason: string, attempt = 1) => frame({ type: "refused", reason, attempt });
const started = frame({ type: "progress", stage: "present" });
const [approved, declined, pending] = [result(), result({ statusCode: "11" }), result({ statusCode: "22" })];

describe("a terminal that is asked, or asked again", () => {
  it.for<[string, string, Sent[], string[]]>([
    ["repeat-at-work", "kept", [started, accepted(2)], ["send {}"]],
    ["repeat-at-work", "another attempt", [accepted(1)], ["send {}"]],
    ["repeat-at-work", "refused expired", [refused("expired")], ["send {}"]],
    ["repeat-at-work", "result 00 00", [approved], ["send {}"]],
    ["repeat-at-work", "nothing", [], ["send {}"]],
    ["repeat-after-result", "kept", [approved], ["skip", "send {}"]],
    ["repeat-after-result", "it was started again: progress present", [started, approved], ["skip", "send {}"]],
    ["repeat-after-result", "refused expired", [refused("expired")], ["skip", "send {}"]],
    ["repeat-after-result", "nothing", [], ["skip", "send {}"]],
    ["in-order", "kept", [accepted(1)], ["send {}", "cancel"]],
    ["in-order", "first: refused expired", [refused("expired")], ["send {}", "cancel"]],
    ["in-order", "first: nothing", [], ["send {}", "cancel"]],
    ["cancel", "kept", [started, declined], ["cancel"]],
    ["cancel", "result 00 00", [approved], ["cancel"]],
    ["cancel", "refused expired", [refused("expired")], ["cancel"]],
    ["cancel", "no result", [], ["cancel"]],
    ["ask", "kept", [started, pending], ["ask"]],
    ["ask", "result 00 00", [approved], ["ask"]],
    ["ask", "refused expired", [refused("expired")], ["ask"]],
    ["ask", "none", [], ["ask"]],
  ])("is judged (%s): %s", async ([name, seen, comes, did], { expect }) => {
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
    // The others have as long as a kit gives them.
    if (name === "ask") expect(one.waits).toEqual([5_000]);
  });
});

const withDetails = (members: JsonObject, statusCode = "00") =>
  result({
    statusCode,
    softwareVersion: "1",
    terminalSn: "S",
    transData: { ...Object.fromEntries(MANDATORY.map((name) => [name, "x"])), ...members },
  });

/** What the terminal is asked for: the request that is at work or concluded first, then those that a step sends. */
function asked(...requests: (Sent | null)[][]) {
  const did: string[] = [];
  const told: object[] = [];
  const [first, ...others] = requests.map((comes, index) => ({ ...exchange(`100000001${index}`, ...comes), did }));
  const next = () => others.shift() ?? exchange("none");
  const scene = {
    options: {
      patience: PATIENCE,
      amounts: { approve: "10.00" },
      counterpart: {
        secret: SECRET,
        bindTo: ({ posId, merchantId, currency }: BindingMembers) => did.push([posId, merchantId, currency].join()),
      },
    },
    line: async () => ({}),
    concluded: async () => ({ ok: true, value: { exchange: first, result: await first?.next(0) } }),
    atWork: async () => ({ ok: true, value: { work: first } }),
    tidy: async () => did.push("tidy"),
    completed: async () => did.push("completed"),
    newNumber: () => "1000000099",
    begin: (_: unknown, wish: string, changes: object = {}) => {
      did.push(`begin ${wish}`);
      told.push(changes);
      return { ...next(), request: changes };
    },
    draft: (wish: string, changes: object = {}, requestId = "") => {
      told.push(changes);
      did.push(`draft ${wish} ${requestId}`.trim());
      return next();
    },
  };
  return { scene, did, told };
}

describe("a terminal that gets a request", () => {
  const complete = withDetails({});
  const paidOut = withDetails({ cashAmt: "20.00" });
  const failed = withDetails({}, "11");
  /** A second ago by the kit's clock, which is two hours ahead. */
  const past = Date.UTC(2026, 0, 2, 5, 4, 4);
  const deliverBy = `send ${JSON.stringify({ deliverBy: past })}`;
  const respondBy = `send ${JSON.stringify({ respondBy: past })}`;
  const forged =
    'send {"signature":"right","transType":"sale","transData":{"transAmt":"1.00","paymentMethod":"bankCard"}}';
  const unsigned = 'send {"transType":"sale"}';
  const [sells, voids] = ["begin approve", ["ack 00", "begin approve"]];
  const drafts = "draft wait";
  const binds = ["KIT-OTHER,KIT-OTHER-M,USD", "begin wait", "tidy", ",,"];
  const rebinds = "KIT-POS,KIT-M,MYR";
  const pends = ["begin pending", "ack 22"];

  it.for<[string, string, (Sent | null)[][], string[]]>([
    ["accepted", "kept", [[], [accepted(1)]], [sells]],
    ["accepted", "nothing", [[], []], [sells]],
    ["accepted", "result 00 00", [[], [approved]], [sells]],
    ["accepted", "attempt 2", [[], [accepted(2)]], [sells]],
    ["accepted", "attempt null", [[], [frame({ type: "accepted" })]], [sells]],
    ["result-fields", "kept", [[complete]], []],
    ["cash-out", "kept", [[], [accepted(1), paidOut]], [sells]],
    ["cash-out", "kept", [[], [refused("unsupported")]], [sells]],
    ["cash-out", "kept", [[], [accepted(1), failed]], [sells]],
    ["cash-out", "nothing", [[], []], [sells]],
    ["cash-out", "refused busy", [[], [refused("busy")]], [sells]],
    ["cash-out", "blocked: it had no final result", [[], [accepted(1)]], [sells]],
    ["cash-out", "transData.cashAmt is missing", [[], [accepted(1), complete]], [sells]],
    [
      "cash-out",
      "transData.invNo is missing",
      [[], [accepted(1), withDetails({ cashAmt: "20.00", invNo: "" })]],
      [sells],
    ],
    ["cash-out", "softwareVersion is missing; terminalSn is missing", [[], [accepted(1), declined]], [sells]],
    ["void", "kept", [[complete], [accepted(1), complete]], voids],
    ["void", "kept", [[complete], [refused("unsupported")]], voids],
    ["void", "refused busy", [[complete], [refused("busy")]], voids],
    ["void", "transData.tid is missing", [[complete], [accepted(1), withDetails({ tid: "" })]], voids],
    ["void", "left-out: the sale was not approved", [[failed]], []],
    ["unknown-members", "kept", [[], [accepted(1)]], ["begin wait"]],
    ["unknown-members", "nothing", [[], []], ["begin wait"]],
    ["deliver-by", "kept", [[], [refused("expired")]], [drafts, deliverBy]],
    ["deliver-by", "accepted", [[], [accepted(1)]], [drafts, deliverBy]],
    ["respond-by-past", "kept", [[], [refused("expired")]], [drafts, respondBy]],
    ["respond-by-past", "kept", [[], [accepted(1), declined]], [drafts, respondBy]],
    ["respond-by-past", "refused busy", [[], [refused("busy")]], [drafts, respondBy]],
    ["respond-by-past", "progress present", [[], [accepted(1), started, declined]], [drafts, respondBy]],
    ["respond-by-past", "result 00 00", [[], [accepted(1), approved]], [drafts, respondBy]],
    ["lower-number", "kept", [[], [refused("expired")]], ["tidy", "draft wait 1000000009", "send {}"]],
    ["lower-number", "refused unknown", [[], [refused("unknown")]], ["tidy", "draft wait 1000000009", "send {}"]],
    ["other-account", "kept", [[], [refused("unbound")]], [drafts, "send {}"]],
    ["other-account", "accepted", [[], [accepted(1)]], [drafts, "send {}"]],
    ["other-merchant", "kept", [[], [refused("unbound")]], [drafts, "send {}"]],
    ["other-merchant", "accepted", [[], [accepted(1)]], [drafts, "send {}"]],
    ["forged", "kept", [[], [null, accepted(1)]], [drafts, forged, "completed", "send {}"]],
    ["forged", "accepted", [[], [accepted(1)]], [drafts, forged, "completed"]],
    ["forged", "refused expired", [[], [null, refused("expired")]], [drafts, forged, "completed", "send {}"]],
    ["unsigned", "kept", [[], []], [drafts, unsigned, "completed"]],
    ["unsigned", "refused expired", [[], [refused("expired")]], [drafts, unsigned, "completed"]],
    ["busy", "kept", [[], [refused("busy")]], [drafts, "send {}"]],
    ["busy", "accepted", [[], [accepted(1)]], [drafts, "send {}"]],
    ["cancel-unknown", "kept", [[], [refused("unknown", 2)]], ["draft wait 1000000099", "cancel"]],
    ["cancel-unknown", "attempt 3", [[], [refused("unknown", 3)]], ["draft wait 1000000099", "cancel"]],
    ["ask-unknown", "kept", [[], [refused("unknown", 3)]], ["draft wait 1000000099", "ask"]],
    ["ask-unknown", "refused expired", [[], [refused("expired", 3)]], ["draft wait 1000000099", "ask"]],
    ["pending", "kept", [[], [accepted(1), pending, approved]], [...pends, "skip", "ask"]],
    ["pending", "refused unknown", [[], [pending, refused("unknown")]], [...pends, "skip", "ask"]],
    ["pending", "nothing", [[], [pending]], [...pends, "skip", "ask"]],
    ["pending", "blocked: a payment had no result (see “accepted”)", [[], [refused("busy")]], ["begin pending"]],
    ["pending", "left-out: no payment stayed pending at the host", [[], [approved]], ["begin pending"]],
    ["rebound", "kept", [[], [accepted(1)], [refused("unbound")]], [...binds, drafts, "send {}", rebinds]],
    ["rebound", "accepted", [[], [accepted(1)], [accepted(1)]], [...binds, drafts, "send {}", rebinds]],
    ["rebound", "refused unbound", [[], [refused("unbound")]], [...binds, rebinds]],
  ])("is judged (%s): %s", async ([name, seen, requests, does], { expect }) => {
    const { scene, did } = asked(...requests);
    expect([said(await run(name, scene)), did]).toEqual([seen, does]);
  });

  it.for<[string, object[]]>([
    [
      "cash-out",
      [{ transType: "cashOut", transData: { transAmt: "10.00", cashAmt: "20.00", paymentMethod: "bankCard" } }],
    ],
    ["void", [{ transType: "void", transId: "1000000010", transData: { transId: "1000000010" } }]],
    ["unknown-members", [{ futureMember: { depth: 2, list: ["a", "ü", 3] } }]],
    ["other-account", [{ posId: "SOMEBODY-ELSE" }]],
    ["other-merchant", [{ merchantId: "SOMEBODY-ELSE" }]],
    ["rebound", [{}, { posId: "KIT-OTHER", merchantId: "KIT-OTHER-M" }]],
  ])("receives what the step is about (%s)", async ([name, changes], { expect }) => {
    const { scene, told } = asked([complete], [accepted(1)], []);
    await run(name, scene);
    expect(told).toEqual(changes);
  });

  it("is not judged by what comes after another step's fault", async ({ expect }) => {
    const blocked = { ok: false, error: { kind: "blocked", why: "no payment" } };
    const { scene } = asked([], [pending]);
    expect(said(await run("pending", { ...scene, atWork: async () => blocked }))).toBe("it was not");
    const leftOut = { ok: false, error: { kind: "left-out", why: "it did not wait" } };
    const again = asked([], [pending]).scene;
    expect(said(await run("pending", { ...again, atWork: async () => leftOut }))).toBe("left-out: it did not wait");
    const ended = { ok: true, value: { work: { ...exchange("1000000010"), final: approved } } };
    const busy = asked([], [refused("busy")]).scene;
    const why = "blocked: the first request ended before the second was answered";
    expect(said(await run("busy", { ...busy, atWork: async () => ended }))).toBe(why);
    const accepts = asked([], [accepted(1)]).scene;
    expect(said(await run("busy", { ...accepts, atWork: async () => ended }))).toBe("accepted");
  });
});
