/** The `datetime` of signed messages: `YYYYMMDDTHHMMSS` in UTC. This file runs in browsers, Node and workerd. */
import type { EpochMs } from "./units.ts";

/** Checks the form only: the time may not exist. */
export const DATETIME: RegExp = /^([0-9]{8})T?([0-9]{6})$/;

/**
 * Reads `YYYYMMDDTHHMMSS`, or the same 14 digits without the T, as UTC. Returns null for another form
 * and for times that do not exist (30 February, hour 24, second 60).
 */
export function parseDatetime(text: string): EpochMs | null {
  const form = DATETIME.exec(text);
  if (form === null) return null;
  const [, date = "", time = ""] = form;
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const epochMs = Date.parse(`${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
  // Some parsers carry an overflow to the next day: a time exists only if it formats to the same text.
  return !Number.isNaN(epochMs) && formatDatetime(epochMs) === `${date}T${time}` ? epochMs : null;
}

/** Writes a time (years 0 to 9999) as `YYYYMMDDTHHMMSS` in UTC, without the milliseconds. */
export function formatDatetime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace(/[-:]/g, "");
}
