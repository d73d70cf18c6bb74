/** Who is asked to tick, and when nobody is. */
import { describe, it, vi } from "vitest";
import { ClockWatch } from "../../src/terminal/call-handler.ts";
import type { TickingWaiter } from "../../src/terminal/connections.ts";

const NOW = 1_800_000_000_000;
const DEADLINE = NOW + 10_000;
const ENDED = 9;

const goesOn = (requestId: number): boolean => requestId !== ENDED;

function watchOf(...tickAt: (number | null)[]) {
  const waiters: TickingWaiter[] = tickAt.map((at, requestId) => ({
    socket: { requestId } as unknown as WebSocket,
    requestId,
    tickAt: at,
  }));
  const askForTick = vi.fn<(socket: WebSocket, at: number, now: number) => void>();
  const connections = { tickers: () => waiters, askForTick };
  return { watch: new ClockWatch({ connections, goesOn }), waiters, askForTick };
}

describe("a deadline", () => {
  it("is kept by a tick that is promised for that time or earlier, and has not come yet", ({ expect }) => {
    expect(watchOf(DEADLINE).watch.keeps(DEADLINE, NOW)).toBe(true);
    expect(watchOf(NOW + 1).watch.keeps(DEADLINE, NOW)).toBe(true);
    for (const tickAt of [null, DEADLINE + 1, NOW, NOW - 1]) {
      expect(watchOf(tickAt).watch.keeps(DEADLINE, NOW)).toBe(false);
    }
  });

  it("is not kept by waiters for a transaction that has ended", ({ expect }) => {
    const { watch, waiters, askForTick } = watchOf(DEADLINE);
    for (const waiter of waiters) waiter.requestId = ENDED;
    expect(watch.keeps(DEADLINE, NOW)).toBe(false);
    watch.ask(DEADLINE, NOW);
    expect(askForTick).not.toHaveBeenCalled();
  });

  it("that no tick keeps is sent to the newest waiter, once", ({ expect }) => {
    for (const ticks of [
      [null, DEADLINE + 1],
      [DEADLINE + 1, null],
    ]) {
      const { watch, waiters, askForTick } = watchOf(...ticks);
      watch.ask(DEADLINE, NOW);
      expect(askForTick.mock.calls).toEqual([[waiters[1]?.socket, DEADLINE, NOW]]);
    }
    const kept = watchOf(null, DEADLINE);
    kept.watch.ask(DEADLINE, NOW);
    expect(kept.askForTick).not.toHaveBeenCalled();
  });

  it("is the first tick of a waiter that starts, unless it is kept or has passed, or the transaction has ended", ({
    expect,
  }) => {
    const { watch } = watchOf(null);
    expect(watch.firstTick(0, DEADLINE, NOW)).toBe(DEADLINE);
    expect([watch.firstTick(0, NOW, NOW), watch.firstTick(0, null, NOW)]).toEqual([null, null]);
    expect([watch.firstTick(ENDED, DEADLINE, NOW), watchOf(DEADLINE).watch.firstTick(1, DEADLINE, NOW)]).toEqual([
      null,
      null,
    ]);
  });

  it("is not sent to a waiter that has not ticked in time, nor to any waiter once it has passed", ({ expect }) => {
    const late = watchOf(NOW - 1);
    late.watch.ask(DEADLINE, NOW);
    expect(late.askForTick).not.toHaveBeenCalled();
    const passed = watchOf(null);
    passed.watch.ask(NOW, NOW);
    expect(passed.askForTick).not.toHaveBeenCalled();
  });
});
