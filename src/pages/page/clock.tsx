import { signal } from "@preact/signals";
import { clockTime, timeZone } from "./signals.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

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
function offsetOf(zone: string, at: EpochMs): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "shortOffset" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

/** The one clock by which every age on the page ticks. */
const time = signal(Date.now());
setInterval(() => (time.value = Date.now()), 1_000);

/** Returns the time, each second. */
export function useNow(): number {
  return time.value;
}
