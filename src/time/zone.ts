/**
 * Local times of IANA time zones, from the tables of `Intl`. Instants are epoch milliseconds. Temporal would do all of
 * this, but workerd does not have it without a flag.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const NAME = /^(?:UTC|GMT|[A-Z][a-z]+|(?:US|[A-Z][a-z]+)(?:\/[A-Z][\w+-]*){1,2})$/;

/**
 * Whether `name` is an IANA time zone that the runtime knows, written as IANA writes it. `Intl` takes more: offsets
 * such as `+08:00` (they have no rules), any mixture of cases, and abbreviations such as IST, which three countries
 * use. A terminal is told the name too, and its library may take less.
 */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    const known = formatterFor(name).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** The zone's offset from UTC at an instant, in minutes, positive in the east. Until 1972 it may be a fraction. */
export function offsetAt(epochMs: number, timeZone: string): number {
  return offsetMs(epochMs, timeZone) / MINUTE;
}

/**
 * The first instant after `nowMs` at which the zone's date is later than its date at `nowMs`. That is 00:00 of the next
 * day where it exists; the first instant after the gap where clocks skip midnight (01:00, or another day where whole
 * days are skipped); and where clocks go back over midnight, the first midnight that comes: a day that is then taken up
 * again for an hour ends a second time.
 */
export function nextMidnight(nowMs: number, timeZone: string): number {
  const offset = offsetMs(nowMs, timeZone);
  const tomorrow = (Math.floor((nowMs + offset) / DAY) + 1) * DAY;
  let from = nowMs;
  let current = offset;
  for (;;) {
    const midnight = tomorrow - current;
    if (midnight <= from) return from;
    if (offsetMs(midnight, timeZone) === current) return midnight;
    from = nextTransition(from, midnight, current, timeZone);
    current = offsetMs(from, timeZone);
  }
}

/** `YYYY-MM-DDTHH:mm:ss.SSS±HH:mm`, the zone's time at an instant; `+00:00`, never `Z`. */
export function isoWithOffset(epochMs: number, timeZone: string): string {
  // Rounded to what can be written, so that the text always means the same instant.
  const minutes = Math.round(offsetAt(epochMs, timeZone));
  const local = new Date(epochMs + minutes * MINUTE).toISOString().slice(0, -1);
  const absolute = Math.abs(minutes);
  return `${local}${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`;
}

/** `yyyy-MM-ddTHH:mm:ss`, the zone's time at an instant, the milliseconds cut off. */
export function localDateTime(epochMs: number, timeZone: string): string {
  return new Date(epochMs + offsetMs(epochMs, timeZone)).toISOString().slice(0, 19);
}

/** `yyyy-MM-dd`, the zone's date at an instant. */
export function localDate(epochMs: number, timeZone: string): string {
  return localDateTime(epochMs, timeZone).slice(0, 10);
}

/**
 * The first instant after `from`, at most `to`, at which the offset is no longer `offset`; it is another one at `to`.
 * Transitions happen at full seconds. Zones do not change their offset and change it back within a day.
 */
function nextTransition(from: number, to: number, offset: number, timeZone: string): number {
  let before = Math.floor(from / SECOND);
  let after = Math.ceil(to / SECOND);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMs(middle * SECOND, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after * SECOND;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter takes some fifty times as long as using one. Throws a RangeError for an unknown zone. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** At the end of `11/20/2026, GMT+05:45`; nothing follows GMT where the offset is zero, seconds are historic. */
const LONG_OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** The day in UTC, counted from the epoch, that a zone was asked about last, and its offset all through that day. */
const steady = new Map<string, { day: number; offset: number }>();

/**
 * The zone's offset at an instant. Nearly every day has one offset all through: `Intl` is asked about its two ends, once. The
 * assumption is that of `nextTransition`.
 */
function offsetMs(epochMs: number, timeZone: string): number {
  const day = Math.floor(epochMs / DAY);
  const known = steady.get(timeZone);
  if (known?.day === day) return known.offset;
  const offset = readOffset(day * DAY, timeZone);
  if (readOffset((day + 1) * DAY, timeZone) !== offset) return readOffset(epochMs, timeZone);
  steady.set(timeZone, { day, offset });
  return offset;
}

function readOffset(epochMs: number, timeZone: string): number {
  const text = formatterFor(timeZone).format(epochMs);
  const match = LONG_OFFSET.exec(text);
  if (match === null) throw new Error(`Intl writes an offset in a way that is not known here: ${text}`);
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
  const absolute = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
  return sign === "-" ? -absolute : absolute;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
