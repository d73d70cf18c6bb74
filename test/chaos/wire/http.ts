/** HTTP calls, each on a connection of its own, so that a fault hits one call and not its neighbours. */
import type { Wire } from "../journal.ts";

export interface Reply {
  /** Null: no answer came, and nobody knows whether the call was carried out. */
  status: number | null;
  /** The JSON object that came; empty for anything else. */
  body: Wire;
  /** Seconds, of a 429. */
  retryAfter: number;
  why: string;
}

export interface Call {
  method: string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
  /** Sent as it is; an object as JSON. */
  body?: string | object | undefined;
  /** Milliseconds until the caller hangs up. */
  within?: number;
}

/** A caller that hangs up by itself. */
export const HUNG_UP = "no answer in time";

export function noReply(why: string): Reply {
  return { status: null, body: {}, retryAfter: 0, why };
}

export async function call(
  port: number,
  { method, path, token, body, within = 20_000, ...more }: Call,
): Promise<Reply> {
  const headers = new Headers({ Connection: "close", ...more.headers });
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const text = typeof body === "object" ? JSON.stringify(body) : (body ?? null);
  try {
    const asked = { method, headers, body: text, signal: AbortSignal.timeout(within) };
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, asked);
    const retryAfter = Number(reply.headers.get("Retry-After") ?? 0);
    return { status: reply.status, body: parsed(await reply.text()) ?? {}, retryAfter, why: "" };
  } catch (error) {
    const { name, cause = error } = error as Error;
    return noReply(name === "TimeoutError" ? HUNG_UP : String(cause));
  }
}

/** A JSON object, or null for anything else. */
export function parsed(text: string): Wire | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
