/** What becomes of a request: by its handler, its time, its cancel and its store. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { TerminalEvent, TerminalResult } from "../../../../../src/sdk/client/terminal.ts";
import { eventually } from "../../../../support/patience.ts";
import { APPROVED, DECLINED, PENDING, ScriptedGateway } from "../../../../support/scripted-gateway.ts";
import { ID, resultOf, SlowStore, STOPPED } from "../../../../support/terminal-outcomes.ts";
import { RESULT_CHARACTERS } from "../../../../../src/sdk/client/terminal/result.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A request in the hands of the handler. */
async function atWork(members: object = {}) {
  const gateway = new ScriptedGateway();
  const { client, connection } = await gateway.connected();
  await connection.request(members);
  await connection.frame("accepted");
  return { gateway, client, connection, work: await gateway.work() };
}

function problemsOf({ events }: ScriptedGateway): string[] {
  return events.flatMap((event) => (event.kind === "handler-failed" ? [String(event.error)] : []));
}

const FAILED_BEFORE = {
  statusCode: "11",
  responseCode: "TERMINAL_ERROR",
  responseText: "The terminal failed before the payment started. Nothing was charged.",
};
const UNDECIDED = {
  statusCode: "22",
  responseCode: "HOST_PENDING",
  responseText: "The host has not answered yet. Ask again with the same referenceId.",
};
/** So long that the whole result has so many characters. */
const filled = (characters: number) => {
  const empty = JSON.stringify({ statusCode: "00", responseCode: "00", responseText: "" });
  return { statusCode: "00", responseCode: "00", responseText: "x".repeat(characters - empty.length) };
};

describe("a handler's outcome", () => {
  const circle: Record<string, unknown> = {};
  circle["again"] = circle;
  const bare = { statusCode: "00", responseCode: "00" };

  it.for<[string, object, object, string | null]>([
    ["everything", { ...APPROVED, responseText: "Approved." }, { ...APPROVED, responseText: "Approved." }, null],
    ["no code", { statusCode: "00" }, { ...bare, responseCode: "" }, null],
    ["a code that is a number", { statusCode: "00", responseCode: 7 }, { ...bare, responseCode: "" }, null],
    ["a long code", { ...bare, responseCode: "c".repeat(33) }, { ...bare, responseCode: "c".repeat(32) }, null],
    [
      "a code that is cut within a character",
      { ...bare, responseCode: `${"c".repeat(31)}😀` },
      { ...bare, responseCode: `${"c".repeat(31)}\u{fffd}` },
      null,
    ],
    ["a text that is a number", { ...bare, responseText: 7 }, bare, null],
    ["details that are a list", { ...bare, transData: [] }, bare, null],
    ["details that are null", { ...bare, transData: null }, bare, null],
    ["details that are a text", { ...bare, transData: "VISA" }, bare, null],
    ["what it writes itself as, a list", { ...bare, toJSON: () => [] }, bare, "toJSON is not an option"],
    ["what it writes itself as, null", { ...bare, toJSON: () => null }, bare, "toJSON is not an option"],
    ["as much as fits", filled(RESULT_CHARACTERS), filled(RESULT_CHARACTERS), null],
    ["more than fits", filled(RESULT_CHARACTERS + 1), bare, "Error: the result is too long"],
    ["a circle", { ...bare, transData: circle }, bare, "Error: the result is not JSON"],
    ["a fraction", { ...bare, transData: { transAmt: 1.5 } }, bare, "Error: transData.transAmt: "],
  ])("arrives as far as it can (%s)", async ([, returned, said, problem], { expect }) => {
    const { gateway, client, connection, work } = await atWork();
    work.end(returned as TerminalResult);
    expect(await resultOf(connection)).toEqual(said);
    expect(problemsOf(gateway)).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
    await client.stop();
  });

  it.for([
    ["no outcome", {}],
    ["another outcome", { statusCode: "33" }],
    ["nothing", undefined],
  ] as [string, object | undefined][])(
    "is a failure, 11 before the host, 22 after it (%s)",
    async ([, returned], { expect }) => {
      for (const isAtHost of [false, true]) {
        const { gateway, client, connection, work } = await atWork();
        if (isAtHost) await work.controls.reachedHost();
        work.end(returned as unknown as TerminalResult);
        expect(await resultOf(connection)).toEqual(isAtHost ? UNDECIDED : FAILED_BEFORE);
        expect(problemsOf(gateway)).toEqual([expect.stringContaining("TypeError: ")]);
        await client.stop();
      }
    },
  );
});

describe("a cancel before the host", () => {
  it("gives the handler a second for an end of its own", async ({ expect }) => {
    const { client, connection, work } = await atWork();
    connection.sendFrame({ type: "cancel", requestId: ID, attempt: 1 });
    await eventually(() => expect(work.controls.signal.reason).toBe("cancelled"));
    await vi.advanceTimersByTimeAsync(999);
    expect(connection.frames.waiting).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await resultOf(connection)).toEqual(STOPPED.cancelled);
    work.end(APPROVED);
    // What it says later is a contradiction.
    await eventually(() => expect(connection.frames.waiting).toEqual([]));
    await client.stop();
  });

  it("is an 11 if the handler says 22", async ({ expect }) => {
    for (const [returned, said] of [
      [PENDING, STOPPED.cancelled],
      [APPROVED, APPROVED],
    ] as const) {
      const { client, connection, work } = await atWork();
      work.controls.signal.addEventListener("abort", () => work.end(returned));
      connection.sendFrame({ type: "cancel", requestId: ID, attempt: 1 });
      expect(await resultOf(connection)).toEqual(said);
      await client.stop();
    }
  });

  it("waits for a result that is just being stored", async ({ expect }) => {
    for (const type of ["cancel", "ask"]) {
      const gateway = new ScriptedGateway();
      const store = new SlowStore();
      const { client, connection } = await gateway.connected({ store });
      await connection.request();
      const work = await gateway.work();
      const saving = store.hold();
      work.end(APPROVED);
      await saving;
      connection.sendFrame({ type, requestId: ID, attempt: 1 });
      connection.sendFrame({ type: "ask", requestId: "1999999999", attempt: 1 });
      await connection.frame("refused");
      expect(connection.frames.waiting.filter((frame) => frame.type === "result")).toEqual([]);
      store.release();
      for (let times = 0; times < 2; times++) expect(await resultOf(connection)).toEqual(APPROVED);
      await client.stop();
    }
  });
});

