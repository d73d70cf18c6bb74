/** Converts between ISO 8601 and the value of a time field: `2026-11-20T14:05`, in the browser's zone. */
import { MINUTE } from "../../../time/units.ts";

/** Empty for an invalid time. */
export function fieldTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE);
  return local.toISOString().slice(0, 16);
}

/** Empty for an empty field. */
export function isoTime(field: string): string {
  const at = new Date(field);
  return field === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
