import { awaitRequest, waitForCommit, openStore } from "../../sdk/client/indexed-db.ts";
import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../protocol/console-settings.ts";
import type { BrowserDemoCredentials } from "../demo.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

export type DemoOutcome =
  /** The page was opened without credentials: the user signs in. */
  { kind: "none" } | { kind: "demo"; credentials: BrowserDemoCredentials } | { kind: "gone"; sentence: string };

/** The demo needs so long the first time, when it enrols and binds a terminal. */
const ANSWER_WITHIN: Milliseconds = 15_000;
const LINK = /^#demo=(\d{1,5})\.([A-Za-z0-9_-]{16,64})$/;
const CUT = "This link is not complete. Copy all of it, as npm start has printed it, or sign in by hand.";
const GONE =
  "This link belongs to a gateway that has ended. Open the one that npm start printed last, or sign in by hand.";
const NO_TERMINAL = "npm start could not prepare a terminal for this browser; it has printed why. Or sign in by hand.";

/** Also if a part of it is missing. */
export function isDemoLink(fragment: string): boolean {
  return fragment.startsWith("#demo");
}

/**
 * Asks `npm start` for the demo's credentials and this browser's own terminal, with the port and the code in the link's
 * fragment. A fragment is never sent to a server, and the page's Content-Security-Policy allows only that port.
 */
export async function loadDemo(): Promise<DemoOutcome> {
  const [, port, code] = LINK.exec(location.hash) ?? [];
  if (port === undefined || code === undefined) {
    return isDemoLink(location.hash) ? { kind: "gone", sentence: CUT } : { kind: "none" };
  }
  try {
    const response = await fetch(`http://127.0.0.1:${port}/demo/${await browserId()}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${code}` },
      credentials: "omit",
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    if (!response.ok) return { kind: "gone", sentence: response.status === 404 ? GONE : NO_TERMINAL };
    return { kind: "demo", credentials: (await response.json()) as BrowserDemoCredentials };
  } catch {
    return { kind: "gone", sentence: GONE };
  }
}

const IDS = "ids";
const KEY = "browser";

/**
 * Returns a random UUID, not a secret, by which the demo recognises this browser. IndexedDB stores it with the
 * terminal's memory, so that both are deleted together. A browser that stores nothing is a new one each time.
 */
async function browserId(): Promise<string> {
  const fresh = crypto.randomUUID();
  try {
    const database = await openStore("console", IDS);
    const transaction = database.transaction(IDS, "readwrite");
    const store = transaction.objectStore(IDS);
    // One transaction, so that two tabs that open at once are one browser.
    const known = await awaitRequest<string | undefined>(store.get(KEY));
    if (known === undefined) store.put(fresh, KEY);
    await waitForCommit(transaction);
    database.close();
    return known ?? fresh;
  } catch {
    return fresh;
  }
}

/** Null if they could not be loaded: the page then uses defaults. */
export async function loadSettings(): Promise<ConsoleSettings | null> {
  try {
    const response = await fetch(CONSOLE_SETTINGS_PATH, { credentials: "omit" });
    return response.ok ? ((await response.json()) as ConsoleSettings) : null;
  } catch {
    return null;
  }
}
