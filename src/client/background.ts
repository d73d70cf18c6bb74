/**
 * Does work later if this program still runs then. It does not keep the program alive.
 *
 * @returns a function that cancels it
 */
export function later(milliseconds: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, milliseconds);
  const drop = (): void => clearTimeout(timer as ReturnType<typeof setTimeout>);
  if (hasUnref(timer)) timer.unref();
  // A page stays open anyway. Elsewhere the timer may be the only thing that keeps the program alive.
  else if (!("document" in globalThis)) drop();
  return drop;
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function";
}
