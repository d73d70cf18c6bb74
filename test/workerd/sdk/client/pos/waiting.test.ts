/** How long a POS's client waits, and what a caller learns meanwhile. */
import { describe, it, vi } from "vitest";
import type { CallOptions, PosClient, TransferOptions } from "../../../../../src/sdk/client/pos.ts";
import { MINUTE, SECOND } from "../../../../../src/protocol/time/units.ts";
import { failureOf, refused, sale, ScriptedPos, target, useStoppedClock } from "./scripted.ts";

useStoppedClock();

describe("the time", () => {
  const TIMES: [string, number, number, (client: PosClient, options: CallOptions) => Promise<unknown>][] = [
    ["a transfer", 2 * MINUTE, 3 * MINUTE, (client, options) => client.sale(sale, options)],
    ["a cancel", 2 * MINUTE, 3 * MINUTE, (client, options) => client.cancel(target, options)],
    ["any other call", 30 * SECOND, 30 * SECOND, (client, options) => client.terminals(options)],
    ["a change", 30 * SECOND, 30 * SECOND, (client, options) => client.prebind([], options)],
  ];

  it.for(TIMES)("allows one attempt of %s %i ms, and at least a second", async ([, one, all, make], { expect }) => {
    for (const within of [undefined, 10 * MINUTE, 5 * SECOND, 100]) {
      const pos = new ScriptedPos();
      const stopping = new AbortController();
      const failure = failureOf(make(pos.client, { within, signal: stopping.signal }));
      const call = await pos.call();
      await vi.advanceTimersByTimeAsync(Math.max(Math.min(one, within ?? all), SECOND) - 1);
      expect(call.isEnded()).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(call.isEnded()).toBe(true);
      stopping.abort();
      expect((await failure).kind).toBe((within ?? all) > one ? "aborted" : "unreachable");
    }
  });

  it.for(TIMES)("allows all attempts of %s, at most %i ms each, %i ms", async ([, one, all, make], { expect }) => {
    for (const isLast of [true, false]) {
      const pos = new ScriptedPos();
      const stopping = new AbortController();
      const failure = failureOf(make(pos.client, { signal: stopping.signal }));
      // The wait before the second attempt is a quarter of a second, and before the third half a second.
      const [earlier, wait] = all > one ? [one / 2 + 250, 500] : [0, 250];
      if (earlier > 0) {
        const first = await pos.call();
        await vi.advanceTimersByTimeAsync(earlier - 250);
        first.lose();
        await vi.advanceTimersByTimeAsync(250);
      }
      const call = await pos.call();
      await vi.advanceTimersByTimeAsync(all - earlier - wait - (isLast ? 0 : 1));
      call.lose();
      if (!isLast) {
        await vi.advanceTimersByTimeAsync(wait);
        await pos.call();
        stopping.abort();
      }
      expect((await failure).kind).toBe(isLast ? "unreachable" : "aborted");
    }
  });

  it.for<[number | undefined, number | undefined, string | null]>([
    [undefined, undefined, null],
    [undefined, 7, "wait=7"],
    [undefined, 0, "respond-async"],
    [2 * MINUTE, undefined, null],
    [2 * MINUTE - 1, undefined, "wait=118"],
    [MINUTE, 7, "wait=7"],
    [10 * SECOND, 60, "wait=9"],
    [1_999, undefined, "respond-async"],
    [2_000, undefined, "wait=1"],
  ])("limits a transfer's wait (%s ms, caller wants %s s) to: %s", async ([within, wait, prefer], { expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.sale(sale, { within, wait }));
    const [call] = await pos.answers(refused(400));
    expect(call?.headers.get("Prefer")).toBe(prefer);
    await failure;
  });

  it("is no longer for a login than for its call", async ({ expect }) => {
    const pos = new ScriptedPos({}, { answersLogins: false });
    const failure = failureOf(pos.client.terminals({ within: 5 * SECOND }));
    const login = await pos.call();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    const { kind, message, next } = await failure;
    expect([kind, message, next]).toEqual([
      "unreachable",
      "The gateway at https://gateway.test did not answer the login in time.",
      "none",
    ]);
    // Others may wait for it.
    expect(login.isEnded()).toBe(false);
    await vi.advanceTimersByTimeAsync(25 * SECOND);
    expect(login.isEnded()).toBe(true);
  });
});

describe("a caller who waits for a transfer", () => {
  it("sees every second how it goes, until it ends", async ({ expect }) => {
    const told: unknown[] = [];
    const pos = new ScriptedPos();
    const onProgress: TransferOptions["onProgress"] = ({ state, attempt, elapsed, left, problem }) =>
      told.push([state, attempt, elapsed, left, problem?.kind ?? null]);
    const failure = failureOf(pos.client.sale(sale, { onProgress, within: 10 * SECOND }));
    const first = await pos.call();
    expect(first.headers.get("Accept")).toBe("text/event-stream, application/json;q=0.9");
    await vi.advanceTimersByTimeAsync(1_900);
    first.answer(refused(429, {}, { "Retry-After": "1" }));
    await vi.advanceTimersByTimeAsync(1_000);
    const second = await pos.call();
    second.answer(refused(400));
    await failure;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told).toEqual([
      ["asking", 1, 0, 10_000, null],
      ["asking", 1, 1_000, 9_000, null],
      ["waiting", 1, 1_900, 8_100, "rate_limited"],
      ["waiting", 1, 2_000, 8_000, "rate_limited"],
      ["asking", 2, 2_900, 7_100, "rate_limited"],
    ]);
  });

  it("gets an error if a stream's result is no answer", async ({ expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.sale(sale, { within: 700, onProgress: () => undefined }));
    const headers = { "Content-Type": "text/event-stream; charset=utf-8" };
    await pos.answers(new Response("event: result\ndata: []\n\n", { headers }));
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(new Response("event: result\ndata: {}\n\n", { headers }));
    expect(await failure).toMatchObject({
      kind: "forged_answer",
      next: "again",
      message:
        "Ask again with the same referenceId. Do not charge again. " +
        "The answer is not the gateway's answer to this request.",
    });
  });

  it("can stop before it begins, while it lasts, and between two attempts", async ({ expect }) => {
    const pos = new ScriptedPos();
    await pos.client.login();
    expect(await failureOf(pos.client.sale(sale, { signal: AbortSignal.abort() }))).toMatchObject({
      kind: "aborted",
      next: "none",
      message: "Stopped by the caller.",
    });
    expect(pos.paths).toEqual(["/auth/login"]);
    for (const isLost of [false, true]) {
      const stopping = new AbortController();
      const failure = failureOf(pos.client.sale(sale, { signal: stopping.signal }));
      const call = await pos.call();
      if (isLost) {
        call.lose();
        await vi.advanceTimersByTimeAsync(100);
      }
      stopping.abort();
      expect(await failure).toMatchObject({
        kind: "aborted",
        next: "again",
        problem: { message: "Stopped by the caller." },
      });
    }
  });
});
