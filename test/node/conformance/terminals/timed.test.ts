/**
 * What the steps that wait say of a terminal, with everything it sends and when: a line for each thing that they can see. No
 * time passes.
 */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { TERMINAL_STEPS } from "../../../../src/conformance/terminal/kit.ts";
import { textOf } from "../../../../src/conformance/message.ts";
import type { Verdict } from "../../../../src/conformance/step.ts";
import { TerminalScene } from "../../../../src/conformance/terminal/scene.ts";
import { UNBOUND } from "../../../../src/conformance/terminal/counterpart.ts";
import { now } from "../../../../src/conformance/times.ts";
import type { JsonObject } from "../../../../src/signing/json.ts";
import { withSignature } from "../../../../src/signing/signature.ts";
import { formatDatetime } from "../../../../src/time/datetime.ts";

const KEPT: Verdict = { kind: "kept" };
const SECRET = "a secret of the kit's test";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: Date.UTC(2026, 0, 2, 3, 4, 5) });
});

afterEach(() => {
  vi.useRealTimers();
});

interface Query {
  from?: number;
  wanted?: (item: never) => boolean;
  within?: number;
}

/** What has come, and comes; it is not waited for. */
class Played<Item extends object> {
  readonly items: Item[];
  /** How long the step would have waited. */
  readonly waits: (number | undefined)[] = [];

  constructor(...items: Item[]) {
    this.items = items;
  }

  async next({ from = 0, wanted = () => true, within }: Query): Promise<{ item: Item; index: number } | null> {
    this.waits.push(within);
    const index = this.items.findIndex((one, place) => place >= from && wanted(one as never));
    const item = this.items[index];
    return item === undefined ? null : { item, index };
  }
}

function run(name: string, scene: object): Promise<Verdict> {
  const step = TERMINAL_STEPS.find((one) => one.name === name);
  if (step === undefined) throw new Error(`there is no step ${name}`);
  return step.run(scene as TerminalScene);
}

const PATIENCE = {
  start: 7,
  answer: 4_000,
  payment: 5_000,
  reconnect: 20_000,
  silence: 500,
  outage: 1,
  bind: 3_000,
  restart: 90_000,
};

/** What a verdict says is seen, `kept`, or why there is none. */
function said(verdict: Verdict): string {
  if (verdict.kind === "broken") return verdict.seen;
  return verdict.kind === "kept" ? "kept" : `${verdict.kind}: ${verdict.why}`;
}

const text = (at: number, what: string, connection = 1) => ({ at, text: what, connection, frame: null });
const frame = (members: JsonObject, more: object = {}) => ({
  at: 0,
  text: "{}",
  connection: 1,
  frame: members,
  ...more,
});
const result = (members: JsonObject = {}, at = 0) =>
  frame(
    withSignature(
      { type: "result", requestId: "1000000001", statusCode: "00", responseCode: "00", ...members },
      SECRET,
    ),
    { at },
  );
const hello = (memory = "m", ...open: string[]) => frame({ type: "hello", memory, open });

