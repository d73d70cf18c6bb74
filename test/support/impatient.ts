/**
 * The Worker's long waits, cut short. It waits for an open outcome by `setTimeout`, for seconds that no test should take;
 * what comes of it when nothing comes is the same after a moment.
 */
import { vi } from "vitest";

/** Shorter than what the Worker waits for an inquiry's or cancel's answer, longer than what a test waits for a frame. */
const LONG = 8_000;
const SHORT = 50;

/** Until the test ends every timer of eight seconds or more fires after a moment. */
export function cutLongWaitsShort(): void {
  const original = globalThis.setTimeout;
  const impatient = (callback: () => void, milliseconds = 0): ReturnType<typeof setTimeout> =>
    original(callback, milliseconds >= LONG ? SHORT : milliseconds);
  vi.stubGlobal("setTimeout", impatient);
}
