/** When a POS's client asks for events again, how long it waits for them, and when it gives up. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { EventsOptions } from "../../../../../src/sdk/client/pos.ts";
import { refused, ScriptedPos } from "./scripted.ts";

const SECOND = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function page(from: number, count: number, more: object = {}): Response {
  const data = Array.from({ length: count }, (_, index) => ({
    number: from + index,
    type: "transaction.completed",
    data: {},
  }));
  return Response.json({ data, next: from + count - 1, ...more });
}

/** Reads everything that comes: the numbers so far, and the end. */
function reading(pos: ScriptedPos, options: EventsOptions) {
  const read: number[] = [];
  const problems: (string | null)[] = [];
  const skipped: number[] = [];
  const work = async (): Promise<string> => {
    const { onProblem, onSkipped } = {
      onProblem: (problem: { kind: string } | null) => problems.push(problem?.kind ?? null),
      onSkipped: (count: number) => skipped.push(count),
    };
    for await (const { number } of pos.client.events({ onProblem, onSkipped, ...options })) read.push(number);
    return "done";
  };
  const end = work().catch((error: unknown) => String(error));
  return { read, problems, skipped, end };
}

describe("a reader of events", () => {
  it.for<[string, EventsOptions, Response, number]>([
    ["at once after a full page", { after: 0 }, page(1, 100), 0],
    ["a moment after some events", { after: 0 }, page(1, 99), 250],
    ["a while after none", { after: 0 }, page(1, 0), 5 * SECOND],
    ["at once when it has learned where to begin", {}, page(1, 0), 0],
  ])("asks again %s, counted from when it asked", async ([, options, first, wait], { expect }) => {
    const pos = new ScriptedPos();
    const stopping = new AbortController();
    const { end } = reading(pos, { ...options, signal: stopping.signal });
    const call = await pos.call();
    const took = Math.min(100, wait);
    await vi.advanceTimersByTimeAsync(took);
    call.answer(first);
    await vi.advanceTimersByTimeAsync(Math.max(0, wait - took - 1));
    if (wait > 0) expect(pos.calls.waiting).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await pos.call();
    stopping.abort();
    expect(await end).toBe("done");
  });

  it.for<[string, EventsOptions, string | null, number]>([
    ["following", { after: 0 }, "wait=60", 90 * SECOND],
    ["following for a time", { after: 0, within: 10 * SECOND }, "wait=60", 90 * SECOND],
    ["not following", { after: 0, follow: false }, null, 90 * SECOND],
    ["not following for a time", { after: 0, follow: false, within: 10 * SECOND }, null, 10 * SECOND],
    ["not following for a long time", { after: 0, follow: false, within: 100 * SECOND }, null, 90 * SECOND],
  ])(
    "gives up one call in time, and limits the gateway's wait: %s",
    async ([, options, prefer, within], { expect }) => {
      const pos = new ScriptedPos();
      const stopping = new AbortController();
      const { end } = reading(pos, { ...options, signal: stopping.signal });
      const call = await pos.call();
      expect(call.headers.get("Prefer")).toBe(prefer);
      await vi.advanceTimersByTimeAsync(within - 1);
      expect(call.isEnded()).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(call.isEnded()).toBe(true);
      stopping.abort();
      expect(await end).toMatch(
        options.within === undefined || options.within > within ? /^done$/u : /could not be reached/u,
      );
    },
  );

  it("gives up when nothing was answered for its time", async ({ expect }) => {
    const pos = new ScriptedPos();
    const { end, read, problems } = reading(pos, { after: 0, within: 10 * SECOND });
    await vi.advanceTimersByTimeAsync(9_800);
    await pos.answers(page(1, 100));
    await vi.advanceTimersByTimeAsync(0);
    const next = await pos.call();
    await vi.advanceTimersByTimeAsync(9_749);
    next.lose();
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(null);
    expect(await end).toMatch(/could not be reached/u);
    expect([read.length, problems]).toEqual([100, ["unreachable"]]);
  });

  it("reports a problem at its beginning and end, and missing events", async ({ expect }) => {
    const pos = new ScriptedPos();
    const { end, read, problems, skipped } = reading(pos, { after: 0, follow: false });
    await pos.answers(null);
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(page(3, 100, { skipped: 2 }));
    await vi.advanceTimersByTimeAsync(0);
    await pos.answers(page(103, 0, { skipped: 0 }));
    expect(await end).toBe("done");
    expect([read[0], read.length, problems, skipped]).toEqual([3, 100, ["unreachable", null], [2]]);
  });

  it("does not begin if stopped before, and can be stopped", async ({ expect }) => {
    const pos = new ScriptedPos();
    expect(await reading(pos, { after: 0, signal: AbortSignal.abort() }).end).toBe("done");
    const events = pos.client.events({ after: 0 });
    await events.return?.();
    expect(await events.next()).toEqual({ value: undefined, done: true });
    expect([pos.paths, events[Symbol.asyncIterator]()]).toEqual([[], events]);
  });

  it.for<[string, object]>([
    ["events that are none", { data: [null], next: 1 }],
    ["an event without a number", { data: [{ type: "a", data: {} }], next: 1 }],
    ["an event whose number is none", { data: [{ number: 1.5, type: "a", data: {} }], next: 1 }],
    ["an event without a type", { data: [{ number: 1, data: {} }], next: 1 }],
    ["an event whose type is none", { data: [{ number: 1, type: 7, data: {} }], next: 1 }],
    ["an event without data", { data: [{ number: 1, type: "a" }], next: 1 }],
    ["no events", { next: 1 }],
    ["no number of the last one", { data: [] }],
  ])("asks again after %s, and fails when its time is over", async ([, body], { expect }) => {
    const pos = new ScriptedPos();
    const { end, problems } = reading(pos, { after: 0, within: 300 });
    await pos.answers(Response.json(body));
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(refused(404, "<html>"));
    expect(await end).toMatch(/^PosError: What answered at https:\/\/gateway\.test is not the gateway/u);
    expect(problems).toEqual(["unexpected_answer"]);
  });
});
