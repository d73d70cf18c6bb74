/** Durations for sentences. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const UNITS = [
  ["hours", HOUR],
  ["minutes", MINUTE],
] as const;

/** `15 minutes`: milliseconds in the largest unit that gives more than two, without remainder. */
export function duration(milliseconds: number): string {
  const fitting = UNITS.find(([, length]) => milliseconds % length === 0 && milliseconds > 2 * length);
  const [unit, length] = fitting ?? ["seconds", SECOND];
  return `${milliseconds / length} ${unit}`;
}
