/** What the steps about connections that end say of a terminal, with all that it sends and when. No time passes. */
import { describe, it, vi } from "vitest";
import { PATIENCE, Played, type Query, run, said, text, useStoppedClock } from "./played.ts";

useStoppedClock();

describe("the heartbeat", () => {
  it.for<[string, ReturnType<typeof text>[]]>([
    ["kept", [text(1_000, "ping"), text(2_000, "ping")]],
    ["kept", [text(2_500, "ping"), text(5_000, "ping")]],
    ["none within 2.5 s", []],
    ["none within 2.5 s", [text(1_000, "ping")]],
    ["none within 2.5 s", [text(1_000, "ping", 2), text(1_000, "pong"), text(2_000, "pong")]],
    ["one after 2.6 s", [text(2_600, "ping"), text(3_600, "ping")]],
    ["one after 2.6 s", [text(1_000, "ping"), text(3_600, "ping")]],
  ])("is judged: %s", async ([seen, items], { expect }) => {
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
  ] as const)("ends the connection if nobody answers: %s", async ([seen, next, ended], { expect }) => {
    const line = { number: 1, answersPings: true, ended };
    const counterpart = { heartbeatSeconds: 1 };
    const asked: unknown[] = [];
    const verdict = await run("gives-up", {
      options: { counterpart, patience: PATIENCE },
      line: async () => line,
      lineAfter: async (number: number, within: number) => {
        asked.push(number, within, line.answersPings);
        return next;
      },
    });
    expect(said(verdict)).toBe(seen);
    expect([asked, line.answersPings]).toEqual([[1, 25_000, false], true]);
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
        { status: 429, at: 5_000 },
        { status: 200, at: 5_000 },
        { status: 200, at: 9_000 },
      ],
    ],
    ["none within 23 s", [{ status: 429, at: 0 }]],
    ["blocked: it did not log in again after the connection was cut (see “reconnects”)", [{ status: 200, at: 0 }]],
  ])("respects a Retry-After of three seconds: %s", async ([seen, comes], { expect }) => {
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
      40_000,
      23_000,
    ]);
  });

  it.for([
    ["kept", 11, 11, {}],
    ["kept", 22, 0, {}],
    ["23 attempts", 11, 12, {}],
    ["23 attempts", 0, 23, null],
    ["none", 3, 3, null],
  ] as const)("backs off while the gateway is down: %s", async ([seen, tries, connections, next], { expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const [logins, connects] = [new Played<object>({}), new Played<object>({})];
    const counterpart = { logins, connects, failure: null };
    const asked: unknown[] = [];
    const line = {
      number: 3,
      cut: () => {
        asked.push(counterpart.failure);
        // As many as come within six seconds.
        setTimeout(() => {
          for (let times = 0; times < tries; times++) logins.items.push({});
          for (let times = 0; times < connections; times++) connects.items.push({});
        }, 5_999);
      },
    };
    const judged = run("backs-off", {
      options: { counterpart, patience: PATIENCE },
      line: async () => line,
      lineAfter: async (number: number, within: number) => {
        asked.push(counterpart.failure, number, within);
        return next;
      },
    });
    await vi.advanceTimersByTimeAsync(6_000);
    const verdict = await judged;
    expect([said(verdict), asked]).toEqual([seen, [503, null, 3, 80_000]]);
    if (seen === "23 attempts") expect(verdict).toMatchObject({ expected: "at most 22 attempts within 6 s" });
  });

  it.for<[string, number[]]>([
    ["left-out: it reconnected only 3 times", [1, 2, 3]],
    ["4 waits, all between 100 ms and 125 ms", [100, 100, 125, 110]],
    ["kept", [100, 100, 126, 110]],
    ["4 waits, all between 9 s and 10 s", [10_000, 9_000, 9_500, 9_500]],
    ["kept", [10_000, 8_999, 9_500, 9_500]],
  ])("waits for another time on each attempt: %s", async ([seen, returns], { expect }) => {
    expect(said(await run("spread", { options: {}, returns }))).toBe(seen);
  });

  it.for<[string, number | null, number | null, boolean | null]>([
    ["kept", 59_900, null, true],
    ["kept", null, 60_000, null],
    ["none", 60_000, null, false],
    ["it reconnected after 59 s", 59_899, null, true],
    ["it reconnected after 0 ms", null, 0, true],
    ["none", null, null, true],
  ])("stays away if another one took its place: %s", async ([seen, connects, logins, isReported], { expect }) => {
    vi.advanceTimersByTime(1_000);
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
        tester: { confirm: async () => isReported },
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