describe("the heartbeat", () => {
  it.for<[string, ReturnType<typeof text>[]]>([
    ["kept", [text(1_000, "ping"), text(2_000, "ping")]],
    ["kept", [text(2_500, "ping"), text(5_000, "ping")]],
    ["none within 2.5 s", []],
    ["none within 2.5 s", [text(1_000, "ping")]],
    ["none within 2.5 s", [text(1_000, "ping", 2), text(2_000, "pong"), text(2_000, "ping", 2)]],
    ["one after 2.6 s", [text(2_600, "ping"), text(3_600, "ping")]],
    ["one after 2.6 s", [text(1_000, "ping"), text(3_600, "ping")]],
  ])("%s", async ([seen, items], { expect }) => {
    const heard = new Played(...items);
    const line = { number: 1, hello: { at: 0 } };
    const counterpart = { heartbeatSeconds: 1, heard };
    const verdict = await run("heartbeat", { options: { counterpart, patience: PATIENCE }, line: async () => line });
    expect(said(verdict)).toBe(seen);
    // The first is counted from the hello, which is a moment ago.
    expect(heard.waits).toEqual([2_500, 2_500].slice(0, heard.waits.length));
    if (verdict.kind === "broken") expect(verdict.expected).toBe("ping every 1 s");
  });

  it("is waited for from the hello on, and no less than nothing", async ({ expect }) => {
    for (const [passed, left] of [
      [1_000, 1_500],
      [9_000, 0],
    ] as const) {
      const heard = new Played();
      const line = { number: 1, hello: { at: performance.now() } };
      vi.advanceTimersByTime(passed);
      await run("heartbeat", {
        options: { counterpart: { heartbeatSeconds: 1, heard }, patience: PATIENCE },
        line: async () => line,
      });
      expect(heard.waits).toEqual([left]);
    }
  });

  it.for<[string, object[]]>([
    ["kept", [text(0, "pong")]],
    ["none", [text(0, "ping")]],
    ["none", []],
  ])("is answered: %s", async ([seen, answers], { expect }) => {
    // An earlier answer does not count.
    const heard = new Played<object>(text(0, "pong"));
    const line = { sendText: (what: string) => what === "ping" && heard.items.push(...answers) };
    const verdict = await run("pong", {
      options: { counterpart: { heard }, patience: PATIENCE },
      line: async () => line,
    });
    expect([said(verdict), heard.waits]).toEqual([seen, [2_000]]);
  });

  it.for([
    ["kept", { number: 2 }, null],
    ["the same one, after 25 s without any answer", null, null],
    ["blocked: it closed the connection, but did not come back", null, { at: 0, code: 1000 }],
    ["kept", { number: 2 }, { at: 0, code: 1000 }],
  ] as const)("that nobody answers ends: %s", async ([seen, next, ended], { expect }) => {
    const line = { number: 1, answersPings: true, ended };
    const counterpart = { heartbeatSeconds: 1 };
    const asked: unknown[] = [];
    const verdict = await run("gives-up", {
      options: { counterpart, patience: PATIENCE },
      line: async () => line,
      lineAfter: async (number: number, within: number) => {
        asked.push(number, within, line.answersPings, counterpart.heartbeatSeconds);
        return next;
      },
    });
    expect(said(verdict)).toBe(seen);
    expect([asked, line.answersPings]).toEqual([[1, 25_000, false, 30], true]);
  });
});

