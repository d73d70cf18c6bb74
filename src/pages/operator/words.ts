import { amountsText, moneyText } from "../../protocol/amounts.ts";
import { shortDuration } from "../../protocol/time/duration.ts";
import { SHOWN_BUCKETS, type TimeName } from "../../protocol/statistics.ts";
import type { Histogram } from "./answers.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** Writes `3 min ago`; `just now` within two seconds, and if the clocks of page and gateway differ a little. */
export function ago(iso: string, now: EpochMs): string {
  const ms = now - Date.parse(iso);
  return ms < 2 * SECOND ? "just now" : `${elapsedText(iso, now)} ago`;
}

/** Writes `3 s` or `3 min`, in whole seconds. */
export function elapsedText(since: string, now: EpochMs): string {
  return shortDuration(Math.max(1, Math.floor((now - Date.parse(since)) / SECOND)) * SECOND);
}

export const BROWSERS_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `20 Nov 14:02`; with the year if it is not the current one. */
export function shortTime(iso: string, timeZone = BROWSERS_ZONE): string {
  const time = new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
  return `${shortDay(iso, timeZone)} ${time}`;
}

/** `20 Nov`; with the year if it is not the current one. */
export function shortDay(iso: string, timeZone = BROWSERS_ZONE): string {
  const at = new Date(iso);
  const yearOf = (one: Date): string => one.toLocaleDateString("en-GB", { year: "numeric", timeZone });
  const year = yearOf(at) === yearOf(new Date()) ? {} : { year: "numeric" as const };
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year, timeZone });
}

/** Writes `20 Nov 2026, 14:02:05 Europe/Berlin`. */
export function fullTime(iso: string, timeZone = BROWSERS_ZONE): string {
  const at = new Date(iso);
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone });
  return `${day}, ${at.toLocaleTimeString("en-GB", { timeZone })} ${timeZone}`;
}

/** Writes `14:00`, in the browser's zone. */
export function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** `98.2 %`; `share` is from 0 to 1. Never 100 % if anything is missing. */
export function percent(share: number): string {
  const tenths = share < 1 ? Math.min(999, Math.round(share * 1000)) : 1000;
  return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)} %`;
}

/** Writes a dash if the share is unknown. */
export function rateText(share: number | null): string {
  return share === null ? "–" : percent(share);
}

/** A dash if nothing was sold: a link needs a text. */
export function amountsOrDash(amounts: Parameters<typeof amountsText>[0]): string {
  return amounts.length === 0 ? "–" : amountsText(amounts);
}

/** Writes `1 terminal` or `2 terminals`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Writes `MYR 12.50`, or a dash for an unknown amount. */
export function money(amount: string | null | undefined, currency: string): string {
  return amount === null || amount === undefined ? "–" : moneyText(amount, currency);
}

/** The share of a part's times that were at most `bucketBoundText` long; null: there are none. */
export function shareWithin(name: TimeName, histogram: Histogram | null): number | null {
  return histogram === null ? null : histogram.within[`${SHOWN_BUCKETS[name]}`] / histogram.count;
}

/** Writes `250 ms` or `30 s`. */
export function bucketBoundText(name: TimeName): string {
  return shortDuration(SHOWN_BUCKETS[name]);
}

/** Writes `12 ms` or `1.2 s`, or a dash if the time is unknown. */
export function timeText(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined ? "–" : shortDuration(milliseconds);
}
