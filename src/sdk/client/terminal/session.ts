import { err, ok, type Result } from "../../../protocol/result.ts";
import { formatDatetime } from "../../../protocol/time/datetime.ts";
import type { MachineClocks } from "./clock.ts";
import type { ActivatedTerminal } from "../../../protocol/accounts.ts";
import { gatewayAddress } from "../check-options.ts";
import { exchangeInTime, platformFetch, type Fetch } from "../deadline.ts";
import { isOwnRefusal } from "../own-refusal.ts";
import { signMessage } from "../signature.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../../protocol/time/units.ts";

export const TERMINAL_HTTP_WITHIN = 15 * SECOND;

/** A terminal stops using its token this long before it expires: the token still has to arrive. */
export const TERMINAL_TOKEN_MARGIN = 10 * SECOND;

export type SessionProblem =
  /** No answer, or none of the gateway: a 5xx, a proxy's error, a login page. `cause`: the platform's error. */
  | { kind: "unreachable"; message: string; cause?: unknown }
  /** The terminal is unknown or retired, the secret is wrong, or the activation code is: `message` says what to do. */
  | { kind: "login-refused"; message: string }
  | { kind: "rate-limited"; retryAfterSeconds: number }
  | { kind: "rejected"; status: number; message: string };

export type SessionResult<T> = Result<T, SessionProblem>;

/** `serverTime` is the gateway's time in a refusal, if it has one. */
type Answer = SessionResult<Record<string, unknown>> & { serverTime?: EpochMs };

interface Credentials {
  address: string;
  terminalId: string;
  secret: string;
}

/**
 * Logs the terminal in and binds it. Each message is signed; the secret itself is never sent. If the machine's clock is
 * wrong, the gateway returns its time, and the message is signed again with that.
 */
export class TerminalSession {
  readonly #credentials: Credentials;
  readonly #fetch: Fetch;
  readonly #clocks: MachineClocks;
  /** How far the gateway's time is ahead of the machine's. */
  #clockOffset: Milliseconds = 0;
  /** `until` is by the monotonic clock. */
  #token: { text: string; until: number } | null = null;

  constructor(credentials: Credentials, fetch: Fetch, clocks: MachineClocks) {
    this.#credentials = credentials;
    this.#fetch = fetch;
    this.#clocks = clocks;
  }

  /** Returns a token for binding and connecting, which is valid for a few minutes. */
  async token(): Promise<SessionResult<string>> {
    if (this.#token !== null && this.#token.until > this.#clocks.monotonic()) return ok(this.#token.text);
    const login = await this.#login();
    return login.ok ? ok(login.value.token) : login;
  }

  /** Returns the gateway's time right now, by a login: that is the one call that returns it. */
  async time(): Promise<SessionResult<EpochMs>> {
    const login = await this.#login();
    return login.ok ? ok(login.value.serverTime) : login;
  }

  async #login(): Promise<SessionResult<{ token: string; serverTime: EpochMs }>> {
    const { terminalId } = this.#credentials;
    const answer = await this.#postSigned("/terminal/login", { terminalId }, null);
    if (!answer.ok) return answer;
    const { token, expiresAt, serverTime } = answer.value;
    if (typeof token !== "string" || typeof expiresAt !== "string" || typeof serverTime !== "number") {
      return this.#lostAnswer();
    }
    // The life is NaN without a valid time: no moment is before it, so the token serves once.
    const life = Date.parse(expiresAt) - serverTime - TERMINAL_TOKEN_MARGIN;
    this.#token = { text: token, until: this.#clocks.monotonic() + life };
    return ok({ token, serverTime });
  }

  dropToken(): void {
    this.#token = null;
  }

  async bind(key: string): Promise<SessionResult<{ posId: string; merchantId: string }>> {
    let answer = await this.#bind(key);
    if (!answer.ok && answer.error.kind === "login-refused") {
      // The token was from before the secret changed, or the machine's clock stood still while it slept.
      this.dropToken();
      answer = await this.#bind(key);
    }
    if (!answer.ok) return answer;
    const { posId, merchantId } = answer.value;
    if (typeof posId !== "string" || typeof merchantId !== "string") return this.#lostAnswer();
    return ok({ posId, merchantId });
  }

