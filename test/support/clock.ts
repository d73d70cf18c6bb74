/**
 * The clock that the gateway sees, in the hands of the test. The objects run in the test's own isolate, so that a faked
 * `Date` is theirs, too. The platform's alarms follow the real clock: the faked one runs at least hours ahead of it, so
 * that none fires by itself, and `pass` fires each at the time that it was set for.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { DAY, HOUR } from "../../src/protocol/time/units.ts";
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from "vitest";

/** Noon of the day after the real one in Kuala Lumpur, the accounts' time zone: no token ends at midnight in between. */
function noon(): number {
  return Math.floor(Date.now() / DAY) * DAY + DAY + 4 * HOUR;
}

/** Fakes `Date` for the tests of the file; each begins at the same noon. */
export function useFakeClock(): void {
  let start = 0;
  beforeAll(() => {
    start = noon();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
  });
  beforeEach(() => {
    vi.setSystemTime(start);
  });
  afterAll(() => {
    vi.useRealTimers();
  });
}

/** Moves the clock without anybody noticing: no alarm fires. */
export function skip(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** Returns when the terminal's object wants to be woken, or null. It wakes the object. */
export function alarmOf({ terminalId }: { terminalId: string }): Promise<number | null> {
  return runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, state) => state.storage.getAlarm());
}

/** Lets time pass for one terminal's object, with every alarm when it is due. */
export async function pass(terminal: { terminalId: string }, milliseconds: number): Promise<void> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const alarm = (await alarmOf(terminal)) ?? Infinity;
    if (alarm > until) break;
    if (alarm > Date.now()) vi.setSystemTime(alarm);
    await runDurableObjectAlarm(env.TERMINAL.getByName(terminal.terminalId));
  }
  vi.setSystemTime(until);
}

/** Shorter than what the Worker waits for an inquiry's or cancel's answer, longer than what a test waits for a frame. */
const LONG = 8_000;
const SHORT = 50;

/** Until the test ends every timer of so many milliseconds or more, but of less than `most`, fires after a moment. */
export function cutLongWaitsShort(long = LONG, most = Infinity): void {
  const original = globalThis.setTimeout;
  const impatient = (callback: () => void, milliseconds = 0): ReturnType<typeof setTimeout> =>
    original(callback, milliseconds >= long && milliseconds < most ? SHORT : milliseconds);
  vi.stubGlobal("setTimeout", impatient);
  // Files share a runtime: the next one must wait as long as it says.
  onTestFinished(() => void vi.stubGlobal("setTimeout", original));
}

/** Until the test ends nothing that the gateway waits for is too late, however busy the machine is. */
export function waitForever(): void {
  const original = globalThis.setTimeout;
  const patient = (callback: () => void, milliseconds = 0): ReturnType<typeof setTimeout> =>
    milliseconds >= LONG ? original(() => undefined) : original(callback, milliseconds);
  vi.stubGlobal("setTimeout", patient);
  onTestFinished(() => void vi.stubGlobal("setTimeout", original));
}
