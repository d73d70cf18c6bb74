/** A POS's client at a gateway that does what a test says with each call, and keeps no state. */
import { afterEach, beforeEach, vi } from "vitest";
import { PosClient, PosError, type PosClientOptions } from "../../../../../src/sdk/client/pos.ts";
import { HOUR } from "../../../../../src/protocol/time/units.ts";
import { Inbox } from "../../../../support/scripted-gateway.ts";

export interface Call {
  method: string;
  /** With the query. */
  path: string;
  headers: Headers;
  redirect: string;
  body: Record<string, unknown> | null;
  /** Whether the client has given it up. */
  isEnded: () => boolean;
  answer: (response: Response) => void;
  /** The connection breaks. */
  lose: () => void;
}

const until = (life: number): string => new Date(Date.now() + life).toISOString();

export function tokens(name = "1", accessFor = HOUR / 4, refreshFor = 10 * HOUR) {
  return {
    access: { token: `access-${name}`, expiresAt: until(accessFor) },
    refresh: { token: `refresh-${name}`, expiresAt: until(refreshFor) },
  };
}

export const NOW = Date.UTC(2026, 10, 20, 10, 4, 7);

export const target = { deviceId: "T-1", referenceId: "R-1" };
export const sale = { ...target, transAmt: "1.00", paymentMethod: "bankCard" } as const;

/** Each test of the file begins at this moment, epoch milliseconds, and says when time passes. */
export function useStoppedClock(now = NOW): void {
  beforeEach(() => {
    vi.useFakeTimers({ now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** What a client needs to speak for a POS, at a gateway that only a test's `fetch` answers for. */
export const POS_OPTIONS = {
  baseUrl: "https://gateway.test",
  posId: "POS-1",
  merchantId: "M-1",
  signingKey: "key",
  password: "password",
};

export class ScriptedPos {
  readonly client: PosClient;
  readonly calls = new Inbox<Call>();
  /** The paths of all calls, in order. */
  readonly paths: string[] = [];
  readonly #answersLogins: boolean;
  #logins = 0;

  /** Logins and refreshes are answered with new tokens, unless the test answers them. */
  constructor(options: Partial<PosClientOptions> = {}, { answersLogins = true } = {}) {
    this.#answersLogins = answersLogins;
    this.client = new PosClient({
      ...POS_OPTIONS,
      random: () => 0,
      fetch: (request) => this.#fetch(request),
      ...options,
    });
  }

  call(): Promise<Call> {
    return this.calls.take("a call");
  }

  /** Answers the next calls, one each; null breaks its connection. */
  async answers(...responses: (Response | null)[]): Promise<Call[]> {
    const calls: Call[] = [];
    for (const response of responses) {
      const call = await this.call();
      if (response === null) call.lose();
      else call.answer(response);
      calls.push(call);
    }
    return calls;
  }

  async #fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.paths.push(pathname);
    if (this.#answersLogins && /^\/auth\/(?:login|refresh)$/u.test(pathname)) {
      this.#logins += 1;
      return Response.json(tokens(String(this.#logins)));
    }
    const text = await request.text();
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { method, headers, redirect, signal } = request;
    this.calls.put({
      method,
      path: pathname + search,
      headers,
      redirect,
      body: text === "" ? null : JSON.parse(text),
      isEnded: () => signal.aborted,
      answer: resolve,
      lose: () => reject(new TypeError("connection reset")),
    });
    return promise;
  }
}

/** What a call fails with. Call it before the call can fail. */
export async function failureOf(call: Promise<unknown>): Promise<PosError> {
  const outcome = await call.then(
    (value) => `no failure: ${JSON.stringify(value)}`,
    (error: unknown) => error,
  );
  if (outcome instanceof PosError) return outcome;
  throw new Error(String(outcome));
}

/** In the gateway's form, unless the test gives the whole text. */
export function refused(status: number, body: object | string = {}, headers: Record<string, string> = {}): Response {
  const own = { code: status * 100, message: "No.", traceId: "T" };
  return new Response(typeof body === "string" ? body : JSON.stringify({ ...own, ...body }), { status, headers });
}

/** The answer to a call that has nothing to return. */
export const DONE = { code: 20_000, message: "Done." };
