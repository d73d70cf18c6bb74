import { computed, signal } from "@preact/signals";
import type { EpochMs } from "../../protocol/time/units.ts";

/** A bind key from the POS's QR code, as a camera would read it; a new object each time, null before. */
export const handedKey = signal<{ key: string } | null>(null);

/** The id of the terminal on this page while it is signed in; null otherwise. */
export const pageTerminal = signal<string | null>(null);

/** The references of scenarios. The terminal on this page needs nobody for their payments: the cents decide. */
export const staged = new Set<string>();

/** IANA names of the zones of the POS's account and of the terminal's; null until known. */
export const posZone = signal<string | null>(null);
export const terminalZone = signal<string | null>(null);

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The IANA name of the zone of every time on the page: the account's, or the browser's until the account is known. */
export const timeZone = computed(() => posZone.value ?? terminalZone.value ?? BROWSER_ZONE);

/**
 * Writes `12:30:05`.
 *
 * @param zone its IANA name; the page's by default
 */
export function clockTime(at: EpochMs, zone: string = timeZone.value): string {
  return new Date(at).toLocaleTimeString("en-GB", { timeZone: zone });
}
