/**
 * The longest delay of a timer, 24.8 days: a longer one fires at once
 * (https://developer.mozilla.org/en-US/docs/Web/API/Window/setTimeout#maximum_delay_value).
 */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * Does work later, after 24.8 days at most, if this program still runs then. It does not keep the program alive.
 *
 * @returns a function that cancels it
 */
export function later(milliseconds: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, Math.min(milliseconds, LONGEST_DELAY));
  const drop = (): void => clearTimeout(timer as ReturnType<typeof setTimeout>);
  if (hasUnref(timer)) timer.unref();
  // A page stays open anyway. Elsewhere the timer may be the only thing that keeps the program alive.
  else if (!("document" in globalThis)) drop();
  return drop;
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function";
}
