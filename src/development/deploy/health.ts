import { setTimeout as delay } from "node:timers/promises";

/** It takes some time until the name and certificate of a new address are known everywhere. */
const WITHIN = 180_000;
const BETWEEN = 2_000;

/** Resolves to null once the gateway can serve, or to a sentence if it cannot in time. */
export async function waitForHealth(baseUrl: string, within = WITHIN, between = BETWEEN): Promise<string | null> {
  const until = Date.now() + within;
  for (;;) {
    const last = await health(baseUrl);
    if (last === null) return null;
    if (Date.now() >= until) return `${baseUrl}/healthz does not return 200: ${last}`;
    await delay(between);
  }
}

/** Null if it can serve; otherwise what it answered. */
async function health(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(10_000) });
    // Any Worker may answer 200, even the empty one that wrangler creates to hold secrets.
    if (response.status === 200 && (await response.text()).includes('"ok"')) return null;
    return `it answered ${response.status}.`;
  } catch (error) {
    // Node says only "fetch failed"; the reason is in the cause.
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${why instanceof Error ? why.message : String(why)}.`;
  }
}
