import { DAY, HOUR, MINUTE, SECOND } from "./units.ts";

const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const;

/**
 * Formats a duration for a sentence: `15 minutes`, in the largest unit that leaves no rest; one day in hours, up to two
 * hours in minutes.
 */
export function duration(milliseconds: number): string {
  for (const [unit, length] of UNITS) {
    const count = milliseconds / length;
    if (Number.isInteger(count) && (count > 2 || unit === "second" || (count > 1 && unit === "day"))) {
      return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
    }
  }
  return `${milliseconds.toLocaleString("en")} milliseconds`;
}

/**
 * Formats a duration for a line of facts: `250 ms`, `1.5 s`, `40 s`, `1 min 30 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
 * It is never negative, as clocks differ.
 */
export function shortDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${Number((ms / SECOND).toFixed(1))} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < 2 * MINUTE) return two(ms, ["min", MINUTE], ["s", SECOND]);
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < DAY ? two(ms, ["h", HOUR], ["min", MINUTE]) : two(ms, ["d", DAY], ["h", HOUR]);
}

type Unit = [name: string, milliseconds: number];

function two(ms: number, [big, inBig]: Unit, [small, inSmall]: Unit): string {
  const rest = Math.floor((ms % inBig) / inSmall);
  return `${Math.floor(ms / inBig)} ${big}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}
