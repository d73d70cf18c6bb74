import { POS_CALL_WITHIN, RENEW_BEFORE } from "../../limits.ts";
import type { Fetch } from "../fetch.ts";
import { exchange } from "./http.ts";
import type { HttpOutcome } from "./http.ts";

interface Token {
  text: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

interface TokenPair {
  access: Token;
  refresh: Token;
}

export interface SessionOptions {
  address: string;
  posId: string;
  password: string;
  fetch: Fetch;
  /** Epoch milliseconds. */
  now: () => number;
}

export type TokenOutcome = { kind: "token"; token: string } | Exclude<HttpOutcome, { kind: "answer" }>;

/** A POS account's tokens, in memory only: logs in when needed, refreshes in time, once for however many callers. */
export class PosSession {
  readonly #options: SessionOptions;
  #pair: TokenPair | null = null;
  #renewing: Promise<TokenOutcome> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** An access token that will not expire on its way. */
  async token(): Promise<TokenOutcome> {
    const access = this.#pair?.access;
    if (access !== undefined && access.expiresAt - RENEW_BEFORE > this.#options.now()) {
      return { kind: "token", token: access.text };
    }
    return this.#renew();
  }

  /** A token in the place of one that the gateway did not take. */
  async tokenInsteadOf(refused: string): Promise<TokenOutcome> {
    // Somebody else may have renewed it meanwhile.
    if (this.#pair !== null && this.#pair.access.text !== refused) return this.token();
    return this.#renew();
  }

  /** Logs in, whatever tokens there are. */
  async login(): Promise<TokenOutcome> {
    const { posId, password } = this.#options;
    return this.#obtain({ path: "/auth/login", body: { posId, password } });
  }

  /** Ends the session at the gateway and forgets the tokens. */
  async logout(): Promise<HttpOutcome | null> {
    const token = this.#pair?.refresh.text;
    this.#pair = null;
    return token === undefined ? null : this.#post({ path: "/auth/logout", token });
  }

  #renew(): Promise<TokenOutcome> {
    this.#renewing ??= this.#refreshOrLogin().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #refreshOrLogin(): Promise<TokenOutcome> {
    const refresh = this.#pair?.refresh;
    if (refresh === undefined || refresh.expiresAt - RENEW_BEFORE <= this.#options.now()) return this.login();
    const outcome = await this.#obtain({ path: "/auth/refresh", token: refresh.text });
    if (outcome.kind !== "refused" || outcome.problem.kind !== "unauthorized") return outcome;
    this.#pair = null;
    return this.login();
  }

  async #obtain(call: { path: string; token?: string; body?: object }): Promise<TokenOutcome> {
    const outcome = await this.#post(call);
    if (outcome.kind !== "answer") return outcome;
    const pair = readPair(outcome.body);
    if (pair === null) {
      return { kind: "refused", problem: { kind: "unexpected_answer", message: "Not a token pair." } };
    }
    this.#pair = pair;
    return { kind: "token", token: pair.access.text };
  }

  #post(call: { path: string; token?: string; body?: object }): Promise<HttpOutcome> {
    const { address, fetch } = this.#options;
    return exchange(address, fetch, { method: "POST", within: POS_CALL_WITHIN, ...call });
  }
}

function readPair(body: Uint8Array<ArrayBuffer>): TokenPair | null {
  try {
    const answer = JSON.parse(new TextDecoder().decode(body));
    const access = readToken(answer.access);
    const refresh = readToken(answer.refresh);
    return access === null || refresh === null ? null : { access, refresh };
  } catch {
    return null;
  }
}

function readToken(value: { token?: unknown; expiresAt?: unknown }): Token | null {
  const { token, expiresAt } = value;
  if (typeof token !== "string" || typeof expiresAt !== "string") return null;
  const until = Date.parse(expiresAt);
  return Number.isNaN(until) ? null : { text: token, expiresAt: until };
}
