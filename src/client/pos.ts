/**
 * A point of sale's side of the gateway, in any JavaScript runtime. It keeps the session, signs requests, believes only
 * signed answers, and repeats the very same transaction until its outcome is known: asking again is sending again.
 *
 * ```ts
 * const pos = new PosClient({ baseUrl, posId, password, merchantId, signingKey });
 * const referenceId = newReferenceId(); // keep it before you call
 * const answer = await pos.sale({ deviceId, referenceId, transAmt: "12.50", paymentMethod: "bankCard" });
 * if (answer.statusCode === "00") …
 * ```
 */
import { POS_CALL_WITHIN, POS_HTTP_WITHIN, POS_TRANSFER_WITHIN } from "../limits.ts";
import { formatDatetime } from "../time/datetime.ts";
import { gatewayAddress } from "./base-url.ts";
import { platformFetch } from "./fetch.ts";
import type { Fetch } from "./fetch.ts";
import { PosError } from "./pos/error.ts";
import { exchange } from "./pos/http.ts";
import type { HttpCall, HttpOutcome } from "./pos/http.ts";
import type { BindKey, Channel, Terminal } from "./pos/lists.ts";
import { repeat } from "./pos/repeat.ts";
import type { Try } from "./pos/repeat.ts";
import { PosSession } from "./pos/session.ts";
import type { TokenOutcome } from "./pos/session.ts";
import { readAnswer } from "./pos/transfer.ts";
import type {
  Asked,
  CashOutRequest,
  InquiryRequest,
  SaleRequest,
  TransferAnswer,
  TransferTarget,
  VoidRequest,
} from "./pos/transfer.ts";
import { signed } from "./signature.ts";

export { PosError } from "./pos/error.ts";
export type { PosErrorDetail, PosProblem } from "./pos/error.ts";
export type { BindKey, Channel, Terminal } from "./pos/lists.ts";
export { newReferenceId } from "./pos/reference.ts";
export type {
  CashOutRequest,
  InquiryRequest,
  PaymentMethod,
  SaleRequest,
  StatusCode,
  TransactionDetails,
  TransferAnswer,
  TransferTarget,
  VoidRequest,
} from "./pos/transfer.ts";

export interface PosClientOptions {
  /** The gateway's address: https, or http on the own machine. */
  baseUrl: string;
  posId: string;
  password: string;
  merchantId: string;
  /** As shown once when the account was made, or its signing key rotated. */
  signingKey: string;
  fetch?: Fetch;
  /** Epoch milliseconds; must be right within 15 minutes. */
  now?: () => number;
  random?: () => number;
}

export interface CallOptions {
  /** Milliseconds for the call with all its repetitions. */
  within?: number;
  signal?: AbortSignal;
}

export interface TransferOptions extends CallOptions {
  /**
   * How many seconds the gateway may hold each answer back at most; 0: not at all. When they are over it answers 22, and
   * the transaction goes on.
   */
  wait?: number;
}

export class PosClient {
  readonly #options: PosClientOptions;
  readonly #address: string;
  readonly #fetch: Fetch;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #session: PosSession;

  constructor(options: PosClientOptions) {
    this.#options = options;
    this.#address = gatewayAddress(options.baseUrl);
    this.#fetch = options.fetch ?? platformFetch;
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    const { posId, password } = options;
    this.#session = new PosSession({ address: this.#address, posId, password, fetch: this.#fetch, now: this.#now });
  }

