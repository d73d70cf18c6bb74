/**
 * Counts refused logins and rate-limited requests. Only the Worker sees them, and a flood of them must not become a flood of
 * writes: each isolate adds to D1 what it has counted, at most once a minute, with a later request. An isolate that ends
 * loses the counts of its last minute.
 */
import { addToCounters, type CounterName, type LimitedCall } from "../../d1/counters.ts";
import { MINUTE } from "../../../protocol/time/units.ts";
import type { RequestContext } from "./context.ts";

const WRITTEN_EVERY = MINUTE;

/** What this isolate has counted and not written. */
let unwritten = new Map<CounterName, number>();
let writtenAt = -Infinity;

/** Call it with every response. Nothing waits for the write. */
export function countRefusal(c: RequestContext, status: number): void {
  const name = status < 400 ? null : chooseCounter(c.req.path, status);
  if (name !== null) addUnwritten(name, 1);
  if (unwritten.size === 0) return;
  const now = Date.now();
  // In either direction: a clock that was set back must not stop the counting.
  if (Math.abs(now - writtenAt) < WRITTEN_EVERY) return;
  writtenAt = now;
  c.executionCtx.waitUntil(writeCounts(c.env.DATABASE));
}

async function writeCounts(db: D1Database): Promise<void> {
  const counts = unwritten;
  unwritten = new Map();
  try {
    await addToCounters(db, counts);
  } catch {
    // D1 is away, which others log. The next write has these counts, too.
    for (const [name, count] of counts) addUnwritten(name, count);
  }
}

function addUnwritten(name: CounterName, count: number): void {
  unwritten.set(name, (unwritten.get(name) ?? 0) + count);
}

/** @param path of a request that was refused with this status */
function chooseCounter(path: string, status: number): CounterName | null {
  if (status === 429) return `limited ${classifyCall(path)}`;
  if (path === "/auth/login" && status < 500) return "login account";
  if (path === "/terminal/login" && status < 500) return "login terminal";
  return path.startsWith("/operator/") && status === 401 ? "login operator" : null;
}

function classifyCall(path: string): LimitedCall {
  if (path.startsWith("/api/transfer")) return "transfer";
  if (path.startsWith("/auth/")) return "session";
  if (path.startsWith("/terminal/")) return "terminal";
  return path.startsWith("/operator/") ? "operator" : "other";
}