  async #bind(key: string): Promise<SessionResult<Record<string, unknown>>> {
    const token = await this.token();
    return token.ok ? this.#postSigned("/terminal/bind", { key }, token.value) : token;
  }

  /** Each call gets a new signature: the gateway accepts a login once. */
  async #postSigned(path: string, members: object, token: string | null): Promise<Answer> {
    const { address, secret } = this.#credentials;
    const send = async (): Promise<Answer> => {
      const datetime = formatDatetime(this.#clocks.wall() + this.#clockOffset);
      const signed = await signMessage({ ...members, datetime, nonce: crypto.randomUUID() }, secret);
      return post({ address, fetch: this.#fetch }, path, signed, token);
    };
    const first = await send();
    if (first.ok || first.error.kind !== "rejected" || first.serverTime === undefined) return first;
    this.#clockOffset = first.serverTime - this.#clocks.wall();
    return send();
  }

  /** The answer is a proxy's, or a login page. It refuses nothing. */
  #lostAnswer(): SessionResult<never> {
    return err(unreachable(this.#credentials.address));
  }
}

export interface ActivationOptions {
  /** https, or http on this machine. */
  baseUrl: string;
  /** As somebody typed or scanned it, in any case, with or without dashes. */
  activationCode: string;
  fetch?: Fetch | undefined;
}

/**
 * Exchanges an activation code for the terminal's id and secret. The code works once: store the secret before anything
 * else. If the problem is `unreachable`, send the code again; if it was used by then, the secret was lost, and the operator
 * creates another code.
 */
export async function activateTerminal({
  baseUrl,
  activationCode,
  fetch = platformFetch,
}: ActivationOptions): Promise<SessionResult<ActivatedTerminal>> {
  const address = gatewayAddress(baseUrl);
  const answer = await post({ address, fetch }, "/terminal/activate", { activationCode }, null);
  if (!answer.ok) return answer;
  const { terminalId, secret, serverTime } = answer.value;
  if (typeof terminalId !== "string" || typeof secret !== "string" || typeof serverTime !== "number") {
    return err(unreachable(address));
  }
  return ok({ terminalId, secret, serverTime });
}

async function post(
  { address, fetch }: { address: string; fetch: Fetch },
  path: string,
  body: object,
  token: string | null,
): Promise<Answer> {
  let response: Response;
  let answer: unknown;
  try {
    ({ response, answer } = await exchangeInTime(
      fetch,
      { within: TERMINAL_HTTP_WITHIN },
      (signal) =>
        new Request(address + path, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(body),
          // A redirect would send the token and the message elsewhere.
          redirect: "manual",
          signal,
        }),
      async (answered) => ({ response: answered, answer: (await answered.json()) as unknown }),
    ));
  } catch (cause) {
    return err({ ...unreachable(address), cause });
  }
  const members: Record<string, unknown> = typeof answer === "object" && answer !== null ? { ...answer } : {};
  if (response.ok) return ok(members);
  if (!isOwnRefusal(response.status, members)) return err(unreachable(address));
  const { serverTime } = members;
  return {
    ok: false,
    error: readProblem(address, response, readMessage(members) ?? `HTTP status ${response.status}`),
    ...(typeof serverTime === "number" ? { serverTime } : {}),
  };
}

function unreachable(address: string): SessionProblem & { kind: "unreachable" } {
  return { kind: "unreachable", message: `The gateway at ${address} cannot be reached.` };
}

function readProblem(address: string, response: Response, message: string): SessionProblem {
  if (response.status === 401) return { kind: "login-refused", message };
  if (response.status === 429) {
    return { kind: "rate-limited", retryAfterSeconds: Number(response.headers.get("Retry-After")) || 60 };
  }
  if (response.status >= 500) return unreachable(address);
  return { kind: "rejected", status: response.status, message };
}

/** Returns an invalid field's own message, if there is one. */
function readMessage({ message, details }: Record<string, unknown>): string | null {
  const [first]: unknown[] = Array.isArray(details) ? details : [];
  if (typeof first === "object" && first !== null && "message" in first && typeof first.message === "string") {
    return first.message;
  }
  return typeof message === "string" ? message : null;
}
