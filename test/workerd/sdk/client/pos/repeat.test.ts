/** How a call is repeated: what it returns, or fails with, and what its caller is told meanwhile. */
import { describe, it, vi } from "vitest";
import { PosError, type PosProblem } from "../../../../../src/sdk/client/pos/error.ts";
import { repeat, type Progress, type Try } from "../../../../../src/sdk/client/pos/repeat.ts";
import type { StageMessage } from "../../../../../src/protocol/stages.ts";
import { useStoppedClock } from "./scripted.ts";

useStoppedClock(0);

const problem: PosProblem = { kind: "unreachable", message: "Gone." };
const refusal: PosProblem = { kind: "forbidden", message: "No." };

const done: Try<string> = { kind: "done", value: "00" };
const pending: Try<string> = { kind: "pending", value: "22" };
const refused: Try<string> = { kind: "failed", problem: refusal, taken: false };
const gone = (taken: boolean, retryAfter = 0): Try<string> => {
  return { kind: "unavailable", problem, taken, retryAfter, cause: "cut" };
};

/** Waits without chance: a quarter of a second, and twice as long each time. */
async function outcome(tries: Try<string>[], within: number, signal?: AbortSignal, setClockBy = 0) {
  const from = performance.now();
  const told: Progress<string>[] = [];
  /** When each message was sent, and the time that it was given. */
  const sent: [at: number, left: number][] = [];
  const attempt = async (left: number): Promise<Try<string>> => {
    sent.push([performance.now() - from, left]);
    if (sent.length === 1) vi.setSystemTime(Date.now() + setClockBy);
    return tries[sent.length - 1] ?? done;
  };
  const onProgress = (progress: Progress<string>): void => void told.push(progress);
  const repeated = repeat(attempt, { within, signal, random: () => 0, onProgress }).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  const result = await repeated;
  if (!(result instanceof PosError)) return { result, sent, told };
  const { kind, outcomeUnknown, cause } = result;
  return { result: { kind, outcomeUnknown, cause }, sent, told };
}

/** What is told of a call of ten seconds. */
const toldAt = (elapsed: number, members: object) => ({ stages: [], elapsed, left: 10_000 - elapsed, ...members });

const failed = (kind: string, outcomeUnknown: boolean, cause?: string) => ({ kind, outcomeUnknown, cause });

describe("a call that is repeated", () => {
  it.for<[string, Try<string>[], number, unknown, number[]]>([
    ["returns its outcome", [gone(true), pending, done], 10_000, "00", [0, 250, 750]],
    ["returns the 22 when its time is over", [pending, pending], 750, "22", [0, 250]],
    ["has a moment more", [pending, pending, done], 751, "00", [0, 250, 750]],
    ["returns an earlier 22 if there is no answer at the end", [pending, gone(true)], 750, "22", [0, 250]],
    ["fails without any answer", [gone(true), gone(false)], 750, failed("unreachable", true, "cut"), [0, 250]],
    ["fails and nothing was taken", [gone(false), gone(false)], 750, failed("unreachable", false, "cut"), [0, 250]],
    ["fails at once if it is refused", [refused], 10_000, failed("forbidden", false), [0]],
    ["is not refused for what went before", [gone(true), refused], 10_000, failed("forbidden", true), [0, 250]],
    ["is not refused for what is pending", [pending, refused], 10_000, failed("forbidden", true), [0, 250]],
    ["waits as long as it is asked to", [gone(false, 3_000)], 3_001, "00", [0, 3_000]],
    ["does not wait beyond its time", [gone(false, 3_000)], 3_000, failed("unreachable", false, "cut"), [0]],
  ])("%s", async ([, tries, within, expected, times], { expect }) => {
    const { result, sent } = await outcome(tries, within);
    expect([result, sent]).toEqual([expected, times.map((at) => [at, within - at])]);
  });

  it.for([-60_000, 3_600_000])("has the same time if the clock is set by %i ms", async (setClockBy, { expect }) => {
    const { result, sent } = await outcome([gone(true), gone(true), gone(true)], 1_000, undefined, setClockBy);
    expect([result, sent.map(([at]) => at)]).toEqual([failed("unreachable", true, "cut"), [0, 250, 750]]);
  });

  it("reports its progress at every change, and every second", async ({ expect }) => {
    const { told } = await outcome([gone(true), pending, gone(false, 2_000)], 10_000);
    const first = { attempt: 1, pending: null };
    const [second, third] = [2, 3].map((attempt) => ({ attempt, pending: "22" }));
    expect(told).toEqual([
      toldAt(0, { ...first, state: "asking", problem: null }),
      toldAt(0, { ...first, state: "waiting", problem }),
      toldAt(250, { ...first, attempt: 2, state: "asking", problem }),
      toldAt(250, { ...second, state: "waiting", problem: null }),
      toldAt(750, { ...third, state: "asking", problem: null }),
      toldAt(750, { ...third, state: "waiting", problem }),
      toldAt(1_000, { ...third, state: "waiting", problem }),
      toldAt(2_000, { ...third, state: "waiting", problem }),
      toldAt(2_750, { attempt: 4, pending: "22", state: "asking", problem }),
    ]);
  });

  it("reports no stage that comes after its end", async ({ expect }) => {
    const told = vi.fn();
    const late: ((stage: StageMessage) => void)[] = [];
    const attempt = async (_: number, onStage: (stage: StageMessage) => void): Promise<Try<string>> => {
      late.push(onStage);
      return done;
    };
    await repeat(attempt, { within: 1_000, signal: undefined, random: () => 0, onProgress: told });
    late[0]?.({ stage: "pin", at: "2026-11-20T10:04:07.000+08:00" });
    expect(told).toHaveBeenCalledOnce();
  });

  it("ends with its caller, before a message and after it", async ({ expect }) => {
    const stopping = new AbortController();
    const stopped = outcome([gone(true), done], 10_000, stopping.signal);
    stopping.abort();
    expect(await stopped).toMatchObject({ result: failed("unreachable", true, "cut"), sent: [[0, 10_000]] });
    expect(await outcome([], 10_000, stopping.signal)).toMatchObject({ result: failed("aborted", false), sent: [] });
  });
});
