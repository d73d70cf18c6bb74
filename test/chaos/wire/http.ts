/** HTTP calls, each on a connection of its own, so that a fault hits one call and not its neighbours. */
import { request, type IncomingHttpHeaders } from "node:http";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Call {
  method: string;
  path: string;
  /** Bearer token. */
  token?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as it is; an object as JSON. */
  body?: string | object | undefined;
  /** Milliseconds until the caller hangs up. */
  within?: number;
}

/** Nobody knows whether the call was carried out. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

const WITHIN = 20_000;

/** Throws `NoReply`. */
export async function call(port: number, { method, path, token, headers, body, within }: Call): Promise<Reply> {
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const all = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
    ...headers,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const fail = ({ message }: Error): void => reject(new NoReply(message));
  const sent = request({ host: "127.0.0.1", port, method, path, headers: all, agent: false }, (response) => {
    let answer = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => (answer += part));
    response.on("error", fail);
    response.on("end", () => {
      if (response.complete) resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer });
    });
    response.on("close", () => reject(new NoReply("the answer was cut")));
  });
  sent.on("error", fail);
  const patience = setTimeout(() => sent.destroy(new Error("no answer in time")), within ?? WITHIN);
  sent.end(text);
  try {
    return await promise;
  } finally {
    clearTimeout(patience);
  }
}

/** A JSON object, or null for anything else. */
export function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
