import type { DemoCredentials } from "../shared/demo.ts";
import { browserId } from "./browser-id.ts";

export type DemoOutcome =
  /** The page was opened without credentials, so the user signs in. */
  { kind: "none" } | { kind: "demo"; credentials: DemoCredentials } | { kind: "gone"; sentence: string };

/** Milliseconds. The first time, a terminal is enrolled and bound. */
const ANSWER_WITHIN = 15_000;
const LINK = /^#demo=(\d{1,5})\.([A-Za-z0-9_-]{16,64})$/;
const GONE =
  "This link belongs to a gateway that has ended. Open the one that npm start printed last, or sign in by hand.";
const NO_TERMINAL = "npm start could not prepare a terminal for this browser; it has printed why. Or sign in by hand.";

export function isDemoLink(fragment: string): boolean {
  return LINK.test(fragment);
}

/**
 * Asks `npm start` for the demo's credentials and this browser's own terminal, with the port and the code in the link's
 * fragment. A fragment is never sent to a server, and the page's Content-Security-Policy allows only that one port.
 */
export async function loadDemo(): Promise<DemoOutcome> {
  const [, port, code] = LINK.exec(location.hash) ?? [];
  if (port === undefined || code === undefined) return { kind: "none" };
  try {
    const response = await fetch(`http://127.0.0.1:${port}/demo/${await browserId()}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${code}` },
      credentials: "omit",
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    if (!response.ok) return { kind: "gone", sentence: response.status === 404 ? GONE : NO_TERMINAL };
    return { kind: "demo", credentials: (await response.json()) as DemoCredentials };
  } catch {
    return { kind: "gone", sentence: GONE };
  }
}