  /** Logs in now; otherwise the first call does. */
  async login(options: CallOptions = {}): Promise<void> {
    await this.#repeat(options, POS_CALL_WITHIN, async () => {
      const outcome = await this.#session.login();
      return outcome.kind === "token" ? { kind: "done", value: undefined } : notTaken(outcome);
    });
  }

  /** Ends the session; a later call begins a new one. */
  async logout(): Promise<void> {
    const outcome = await this.#session.logout();
    if (outcome !== null && outcome.kind !== "answer") throw new PosError(outcome.problem, false);
  }

  /** A key with which a terminal binds itself to the account: single use, for some minutes. */
  async bindKey(options: CallOptions = {}): Promise<BindKey> {
    const answer = await this.#json({ method: "GET", path: "/api/bind-terminal-key" }, options);
    const { key, expiresAt } = answer;
    if (typeof key !== "string" || typeof expiresAt !== "string") throw unexpected();
    return { key, expiresAt };
  }

  /** The same as a PNG image: a QR code that holds the key's text. */
  async bindKeyImage(options: CallOptions = {}): Promise<{ image: Uint8Array<ArrayBuffer>; expiresAt: string | null }> {
    const { body, headers } = await this.#call({ method: "GET", path: "/api/bind-terminal-key?option=image" }, options);
    return { image: body, expiresAt: headers.get("X-Bind-Key-Expires-At") };
  }

  /** Replaces the list of terminals that may bind themselves without a key: ten count, the rest is ignored. */
  async prebind(uniqueIds: string[], options: CallOptions = {}): Promise<void> {
    await this.#call({ method: "POST", path: "/api/prebind-terminals", body: { uniqueIds } }, options);
  }

  async prebound(options: CallOptions = {}): Promise<string[]> {
    return this.#list<string>("/api/prebind-terminals", options);
  }

  async terminals(options: CallOptions = {}): Promise<Terminal[]> {
    return this.#list<Terminal>("/api/terminals", options);
  }

  /** Unbinds a terminal from the account. */
  async unbind(terminalId: string, options: CallOptions = {}): Promise<void> {
    await this.#call({ method: "DELETE", path: `/api/terminals/${encodeURIComponent(terminalId)}` }, options);
  }

  /** The e-wallet channels, of one currency or all. */
  async channels(currency?: string, options: CallOptions = {}): Promise<Channel[]> {
    const query = currency === undefined ? "" : `?currency=${encodeURIComponent(currency)}`;
    return this.#list<Channel>(`/api/ewallet-channels${query}`, options);
  }

  /** A standard purchase. */
  async sale(
    { deviceId, referenceId, referenceLabel, ...transData }: SaleRequest,
    options: TransferOptions = {},
  ): Promise<TransferAnswer> {
    return this.#transfer("sale", { deviceId, referenceId, referenceLabel }, transData, options);
  }

  /** A purchase with cash handed out, by domestic debit card. */
  async cashOut(
    { deviceId, referenceId, referenceLabel, ...transData }: CashOutRequest,
    options: TransferOptions = {},
  ): Promise<TransferAnswer> {
    const target = { deviceId, referenceId, referenceLabel };
    return this.#transfer("cashOut", target, { ...transData, paymentMethod: "bankCard" }, options);
  }

  /** Takes back an approved sale or cashOut. It is a transaction of its own, with a referenceId of its own. */
  async void(
    { deviceId, referenceId, referenceLabel, ...transData }: VoidRequest,
    options: TransferOptions = {},
  ): Promise<TransferAnswer> {
    return this.#transfer("void", { deviceId, referenceId, referenceLabel }, transData, options);
  }

  /** What became of a transaction. */
  async inquiry({ about, ...target }: InquiryRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("inquiry", target, about, options);
  }

  /** The last transaction of this account that reached the terminal. */
  async getLast(target: TransferTarget, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("getLast", target, undefined, options);
  }

  /** Cancels the transaction with this referenceId, if it is not too late. The answer says what became of it. */
  async cancel(
    { deviceId, referenceId }: { deviceId: string; referenceId: string },
    options: TransferOptions = {},
  ): Promise<TransferAnswer> {
    return this.#send("/api/transfer/cancel", { posId: this.#options.posId, deviceId, referenceId }, options);
  }

  async #transfer(
    transType: string,
    target: TransferTarget,
    transData: object | undefined,
    options: TransferOptions,
  ): Promise<TransferAnswer> {
    const { posId, merchantId } = this.#options;
    const message = { transType, posId, merchantId, ...target, transData, apiVersion: "v1" };
    return this.#send("/api/transfer", message, options);
  }

  /** I3: the same transaction again and again, each time with a new time stamp and signature, until it has an end. */
  async #send(path: string, message: Asked, options: TransferOptions): Promise<TransferAnswer> {
    const { signingKey } = this.#options;
    return this.#repeat(options, POS_TRANSFER_WITHIN, async (left): Promise<Try<TransferAnswer>> => {
      const body = await signed({ ...message, datetime: formatDatetime(this.#now()) }, signingKey);
      const outcome = await this.#authorised({
        method: "POST",
        path,
        body,
        within: Math.min(POS_HTTP_WITHIN, Math.max(left, 1_000)),
        signal: options.signal,
        ...preference(left, options.wait),
      });
      if (outcome.kind === "unavailable") return outcome;
      if (outcome.kind === "refused") return { kind: "failed", problem: outcome.problem, taken: false };
      const read = await readAnswer(outcome.body, message, signingKey);
      switch (read.kind) {
        case "answer":
          return { kind: read.answer.statusCode === "22" ? "pending" : "done", value: read.answer };
        case "forged":
          return {
            kind: "failed",
            taken: true,
            problem: { kind: "forged_answer", message: "The answer is not the gateway's answer to this request." },
          };
        case "unexpected":
          return { kind: "failed", taken: true, problem: unexpected().problem };
        default:
          return read satisfies never;
      }
    });
  }

  async #list<Item>(path: string, options: CallOptions): Promise<Item[]> {
    const { data } = await this.#json({ method: "GET", path }, options);
    if (!Array.isArray(data)) throw unexpected();
    return data;
  }

  async #json(call: HttpCall, options: CallOptions): Promise<Record<string, unknown>> {
    const { body } = await this.#call(call, options);
    try {
      return { ...JSON.parse(new TextDecoder().decode(body)) };
    } catch {
      throw unexpected();
    }
  }

  /** Calls that may be repeated without harm: all but transfers, which have a loop of their own. */
  async #call(call: HttpCall, options: CallOptions): Promise<HttpOutcome & { kind: "answer" }> {
    return this.#repeat(options, POS_CALL_WITHIN, async (left) => {
      const within = Math.max(Math.min(left, POS_CALL_WITHIN), 1_000);
      const outcome = await this.#authorised({ ...call, within, signal: options.signal });
      return outcome.kind === "answer" ? { kind: "done", value: outcome } : notTaken(outcome);
    });
  }

  /** One call with a token; with another one when the first is not taken. */
  async #authorised(call: HttpCall): Promise<HttpOutcome> {
    const first = await this.#session.token();
    if (first.kind !== "token") return withoutToken(first);
    const outcome = await exchange(this.#address, this.#fetch, { ...call, token: first.token });
    if (outcome.kind !== "refused" || outcome.problem.kind !== "unauthorized") return outcome;
    const second = await this.#session.tokenInsteadOf(first.token);
    if (second.kind !== "token") return withoutToken(second);
    return exchange(this.#address, this.#fetch, { ...call, token: second.token });
  }

  #repeat<T>(options: CallOptions, within: number, attempt: (left: number) => Promise<Try<T>>): Promise<T> {
    const { signal } = options;
    return repeat(attempt, { within: options.within ?? within, signal, now: this.#now, random: this.#random });
  }
}

/** RFC 7240: the caller's shorter wait, or the one that lets the gateway answer before the time is over. */
function preference(left: number, wait: number | undefined): { prefer?: string } {
  const seconds = Math.min(wait ?? Infinity, left < POS_HTTP_WITHIN ? Math.floor(left / 1_000) - 1 : Infinity);
  if (seconds === Infinity) return {};
  return { prefer: seconds <= 0 ? "respond-async" : `wait=${seconds}` };
}

/** The session failed: the call itself never left. */
function withoutToken(outcome: Exclude<TokenOutcome, { kind: "token" }>): HttpOutcome {
  return outcome.kind === "unavailable" ? { ...outcome, taken: false } : outcome;
}

/** An outcome without money: whatever was not answered can simply be called again. */
function notTaken(outcome: Exclude<HttpOutcome, { kind: "answer" }>): Try<never> {
  return outcome.kind === "refused"
    ? { kind: "failed", problem: outcome.problem, taken: false }
    : { ...outcome, taken: false };
}

function unexpected(): PosError {
  return new PosError({ kind: "unexpected_answer", message: "The answer is not what the interface says." }, false);
}
