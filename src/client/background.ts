/**
 * Does work later if this program is still there then, and keeps none alive for it: a command that is done ends.
 *
 * @returns drops it
 */
export function later(milliseconds: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, milliseconds);
  const drop = (): void => clearTimeout(timer as ReturnType<typeof setTimeout>);
  if (hasUnref(timer)) timer.unref();
  // A page stays open anyway; elsewhere nothing tells that the program would end but for the timer.
  else if (!("document" in globalThis)) drop();
  return drop;
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function";
}
