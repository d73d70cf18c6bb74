/** HTTP calls, each on a connection of its own, so that a fault hits one call and not its neighbours. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { Wire } from "../journal.ts";

export interface Reply {
  /** Null: no answer came, and nobody knows whether the call was carried out. */
  status: number | null;
  headers: IncomingHttpHeaders;
  /** The JSON object that came; empty for anything else. */
  body: Wire;
  /** Why no answer came. */
  why: string;
}

export interface Call {
  method: string;
  path: string;
  /** Bearer token. */
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
  return { status: null, headers: {}, body: {}, why };
}

export async function call(
  port: number,
  { method, path, token, headers, body, within = 20_000 }: Call,
): Promise<Reply> {
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const all = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
    ...headers,
  };
  const sent = request({ host: "127.0.0.1", port, method, path, headers: all, agent: false });
  let isLate = false;
  const patience = setTimeout(() => {
    isLate = true;
    sent.destroy();
  }, within);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve).on("error", reject).end(text);
    });
    const answer = await textOf(response);
    return { status: response.statusCode ?? null, headers: response.headers, body: parsed(answer) ?? {}, why: "" };
  } catch (error) {
    return noReply(isLate ? HUNG_UP : (error as Error).message);
  } finally {
    clearTimeout(patience);
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