describe("a terminal that is sent away", () => {
  it.for<[string, object[]]>([
    [
      "kept",
      [
        { status: 429, at: 50 },
        { status: 200, at: 3_050 },
      ],
    ],
    [
      "kept",
      [
        { status: 429, at: 0 },
        { status: 200, at: 2_900 },
      ],
    ],
    [
      "a login after 2.9 s",
      [
        { status: 429, at: 0 },
        { status: 200, at: 2_899 },
      ],
    ],
    [
      "a login after 0 ms",
      [
        { status: 503, at: 0 },
        { status: 429, at: 0 },
        { status: 200, at: 0 },
        { status: 200, at: 9_000 },
      ],
    ],
    ["none within 23 s", [{ status: 429, at: 0 }]],
    ["blocked: it did not log in again after the connection was cut (see “reconnects”)", [{ status: 200, at: 0 }]],
  ])("with a Retry-After of three seconds: %s", async ([seen, comes], { expect }) => {
    const logins = new Played<object>({ status: 429, at: 0 });
    const did: unknown[] = [];
    const counterpart = { logins, failure: null, revokeTokens: () => did.push("revoked") };
    const line = {
      cut: () => {
        did.push("cut", counterpart.failure);
        logins.items.push(...comes);
      },
    };
    const verdict = await run("retry-after", { options: { counterpart, patience: PATIENCE }, line: async () => line });
    expect(said(verdict)).toBe(seen);
    expect([did, counterpart.failure, logins.waits[0], logins.waits[1] ?? 23_000]).toEqual([
      ["revoked", "cut", 429],
      null,
      20_000,
      23_000,
    ]);
  });

  it.for([
    ["kept", 5, 6, {}],
    ["kept", 11, 0, {}],
    ["12 attempts", 6, 6, {}],
    ["12 attempts", 0, 12, null],
    ["none", 3, 3, null],
  ] as const)("while the gateway is down: %s", async ([seen, tries, connections, next], { expect }) => {
    const [logins, connects] = [new Played<object>({}), new Played<object>({})];
    const counterpart = { logins, connects, failure: null };
    const asked: unknown[] = [];
    const line = {
      number: 3,
      cut: () => {
        asked.push(counterpart.failure);
        for (let times = 0; times < tries; times++) logins.items.push({});
        for (let times = 0; times < connections; times++) connects.items.push({});
      },
    };
    const verdict = await run("backs-off", {
      options: { counterpart, patience: PATIENCE },
      line: async () => line,
      lineAfter: async (number: number, within: number) => {
        asked.push(counterpart.failure, number, within);
        return next;
      },
    });
    expect([said(verdict), asked]).toEqual([seen, [503, null, 3, 80_000]]);
  });

  it.for<[string, number[]]>([
    ["left-out: it reconnected only 3 times", [1, 2, 3]],
    ["4 waits, all between 100 ms and 125 ms", [100, 100, 125, 110]],
    ["kept", [100, 100, 126, 110]],
    ["4 waits, all between 9 s and 10 s", [10_000, 9_000, 9_500, 9_500]],
    ["kept", [10_000, 8_999, 9_500, 9_500]],
  ])("each time after another wait: %s", async ([seen, returns], { expect }) => {
    expect(said(await run("spread", { options: {}, returns }))).toBe(seen);
  });

  it.for<[string, number | null, number | null, boolean | null]>([
    ["kept", 59_900, null, true],
    ["kept", null, 60_000, null],
    ["none", 60_000, null, false],
    ["it reconnected after 59 s", 59_899, null, true],
    ["it reconnected after 0 ms", null, 0, true],
    ["none", null, null, true],
  ])("by another one that took its place: %s", async ([seen, connects, logins, isTold], { expect }) => {
    const played = (at: number | null) => {
      const log = new Played<object>({ at: 0 });
      const comes = { at: performance.now() + (at ?? 0) };
      // What does not come is not waited for.
      return {
        items: log.items,
        next: (query: Query) =>
          at === null && connects !== logins
            ? new Promise(() => undefined)
            : (log.items.push(...(at === null ? [] : [comes])), log.next(query)),
      };
    };
    const closed: unknown[] = [];
    const scene = (patient: boolean) => ({
      options: {
        counterpart: { connects: played(connects), logins: played(logins) },
        tester: { confirm: async () => isTold },
        patience: PATIENCE,
        patient,
      },
      line: async () => ({ close: (code: number) => closed.push(code) }),
    });
    expect(said(await run("replaced", scene(true)))).toBe(seen);
    expect(closed).toEqual([4001]);
    expect(said(await run("replaced", scene(false)))).toBe("left-out: it takes more than a minute (use --patient)");
  });

  it.for([
    ["kept", {}],
    ["none within 20 s", null],
  ] as const)("comes back: %s", async ([seen, next], { expect }) => {
    const codes: unknown[] = [];
    const verdict = await run("reconnects", {
      options: { counterpart: {}, patience: PATIENCE },
      line: async () => ({}),
      cutAndReturn: async (_: unknown, code: number) => {
        codes.push(code);
        return next;
      },
    });
    expect([said(verdict), codes]).toEqual([seen, [4004]]);
  });
});

type Sent = ReturnType<typeof frame>;

/** An exchange about a request, to which these frames come. */
function exchange(requestId: string, ...comes: (Sent | null)[]) {
  const waits: unknown[] = [];
  const did: string[] = [];
  return {
    requestId,
    request: { requestId, referenceId: `R-${requestId}` },
    waits,
    did,
    attempt: 1,
    respondBy: now() + 3_000,
    abandoned: false,
    final: undefined,
    all: [] as object[],
    next: async (within: number, ...types: string[]) => {
      waits.push(within);
      const isWanted = (one: Sent | null) => types.length === 0 || types.includes(textOf(one?.frame, "type"));
      while (comes[0] !== undefined && comes[0] !== null && !isWanted(comes[0])) comes.shift();
      return comes.shift() ?? null;
    },
    outcome: async () => comes.shift() ?? null,
    send: (_: unknown, changes: object = {}) => did.push(`send ${JSON.stringify(changes)}`),
    cancel: () => did.push("cancel"),
    ask: () => did.push("ask"),
    skip: () => did.push("skip"),
    acknowledge: (_: unknown, status: string) => did.push(`ack ${status}`),
  };
}

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

