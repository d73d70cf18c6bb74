/** `Prefer` (RFC 7240). */
import type { Milliseconds } from "../../../protocol/time/units.ts";

export interface Preference {
  wait: Milliseconds;
  /** The value of `Preference-Applied`. */
  applied: string;
}

/** Reads `respond-async`, `wait=SECONDS`, or both (then the wait counts); null if neither is there in a valid form. */
export function readPreference(header: string | undefined): Preference | null {
  if (header === undefined) return null;
  let wait: number | null = null;
  let async = false;
  for (const preference of header.split(",")) {
    const [token = "", value = ""] = (preference.split(";")[0] ?? "").split("=").map((part) => part.trim());
    const name = token.toLowerCase();
    // The first of a repeated preference counts (RFC 7240, section 2).
    if (name === "respond-async") async = true;
    else if (name === "wait" && wait === null && /^"?[0-9]{1,6}"?$/u.test(value))
      wait = Number(value.replaceAll('"', ""));
  }
  if (wait !== null) return { wait: wait * 1_000, applied: async ? `respond-async, wait=${wait}` : `wait=${wait}` };
  return async ? { wait: 0, applied: "respond-async" } : null;
}
