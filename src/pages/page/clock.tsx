import { useEffect, useState } from "preact/hooks";
import { clockTime, timeZone } from "./signals.ts";

export function Clock() {
  const zone = timeZone.value;
  const now = useNow();
  return (
    <p class="masthead-clock">
      <time>{clockTime(now)}</time> <span class="masthead-zone">{zone}</span>
      <span class="masthead-offset">{offsetOf(zone, now)}</span>
    </p>
  );
}

/** `GMT+8`, because there is no room for a name. */
function offsetOf(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "shortOffset" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

/** Epoch milliseconds, each second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