describe("a result whose signature is refused", () => {
  const forged = { ...result(), frame: { ...result().frame, responseCode: "05" } };

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

describe("a terminal that is asked, or asked again", () => {
  const accepted = (attempt: number) => frame({ type: "accepted", attempt });
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

describe("a terminal whose connection is cut", () => {
  const ID = "1000000001";
  const refused = (reason: string) => frame({ type: "refused", reason });
  const away = "blocked: the terminal did not come back after the connection was cut (see “reconnects”)";

  /** `open`: of the next hello; null: it does not come back. `comes`: about the request; `all`: what ever came about it. */
  interface Cut {
    open?: string[] | null;
    comes?: (Sent | null)[];
    all?: object[];
  }

  it.for<[string, string, Cut, string[]]>([
    ["stored", "kept", { open: ["1", ID] }, []],
    ["stored", "an empty open", { open: [] }, []],
    ["stored", "open with 1 others", { open: ["1"] }, []],
    ["stored", away, { open: null }, []],
    ["barrier", "kept", { open: [ID], comes: [frame({ type: "accepted" })] }, ["send {}"]],
    ["barrier", "kept", { open: ["1"] }, ["send {}"]],
    ["barrier", "accepted", { open: [], comes: [frame({ type: "accepted" })] }, ["send {}"]],
    ["barrier", away, { open: null }, ["send {}"]],
    ["result-kept", "kept", { open: [ID], comes: [result()] }, []],
    ["result-kept", "an empty open", { open: [], comes: [result()] }, []],
    ["result-kept", "none within 4 s", { open: [ID] }, []],
    [
      "result-kept",
      "another result: result 11 00, with other details",
      { open: [ID], comes: [result({ statusCode: "11" })] },
      [],
    ],
    ["ack-forgets", "kept", { open: [], all: [result()] }, ["ack 00"]],
    ["ack-forgets", "it is listed in open", { open: [ID] }, ["ack 00"]],
    ["ack-forgets", "result 00 00", { open: [], all: [result(), { ...result(), connection: 2 }] }, ["ack 00"]],
    ["ack-forgets", away, { open: null }, ["ack 00"]],
    ["never-again", "kept", { comes: [refused("expired")] }, ["ack 00", "skip", "send {}"]],
    ["never-again", "refused busy", { comes: [refused("busy")] }, ["ack 00", "skip", "send {}"]],
    [
      "never-again",
      "accepted expired",
      { comes: [frame({ type: "accepted", reason: "expired" })] },
      ["ack 00", "skip", "send {}"],
    ],
    ["never-again", "nothing", {}, ["ack 00", "skip", "send {}"]],
    ["other-ack", "kept", { open: [ID], comes: [result()] }, ["ack 22"]],
    ["other-ack", "an empty open", { open: [] }, ["ack 22"]],
    ["ack-22", "kept", { open: [ID], comes: [result({ statusCode: "22" })] }, ["ask", "ack 22"]],
    ["ack-22", "an empty open", { open: [], comes: [result({ statusCode: "22" })] }, ["ask", "ack 22"]],
    ["ack-22", "blocked: it did not answer ask with 22 (see “ask”)", { comes: [result()] }, ["ask"]],
    ["unknown-request", "kept", { open: ["1"] }, ["unknown_request", "abandoned"]],
    ["unknown-request", "it is listed in open", { open: [ID] }, ["unknown_request"]],
  ])("(%s) does what it must: %s", async ([name, seen, does, did], { expect }) => {
    const { open = [], comes = [], all = [] } = does;
    const one = { ...exchange(ID, ...comes), all };
    const line = {
      number: 1,
      send: (told: JsonObject) => one.did.push(told["requestId"] === ID ? textOf(told, "code") : "?"),
    };
    const made = { exchange: one, result: result(), work: one };
    const verdict = await run(name, {
      options: { patience: PATIENCE, counterpart: { secret: SECRET } },
      line: async () => line,
      concluded: async () => ({ ok: true, value: made }),
      atWork: async () => ({ ok: true, value: made }),
      draft: () => one,
      completed: async () => undefined,
      cutAndReturn: async () => (open === null ? null : { number: 2, hello: hello("m", ...open) }),
    });
    expect(said(verdict)).toBe(seen);
    expect([...one.did, ...(one.abandoned ? ["abandoned"] : [])]).toEqual(did);
  });
});

const at = (offset: number) => formatDatetime(now() + offset);
const connect = (token: string, query = "") => ({ at: 0, query, protocols: ["pos-terminal.v1"], token });

describe("a terminal that connects", () => {
  const login = (changes: JsonObject = {}, more: object = {}) => ({
    at: 0,
    body: withSignature({ terminalId: "T-1", datetime: at(0), ...changes }, SECRET),
    signatureHolds: true,
    status: 200,
    query: "",
    ...more,
  });

  it.for<[string, () => object | null, boolean]>([
    ["kept", () => login(), false],
    ["nothing within 7 ms", () => null, true],
    ["the URL has a query; a login belongs in the body", () => login({}, { query: "a=b" }), false],
    ["terminalId must be T-1", () => login({ terminalId: "T-2" }), false],
  ])("logs in: %s", async ([seen, first, isHopeless], { expect }) => {
    const one = first();
    const scene = {
      hopeless: null as string | null,
      options: {
        counterpart: { secret: SECRET, logins: new Played(...(one === null ? [] : [one])) },
        patience: PATIENCE,
        terminalId: "T-1",
      },
    };
    expect(said(await run("login", scene))).toBe(seen);
    expect(scene.hopeless).toBe(isHopeless ? "the terminal did not log in" : null);
  });

  it.for<[string, () => object[]]>([
    ["blocked: the terminal did not log in (see “login”)", () => []],
    ["left-out: its first login had the right time, or no time", () => [login()]],
    ["no other login within 20 s", () => [login({}, { status: 400 })]],
    ["kept", () => [login({}, { status: 400 }), login()]],
    ["kept", () => [login({}, { status: 400 }), login({ datetime: at(-15 * 60_000) })]],
    ["a login that is 15 min off", () => [login({}, { status: 400 }), login({ datetime: at(-15 * 60_000 - 1_000) })]],
    ["a login without a datetime", () => [login({}, { status: 400 }), login({ datetime: "now" })]],
  ])("takes the gateway's time: %s", async ([seen, logins], { expect }) => {
    const counterpart = { logins: new Played(...logins()) };
    expect(said(await run("login-clock", { options: { counterpart, patience: PATIENCE } }))).toBe(seen);
  });

  it.for<[string, number, object[]]>([
    ["blocked: the terminal did not log in (see “login”)", 0, []],
    ["none", 1, []],
    ["kept", 1, [connect("protocol"), connect("url")]],
    ["the token is in the URL", 1, [connect("url", "t=1")]],
  ])("opens its WebSocket: %s", async ([seen, logins, connects], { expect }) => {
    const counterpart = { logins: { items: Array.from({ length: logins }) }, connects: new Played(...connects) };
    expect(said(await run("connect", { options: { counterpart, patience: PATIENCE } }))).toBe(seen);
  });

  const whole: JsonObject = { type: "hello", nonce: "n", softwareVersion: "1", terminalSn: "S", memory: "m", open: [] };

  it.for<[string, { connects?: object[]; took?: number; before?: object; is?: JsonObject | null }, string | null]>([
    ["kept", {}, null],
    ["kept", { took: 10_000, before: text(0, "ping") }, null],
    ["kept", { before: text(0, "pong", 2) }, null],
    ["it arrived after 10 s", { took: 10_001 }, null],
    ["before it: “pong”", { before: text(0, "pong") }, null],
    ["memory is missing", { is: { ...whole, memory: "" } }, null],
    ["blocked: the terminal did not open its WebSocket (see “connect”)", { connects: [connect("nowhere")] }, null],
    ["nothing", { is: null }, "the terminal did not send hello"],
  ])("answers welcome: %s", async ([seen, does, hopeless], { expect }) => {
    const { connects = [connect("nowhere"), connect("authorization")], took = 0, before, is = whole } = does;
    const sent = frame(is ?? {}, { at: took });
    const heard = is === null ? [] : [...(before === undefined ? [] : [before]), sent];
    const greeted = new Played(...(is === null ? [] : [{ hello: sent, openedAt: 0, number: 1 }]));
    const scene = {
      hopeless: null as string | null,
      options: {
        counterpart: { connects: new Played(...connects), greeted, heard: { items: heard } },
        patience: PATIENCE,
      },
    };
    expect(said(await run("hello", scene))).toBe(seen);
    expect(scene.hopeless).toBe(hopeless);
    if (greeted.waits.length > 0) expect(greeted.waits).toEqual([10_500]);
  });

  it.for<[string, string, JsonObject, boolean, string | null]>([
    ["hello-nonce", "kept", whole, true, null],
    ["hello-nonce", "another nonce, or none", { ...whole, nonce: "other" }, true, null],
    ["hello-signature", "kept", withSignature(whole, SECRET), false, null],
    ["hello-signature", "there is no signature", whole, true, null],
    [
      "hello-signature",
      "there is no signature",
      whole,
      false,
      "neither login nor hello is signed with this secret: fix that first",
    ],
  ])("(%s) proves who it is: %s", async ([name, seen, is, signatureHolds, hopeless], { expect }) => {
    const greeted = new Played({ hello: frame(is), nonce: "n" });
    const logins = { items: [{ signatureHolds: false }, { signatureHolds }] };
    const scene = {
      hopeless: null as string | null,
      options: { counterpart: { greeted, logins, secret: SECRET }, patience: PATIENCE },
    };
    expect([said(await run(name, scene)), scene.hopeless]).toEqual([seen, hopeless]);
    const nobody = { options: { counterpart: { greeted: new Played(), logins, secret: SECRET }, patience: PATIENCE } };
    expect(said(await run(name, nobody))).toBe("blocked: there was no hello (see “hello”)");
  });

  it.for<[string, object | null, object, Sent | null]>([
    ["kept", {}, UNBOUND, frame({ type: "refused", reason: "unbound", attempt: 1 })],
    ["accepted", {}, UNBOUND, frame({ type: "accepted" })],
    ["left-out: it was bound before it connected", {}, { posId: "POS-1" }, null],
    ["blocked: the terminal did not open its WebSocket (see “connect”)", null, UNBOUND, null],
  ])("works for nobody while it is unbound: %s", async ([seen, line, binding, answer], { expect }) => {
    const did: string[] = [];
    const counterpart = { binding, letBind: () => did.push("may bind") };
    const verdict = await run("unbound", {
      options: { counterpart, patience: PATIENCE },
      lineAfter: async () => line,
      draft: () => exchange("1", answer),
    });
    expect([said(verdict), did]).toEqual([seen, answer === null ? [] : ["may bind"]]);
  });

  it.for<[string, (() => object) | null]>([
    ["kept", () => ({})],
    ["left-out: no call within 3 s; the kit bound the terminal", null],
    ["another token, or none", () => ({ tokenHolds: false, status: 401 })],
    ["another key", () => ({ status: 400 })],
    ["datetime is 20 min off", () => ({ skew: 20 * 60_000 })],
  ])("binds itself: %s", async ([seen, changes], { expect }) => {
    const did: string[] = [];
    const call = () => ({
      at: 0,
      body: withSignature({ key: "K", datetime: at(0) }, SECRET),
      tokenHolds: true,
      skew: 0,
      status: 200,
    });
    const counterpart = {
      secret: SECRET,
      letBind: () => did.push("may bind"),
      binds: new Played(...(changes === null ? [] : [{ ...call(), ...changes() }])),
    };
    const tester = { tell: (what: string) => did.push(what) };
    const verdict = await run("bind", { options: { counterpart, patience: PATIENCE, tester, bindKey: "TESTKEYS" } });
    expect([said(verdict), did]).toEqual([seen, ["may bind", "At the terminal: bind it with the key TEST-KEYS."]]);
  });
});

const failed = async () => ({ ok: false, error: { kind: "blocked", why: "no payment" } });
const progress = (stage: string) => frame({ type: "progress", stage });
const begin = (...comes: Sent[]) => ({ begin: () => exchange("1000000001", ...comes) });

describe("a terminal that is restarted", () => {
  interface Restart {
    before?: ReturnType<typeof hello>;
    after?: ReturnType<typeof hello> | null;
    ofEnded?: Sent | null;
    ofCutOff?: object[];
    ofLower?: Sent | null;
  }
  const refused = frame({ type: "refused", reason: "expired", attempt: 1 });
  const again = (members: JsonObject, connection = 2) => frame({ requestId: "1000000002", ...members }, { connection });
  const cancelled = again({ type: "result", statusCode: "11", responseCode: "RESTARTED" });

  function scene(does: Restart, more: object = {}) {
    const { before = hello(), after = hello("m", "1000000001", "1000000002"), ofEnded = result() } = does;
    const { ofCutOff = [again({ type: "accepted" }, 1), cancelled], ofLower = refused } = does;
    const ended = exchange("1000000001", ofEnded);
    const cutOff = { ...exchange("1000000002"), all: ofCutOff };
    const lower: unknown[] = [];
    return {
      lower,
      options: { restart: async () => undefined, patience: PATIENCE, counterpart: { secret: SECRET } },
      line: async () => ({ number: 1, hello: before }),
      lineAfter: async (number: number) => (after === null || number !== 1 ? null : { number: 2, hello: after }),
      concluded: async () => ({ ok: true, value: { exchange: ended, result: result() } }),
      atWork: async () => ({ ok: true, value: { work: cutOff } }),
      draft: (wish: string, changes: object, requestId: string) => {
        lower.push([wish, changes, requestId]);
        return exchange(requestId, ofLower);
      },
      ...more,
    };
  }

  it.for<[string, string, Restart]>([
    ["restart-memory", "kept", {}],
    ["restart-memory", "another memory", { after: hello("n", "1000000001", "1000000002") }],
    ["restart-memory", "1 of them missing", { after: hello("m", "1000000002") }],
    ["restart-memory", "2 of them missing", { after: hello("m") }],
    ["restart-result", "kept", {}],
    ["restart-result", "none within 4 s", { ofEnded: null }],
    ["restart-result", "another result: result 11 00, with other details", { ofEnded: result({ statusCode: "11" }) }],
    [
      "restart-result",
      "there is no signature",
      { ofEnded: frame({ type: "result", statusCode: "00", responseCode: "00" }) },
    ],
    ["restart-before-card", "kept", {}],
    ["restart-before-card", "nothing", { ofCutOff: [] }],
    ["restart-before-card", "result 00", { ofCutOff: [again({ type: "result", statusCode: "00" })] }],
    ["restart-before-card", "result 22", { ofCutOff: [again({ type: "result", statusCode: "22" })] }],
    [
      "restart-before-card",
      "progress present",
      { ofCutOff: [again({ type: "progress", stage: "present" }), cancelled] },
    ],
    ["restart-before-card", "accepted", { ofCutOff: [cancelled, again({ type: "accepted" })] }],
    ["restart-number", "kept", {}],
    ["restart-number", "accepted", { ofLower: frame({ type: "accepted" }) }],
    ["restart-number", "blocked: the terminal did not come back after its restart", { after: null }],
  ])("(%s): %s", async ([name, seen, does], { expect }) => {
    const played = scene(does);
    expect(said(await run(name, played))).toBe(seen);
    if (does.after !== null) expect(played.lower).toEqual([["wait", {}, "1000000001"]]);
  });

  it.for(["restart-memory", "restart-at-host"])(
    "is not judged (%s) if nobody can restart it, or it is away",
    async (name, { expect }) => {
      const nobody = { options: { restart: null, patience: PATIENCE } };
      expect(said(await run(name, scene({}, nobody)))).toMatch(/^left-out: nobody is there to restart the terminal/u);
      expect(said(await run(name, scene({}, { line: async () => null })))).toBe(
        "blocked: the terminal is not connected",
      );
    },
  );

  it("is not judged if a payment before it fails", async ({ expect }) => {
    expect(said(await run("restart-memory", scene({}, { concluded: failed })))).toBe("blocked: no payment");
    expect(said(await run("restart-memory", scene({}, { atWork: failed })))).toBe("blocked: no payment");
  });

  it("is restarted once for all these steps", async ({ expect }) => {
    let restarts = 0;
    const options = { patience: PATIENCE, counterpart: { secret: SECRET }, restart: async () => void (restarts += 1) };
    const played = scene({}, { options });
    for (const name of ["restart-memory", "restart-result", "restart-before-card", "restart-number"]) {
      expect(await run(name, played)).toEqual(KEPT);
    }
    expect(restarts).toBe(1);
  });

  it("at its host is not judged if it does not say when it is there, or does not come back", async ({ expect }) => {
    const unseen = scene({}, begin(progress("pin"), result(), progress("authorising")));
    expect(said(await run("restart-at-host", unseen))).toMatch(/^left-out: it sends no stage “authorising”/u);
    const away = scene({ after: null }, begin(progress("authorising")));
    expect(said(await run("restart-at-host", away))).toBe("blocked: the terminal did not come back after its restart");
  });
});