describe("the time of a request", () => {
  it.for([
    ["deliverBy", 0, true],
    ["deliverBy", -1, false],
    ["respondBy", 1, true],
    ["respondBy", 0, false],
  ] as const)("is over after deliverBy and at respondBy: %s in %i ms", async ([name, left, isAccepted], { expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request({ [name]: Date.now() + left });
    const answer = await connection.frames.take("an answer", ({ type }) => type === "accepted" || type === "refused");
    expect(answer).toMatchObject(isAccepted ? { type: "accepted" } : { type: "refused", reason: "expired" });
    await client.stop();
  });

  it("may run out while it is stored: then it never begins", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const { client, connection } = await gateway.connected({ store });
    const saving = store.hold();
    await connection.request({ respondBy: Date.now() + 100 });
    await saving;
    vi.setSystemTime(Date.now() + 100);
    store.release();
    expect(await resultOf(connection)).toEqual(STOPPED.late);
    expect(gateway.untaken).toEqual([]);
    await client.stop();
  });

  it("closes the way to the host before the handler is informed", async ({ expect }) => {
    const { client, connection, work } = await atWork({ respondBy: Date.now() + 100 });
    vi.setSystemTime(Date.now() + 100);
    await expect(work.controls.reachedHost()).rejects.toMatchObject({
      name: "StoppedError",
      reason: "respond-by",
      message: "the request was stopped before it reached the host: respond-by",
    });
    expect(work.controls.signal.aborted).toBe(false);
    work.fail(new Error("stopped"));
    expect(await resultOf(connection)).toEqual(STOPPED.late);
    await client.stop();
  });

  it("is 22 if it ends at the host, until the handler reports", async ({ expect }) => {
    const { client, connection, work } = await atWork({ respondBy: Date.now() + 1_000 });
    await work.controls.reachedHost();
    await vi.advanceTimersByTimeAsync(999);
    expect([work.controls.signal.aborted, connection.frames.waiting]).toEqual([false, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(work.controls.signal.reason).toBe("respond-by");
    expect(await resultOf(connection)).toEqual(UNDECIDED);
    for (const type of ["cancel", "ask"]) {
      connection.sendFrame({ type, requestId: ID, attempt: 1 });
      expect(await resultOf(connection)).toEqual(UNDECIDED);
    }
    // The way that was passed stays open: what happens there may still be charged.
    await work.controls.reachedHost();
    work.end(DECLINED);
    expect(await resultOf(connection)).toEqual(DECLINED);
    await client.stop();
  });

  it("does not matter any more when it has ended", async ({ expect }) => {
    const { client, connection, work } = await atWork({ respondBy: Date.now() + 1_000 });
    work.end(PENDING);
    expect(await resultOf(connection)).toEqual(PENDING);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([work.controls.signal.aborted, connection.frames.waiting]).toEqual([false, []]);
    await client.stop();
  });
});

describe("a result that cannot be stored", () => {
  it("is stored later, after growing waits, and sent only then", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const { client, connection } = await gateway.connected({ store, random: () => 0.5 });
    await connection.request();
    const work = await gateway.work();
    const from = store.saves;
    store.failing = true;
    work.end(APPROVED);
    await eventually(() => expect(store.saves).toBe(from + 1));
    for (const [index, wait] of [500, 1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(store.saves).toBe(from + 1 + index);
      await vi.advanceTimersByTimeAsync(1);
      expect(store.saves).toBe(from + 2 + index);
    }
    expect(connection.frames.waiting.filter(({ type }) => type === "result")).toEqual([]);
    const failed = { kind: "memory-failed", error: expect.any(Error) };
    expect(gateway.events.filter(({ kind }) => kind === "memory-failed")).toEqual(
      Array.from({ length: 7 }, () => failed),
    );
    store.failing = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await resultOf(connection)).toEqual(APPROVED);
    await client.stop();
  });
});

it("reports a conflict only for another outcome, not a repeated one", async ({ expect }) => {
  const { gateway, client, connection, work } = await atWork();
  work.end(APPROVED);
  await connection.frame("result");
  const before: TerminalEvent[] = [...gateway.events];
  for (const result of [APPROVED, PENDING]) await client.report(ID, result);
  await client.report("1000000009", DECLINED);
  expect(gateway.events).toEqual(before);
  expect(connection.frames.waiting).toEqual([]);
  await client.report(ID, DECLINED);
  expect(gateway.events.slice(before.length)).toEqual([{ kind: "contradiction", requestId: ID, statusCode: "11" }]);
  await client.stop();
});
