import type { Milliseconds } from "../../protocol/time/units.ts";

/** Undefined and empty parameters are omitted. */
export type CallQuery = Record<string, string | undefined>;

export type ChangeMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** The answer is a 404. */
export const NONE = "none";

/** Each begins after `/operator`. */
export const pathOf = {
  terminal: (terminalId: string) => `/terminals/${encodeURIComponent(terminalId)}`,
  account: (posId: string) => `/accounts/${encodeURIComponent(posId)}`,
  shop: (merchantId: string) => `/shops/${encodeURIComponent(merchantId)}`,
  channel: (name: string) => `/channels/${encodeURIComponent(name)}`,
};

interface Problem {
  path: string;
  message: string;
}

/** A failure that the user can understand. `status` 0: no answer. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly status: number;
  readonly details: Problem[];

  constructor(status: number, message: string, details: Problem[] = []) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

export function isCallError(error: unknown): error is CallError {
  return error instanceof CallError;
}

/** Returns the message, with every invalid field. Throws any other error: it is a fault of the page. */
export function callProblem(error: unknown): string {
  if (!isCallError(error)) throw error;
  const { message, details } = error;
  const named = details.filter(({ path }) => path !== "");
  if (named.length === 0) return details[0]?.message ?? message;
  return named.map((detail) => `${detail.path}: ${detail.message}`).join(" ");
}

const UNREACHABLE = "The gateway does not answer. Check your connection, then try again.";
const ENDED = "Your session at Cloudflare Access has ended. Reload the page to sign in again.";

/** The gateway itself answers within 10 s. */
const ANSWER_WITHIN: Milliseconds = 20_000;

/** Calls to the gateway of this page. The token is stored here and nowhere else (I6). */
export class OperatorCalls {
  readonly #token: string | null;
  /** The gateway no longer accepts the sign-in. */
  onSignedOut: () => void = () => {};

  /** @param token null if Cloudflare Access signs each request in */
  constructor(token: string | null) {
    this.#token = token;
  }

  /** `path` begins after `/operator`. Throws CallError. */
  async get<Answer>(path: string, query: CallQuery = {}): Promise<Answer> {
    return (await this.#call("GET", path + formatQuery(query))) as Answer;
  }

  /** Returns `NONE` for a 404. */
  async find<Answer>(path: string, query: CallQuery = {}): Promise<Answer | typeof NONE> {
    try {
      return await this.get<Answer>(path, query);
    } catch (error) {
      if (isCallError(error) && error.status === 404) return NONE;
      throw error;
    }
  }

  async send<Answer>(method: ChangeMethod, path: string, body?: object): Promise<Answer> {
    return (await this.#call(method, path, body)) as Answer;
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.#fetch(method, path, body);
    // A redirect that was not followed.
    if (response.status === 0) {
      this.onSignedOut();
      throw new CallError(401, ENDED);
    }
    const answer = await readAnswer(response);
    if (response.ok) return answer;
    if (response.status === 401) this.onSignedOut();
    const { message, details } = answer as { message?: string; details?: Problem[] };
    throw new CallError(response.status, message ?? `The gateway answered ${response.status}.`, details);
  }

  async #fetch(method: string, path: string, body?: object): Promise<Response> {
    const headers: Record<string, string> = {};
    if (this.#token !== null) headers["Authorization"] = `Bearer ${this.#token}`;
    // Behind Cloudflare Access, even a change without a body needs the header.
    if (method !== "GET") headers["Content-Type"] = "application/json";
    try {
      return await fetch(`/operator${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Cloudflare Access redirects to its sign-in.
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWER_WITHIN),
      });
    } catch {
      throw new CallError(0, UNREACHABLE);
    }
  }
}

/**
 * A refusal may be empty, as proxies' refusals are. An answer that broke off says nothing about the call, so it throws.
 */
async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => null);
  if (text === null) throw new CallError(0, UNREACHABLE);
  try {
    return text === "" && !response.ok ? {} : JSON.parse(text);
  } catch {
    throw new CallError(response.status, `The gateway answered ${response.status} without JSON.`);
  }
}

/** With its question mark. */
export function formatQuery(query: CallQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
