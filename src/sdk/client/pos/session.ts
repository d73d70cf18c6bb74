import { formatDatetime } from "../../../protocol/time/datetime.ts";
import { signMessage } from "../signature.ts";
import { exchange, lostAnswer, parseMembers, type HttpOutcome } from "./http.ts";
import type { Setup } from "./options.ts";
import type { Token, TokenPair } from "../../../protocol/accounts.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";

/** A POS renews its access token this long before it expires: requests take time to arrive, and clocks differ. */
export const RENEW_BEFORE = 30 * SECOND;

/** Default for all attempts of any other call. */
export const POS_CALL_WITHIN = 30 * SECOND;

export type TokenOutcome = { kind: "token"; token: string } | Exclude<HttpOutcome, { kind: "answer" }>;

/** Logs in when necessary and refreshes in time, once for all concurrent callers. */
export class PosSession {
  readonly #options: Setup;
  #pair: TokenPair | null = null;
  /** Until when the access token is used. */
  #usedUntil: EpochMs = 0;
  #loading: Promise<void> | null = null;
  #renewing: Promise<TokenOutcome> | null = null;

  constructor(options: Setup) {
    this.#options = options;
  }

  async token(): Promise<TokenOutcome> {
    await this.#load();
    if (this.#pair !== null && this.#options.now() < this.#usedUntil) {
      return { kind: "token", token: this.#pair.access.token };
    }
    return this.renew();
  }

  async replaceToken(refused: string): Promise<TokenOutcome> {
    // Another caller may have renewed it meanwhile.
    if (this.#pair !== null && this.#pair.access.token !== refused) return this.token();
    return this.renew();
  }

  async login(): Promise<TokenOutcome> {
    // Stored tokens must not replace the new ones.
    await this.#load();
    return this.#obtain({ path: "/auth/login", body: await this.#credentials() });
  }

  /** A signed login is valid once: each attempt is signed again. */
  async #credentials(): Promise<object> {
    const { posId, password, signingKey, now } = this.#options;
    if (password !== undefined) return { posId, password };
    return signMessage({ posId, datetime: formatDatetime(now()), nonce: crypto.randomUUID() }, signingKey);
  }

  /** Even if the current pair is valid: by a refresh, otherwise by a login. */
  async renew(): Promise<TokenOutcome> {
    await this.#load();
    this.#renewing ??= this.#refreshOrLogin().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Forgets the tokens. Resolves to the one that can end the session at the gateway, or to null if there is none. */
  async leave(): Promise<string | null> {
    await this.#load();
    const token = this.#pair?.refresh.token ?? null;
    await this.#keep(null);
    return token;
  }

  #isFresh(token: Token): boolean {
    return computeRenewal(token) > this.#options.now();
  }

  async #refreshOrLogin(): Promise<TokenOutcome> {
    const refresh = this.#pair?.refresh;
    if (refresh === undefined || !this.#isFresh(refresh)) return this.login();
    const outcome = await this.#obtain({ path: "/auth/refresh", token: refresh.token });
    if (outcome.kind !== "refused" || outcome.problem.kind !== "unauthorized") return outcome;
    await this.#keep(null);
    return this.login();
  }

  async #obtain(call: { path: string; token?: string; body?: object }): Promise<TokenOutcome> {
    const outcome = await exchange(this.#options, { method: "POST", within: POS_CALL_WITHIN, ...call });
    if (outcome.kind === "refused" && outcome.problem.kind === "unauthorized" && call.token === undefined) {
      return { ...outcome, problem: { ...outcome.problem, message: this.#wrongCredentials() } };
    }
    if (outcome.kind !== "answer") return outcome;
    const pair = readTokens(parseMembers(outcome.body));
    if (pair === null) return lostAnswer(this.#options.address, { status: 200, headers: outcome.headers });
    await this.#keep(pair);
    return { kind: "token", token: pair.access.token };
  }

  /** Names the mistake in the words of the client's options. */
  #wrongCredentials(): string {
    const secret = this.#options.password === undefined ? "signingKey" : "password";
    return `posId or ${secret} is wrong: the gateway refused the login.`;
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce();
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    try {
      this.#pair = readTokens(await this.#options.tokens?.load());
      if (this.#pair !== null) this.#usedUntil = computeRenewal(this.#pair.access);
    } catch {
      // A failing store only costs a login.
    }
  }

  async #keep(pair: TokenPair | null): Promise<void> {
    this.#pair = pair;
    if (pair !== null) this.#usedUntil = usableUntil(pair.access, this.#options.now());
    try {
      await this.#options.tokens?.save(pair);
    } catch {
      // A failing store only costs a login at the next start.
    }
  }
}

/** So early that the token does not expire in transit. */
function computeRenewal({ expiresAt }: Token): number {
  return Date.parse(expiresAt) - RENEW_BEFORE;
}

/**
 * Returns the renewal time normally. If that has passed for a new token, midnight is near or this machine's clock is
 * ahead: the gateway has no token that lasts longer, and each call would log in again. So the token is used until it
 * ends, or until the gateway refuses it.
 */
function usableUntil(token: Token, now: number): number {
  const [renewal, ends] = [computeRenewal(token), Date.parse(token.expiresAt)];
  if (renewal > now) return renewal;
  return ends > now ? ends : Infinity;
}

/**
 * Stores a POS's tokens between runs. Until midnight they are worth as much as the password: use a place that only the
 * POS can read, never a browser's local storage. A failing store only costs a login.
 */
export interface TokenStore {
  load(): Promise<TokenPair | null>;
  /** Null ends the session in the store. */
  save(tokens: TokenPair | null): Promise<void>;
}

/** The characters that a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Null if `value` is not a token pair. */
export function readTokens(value: unknown): TokenPair | null {
  if (typeof value !== "object" || value === null || !("access" in value) || !("refresh" in value)) return null;
  const access = readToken(value.access);
  const refresh = readToken(value.refresh);
  return access === null || refresh === null ? null : { access, refresh };
}

function readToken(value: unknown): Token | null {
  if (typeof value !== "object" || value === null || !("token" in value) || !("expiresAt" in value)) return null;
  const { token, expiresAt } = value;
  if (
    typeof token !== "string" ||
    !TOKEN.test(token) ||
    typeof expiresAt !== "string" ||
    Number.isNaN(Date.parse(expiresAt))
  )
    return null;
  return { token, expiresAt };
}
