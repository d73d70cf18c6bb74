import { createContext, useContext } from "hono/jsx/dom";
import { clockTime } from "./clock-time.ts";
import { useEffect } from "./use-effect.ts";
import { useState } from "./use-state.ts";

/**
 * The IANA name of the zone in which the page shows every time: the account's, or the browser's until the account is
 * known.
 */
export const TimeZone = createContext(Intl.DateTimeFormat().resolvedOptions().timeZone);

export function useTimeZone(): string {
  return useContext(TimeZone);
}

/** The current time and its zone, shown once on the page. */
export function Clock() {
  const timeZone = useTimeZone();
  const now = useNow();
  return (
    <p class="masthead-clock">
      <time>{clockTime(now, timeZone)}</time> <span class="masthead-zone">{timeZone}</span>
      <span class="masthead-offset">{offsetOf(timeZone, now)}</span>
    </p>
  );
}

/** `GMT+8`, for a place without room for a name. */
function offsetOf(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "shortOffset" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

/** Epoch milliseconds, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
