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
import { PosLine, unexpected } from "./pos/line.ts";
import type { BindKey, Channel, Terminal, TerminalDetails } from "./pos/lists.ts";
import type { CallOptions, PosClientOptions, TransferOptions } from "./pos/options.ts";
import type {
  CashOutRequest,
  InquiryRequest,
  SaleRequest,
  TransferAnswer,
  TransferTarget,
  VoidRequest,
} from "./pos/transfer.ts";

export type { Fetch } from "./fetch.ts";
export { PosError } from "./pos/error.ts";
export type { PosErrorDetail, PosProblem } from "./pos/error.ts";
export type { BindKey, Channel, Terminal, TerminalDetails } from "./pos/lists.ts";
export type { CallOptions, PosClientOptions, TransferOptions, TransferProgress } from "./pos/options.ts";
export { newReferenceId } from "./pos/reference.ts";
export type { Token, TokenPair, TokenStore } from "./pos/tokens.ts";
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

export class PosClient {
  readonly #options: PosClientOptions;
  readonly #line: PosLine;

  constructor(options: PosClientOptions) {
    this.#options = options;
    this.#line = new PosLine(options);
  }

  /** Logs in now; otherwise the first call does. */
  async login(options: CallOptions = {}): Promise<void> {
    await this.#line.login(options);
  }

  /** Renews the tokens now; otherwise they are renewed when they need it. */
  async refresh(options: CallOptions = {}): Promise<void> {
    await this.#line.refresh(options);
  }

  /** Ends the session; a later call begins a new one. */
  async logout(options: CallOptions = {}): Promise<void> {
    await this.#line.logout(options);
  }

  /** A key with which a terminal binds itself to the account: single use, for some minutes. */
  async bindKey(options: CallOptions = {}): Promise<BindKey> {
    const { key, expiresAt } = await this.#line.json("/api/bind-terminal-key", options);
    if (typeof key !== "string" || typeof expiresAt !== "string") throw unexpected();
    return { key, expiresAt };
  }

  /** The same as a PNG image: a QR code that holds the key's text. */
  async bindKeyImage(options: CallOptions = {}): Promise<{ image: Uint8Array<ArrayBuffer>; expiresAt: string | null }> {
    const { body, headers } = await this.#line.bytes("/api/bind-terminal-key?option=image", options);
    return { image: body, expiresAt: headers.get("X-Bind-Key-Expires-At") };
  }

  /** Replaces the list of terminals that may bind themselves without a key: ten count, the rest is ignored. */
  async prebind(uniqueIds: string[], options: CallOptions = {}): Promise<void> {
    await this.#line.call({ method: "POST", path: "/api/prebind-terminals", body: { uniqueIds } }, options);
  }

  async prebound(options: CallOptions = {}): Promise<string[]> {
    return this.#line.list<string>("/api/prebind-terminals", options);
  }

  async terminals(options: CallOptions = {}): Promise<Terminal[]> {
    return this.#line.list<Terminal>("/api/terminals", options);
  }

  async terminal(terminalId: string, options: CallOptions = {}): Promise<TerminalDetails> {
    const details = await this.#line.json(`/api/terminals/${encodeURIComponent(terminalId)}`, options);
    if (!isTerminal(details)) throw unexpected();
    return details;
  }

  /** Unbinds a terminal from the account. */
  async unbind(terminalId: string, options: CallOptions = {}): Promise<void> {
    const path = `/api/terminals/${encodeURIComponent(terminalId)}`;
    await this.#line.call({ method: "DELETE", path }, options, true);
  }

  /** The e-wallet channels, of one currency or all. */
  async channels(currency?: string, options: CallOptions = {}): Promise<Channel[]> {
    const query = currency === undefined ? "" : `?currency=${encodeURIComponent(currency)}`;
    return this.#line.list<Channel>(`/api/ewallet-channels${query}`, options);
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
    return this.#line.transfer("/api/transfer/cancel", { posId: this.#options.posId, deviceId, referenceId }, options);
  }

  async #transfer(
    transType: string,
    target: TransferTarget,
    transData: object | undefined,
    options: TransferOptions,
  ): Promise<TransferAnswer> {
    const { posId, merchantId } = this.#options;
    const message = { transType, posId, merchantId, ...target, transData, apiVersion: "v1" };
    return this.#line.transfer("/api/transfer", message, options);
  }
}

function isTerminal(value: object): value is TerminalDetails {
  return "terminalId" in value && "connected" in value;
}
