import { setTimeout as delay } from "node:timers/promises";

/** A new address takes some time until names and certificates are known everywhere. */
const WITHIN = 180_000;
const BETWEEN = 2_000;

/** Resolves to null once the gateway says that it can serve, else, in the end, to a sentence. */
export async function waitForHealth(baseUrl: string, within = WITHIN, between = BETWEEN): Promise<string | null> {
  const until = Date.now() + within;
  for (;;) {
    const last = await health(baseUrl);
    if (last === null) return null;
    if (Date.now() >= until) return `${baseUrl}/healthz does not answer 200: ${last}`;
    await delay(between);
  }
}

/** Null: it can serve. Else what came instead. */
async function health(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(10_000) });
    // Any Worker may answer 200 there, also the empty one that wrangler makes to hold secrets.
    if (response.status === 200 && (await response.text()).includes('"ok"')) return null;
    return `it answered ${response.status}.`;
  } catch (error) {
    // Node says "fetch failed", and why in the cause.
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${why instanceof Error ? why.message : String(why)}.`;
  }
}
