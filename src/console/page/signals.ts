/** What the halves of the page tell each other. */
import { computed, signal } from "@preact/signals";

/** A bind key, as a terminal's camera would read it from the till's QR code; a new object each time, null before. */
export const handedKey = signal<{ key: string } | null>(null);

/** The IANA names of the zones of the till's account and of the terminal's; null until known. */
export const tillZone = signal<string | null>(null);
export const terminalZone = signal<string | null>(null);

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * The IANA name of the zone in which the page shows every time: the account's, or the browser's until the account is
 * known.
 */
export const timeZone = computed(() => tillZone.value ?? terminalZone.value ?? BROWSER_ZONE);

/**
 * `12:30:05`
 *
 * @param at epoch milliseconds
 * @param zone its IANA name; the page's by default
 */
export function clockTime(at: number, zone: string = timeZone.value): string {
  return new Date(at).toLocaleTimeString("en-GB", { timeZone: zone });
}
