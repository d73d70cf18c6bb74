/**
 * Local times of IANA time zones, from the tables of `Intl`. Temporal could replace this, but workerd has it only
 * behind a flag.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const NAME = /^(?:UTC|GMT|[A-Z][a-z]+|(?:US|[A-Z][a-z]+)(?:\/[A-Z][\w+-]*){1,2})$/;

/**
 * Accepts only a name as IANA spells it. `Intl` accepts more: offsets such as `+08:00` (without rules), any case, and
 * abbreviations such as IST, which three countries use. A terminal gets the name too, and its library may accept less.
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

/** Returns minutes, positive in the east. Before 1972 they may be a fraction. */
export function offsetAt(epochMs: number, timeZone: string): number {
  return offsetMs(epochMs, timeZone) / MINUTE;
}

/**
 * Returns the first instant after `nowMs` with a later date in the zone. That is 00:00 of the next day if it exists. If
 * clocks skip midnight, it is the first instant after the gap (01:00, or another day if whole days are skipped). If
 * clocks go back over midnight, it is the first of the two midnights: the day that resumes for an hour ends a second
 * time.
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

/** Formats as `YYYY-MM-DDTHH:mm:ss.SSS±HH:mm`; UTC is `+00:00`, never `Z`. */
export function isoWithOffset(epochMs: number, timeZone: string): string {
  // Rounded to what can be written, so that the text always means the same instant.
  const minutes = Math.round(offsetAt(epochMs, timeZone));
  const local = new Date(epochMs + minutes * MINUTE).toISOString().slice(0, -1);
  const absolute = Math.abs(minutes);
  return `${local}${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`;
}

/** Formats like `isoWithOffset`, in UTC. */
export function utc(epochMs: number): string {
  return isoWithOffset(epochMs, "UTC");
}

/** Formats as `yyyy-MM-ddTHH:mm:ss`. */
export function localDateTime(epochMs: number, timeZone: string): string {
  return new Date(epochMs + offsetMs(epochMs, timeZone)).toISOString().slice(0, 19);
}

/** Formats as `yyyy-MM-dd`. */
export function localDate(epochMs: number, timeZone: string): string {
  return localDateTime(epochMs, timeZone).slice(0, 10);
}

/**
 * The first instant after `from`, at most `to`, at which the offset is no longer `offset`; at `to`, a full second, it
 * differs. Transitions happen at full seconds. Zones do not change their offset back and forth within a day.
 */
function nextTransition(from: number, to: number, offset: number, timeZone: string): number {
  let before = Math.floor(from / SECOND);
  let after = to / SECOND;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMs(middle * SECOND, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after * SECOND;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Creating a formatter takes some fifty times as long as using one. Throws a RangeError for an unknown zone. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** The end of `11/20/2026, GMT+05:45`. Nothing follows GMT for offset zero; seconds occur in historic offsets. */
const LONG_OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** The last requested day of each zone, in UTC since the epoch, with the offset during that whole day. */
const offsetsToday = new Map<string, { day: number; offset: number }>();

/**
 * Nearly every day has one offset, so `Intl` is asked once, for both ends of the day. Makes the same assumption as
 * `nextTransition`.
 */
function offsetMs(epochMs: number, timeZone: string): number {
  const day = Math.floor(epochMs / DAY);
  const known = offsetsToday.get(timeZone);
  if (known?.day === day) return known.offset;
  const offset = readOffset(day * DAY, timeZone);
  if (readOffset((day + 1) * DAY, timeZone) !== offset) return readOffset(epochMs, timeZone);
  offsetsToday.set(timeZone, { day, offset });
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
