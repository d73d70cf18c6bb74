/**
 * The client for POS programs, in any JavaScript runtime. It keeps the session, signs requests, verifies answers, and sends the
 * same transaction again until its outcome is known (I3).
 *
 * ```ts
 * const pos = new PosClient({ baseUrl, posId, merchantId, signingKey });
 * const referenceId = newReferenceId(); // store it before you call
 * const answer = await pos.sale({ deviceId, referenceId, transAmt: "12.50", paymentMethod: "bankCard" });
 * if (answer.statusCode === "00") …
 * ```
 */
import { API_VERSION } from "../../protocol/api-version.ts";
import { handsOutCash, isQuestion, type TransferType } from "../../protocol/transfer-types.ts";
import { checkOptions } from "./check-options.ts";
import { PosCalls } from "./pos/pos-calls.ts";
import { withQuery } from "./pos/http.ts";
import type { BindKey, Channel, AccountTerminal, TerminalDetails } from "../../protocol/accounts.ts";
import type { AccountEvent, AccountTransaction } from "../../protocol/events.ts";
import type { DayTotals } from "../../protocol/totals.ts";
import type { EventsOptions } from "./pos/follow.ts";
import {
  CHANGE_MEMBERS,
  CLIENT_OPTIONS,
  FILTER_MEMBERS,
  QUESTION_MEMBERS,
  type CallOptions,
  type PosClientOptions,
  type TotalsQuestion,
  type TransactionFilters,
  type TransferOptions,
  type TransferMethods,
  type WebhookChanges,
} from "./pos/options.ts";
import {
  ABOUT_MEMBERS,
  REQUEST_MEMBERS,
  type CancelRequest,
  type CashOutRequest,
  type InquiryRequest,
  type SaleRequest,
  type TransferAnswer,
  type TransferRequests,
  type TransferTarget,
  type VoidRequest,
} from "./pos/transfer.ts";
import type { PingAnswer, Webhook, WebhookWithSecret } from "../../protocol/webhooks.ts";

export type { Fetch } from "./deadline.ts";
export type { Problem as PosErrorDetail } from "../../protocol/problem.ts";
export { PosError, type PosProblem } from "./pos/error.ts";
export type { BindKey, Channel, AccountTerminal, TerminalDetails } from "../../protocol/accounts.ts";
export type {
  CallOptions,
  PosClientOptions,
  TotalsQuestion,
  TransactionFilters,
  TransferOptions,
  TransferProgress,
  WebhookChanges,
} from "./pos/options.ts";
export type { EventsOptions } from "./pos/follow.ts";
export type { AccountEvent, AccountTransaction, DayClosedEvent, TransactionEvent } from "../../protocol/events.ts";
export { newReferenceId } from "./pos/transfer.ts";
export type { Token, TokenPair } from "../../protocol/accounts.ts";
export type { TokenStore } from "./pos/session.ts";
export type {
  ApprovedAnswer,
  CancelRequest,
  CashOutRequest,
  InquiryRequest,
  OtherAnswer,
  SaleRequest,
  TransferAnswer,
  TransferRequests,
  TransferTarget,
  VoidRequest,
} from "./pos/transfer.ts";
export type { PaymentMethod } from "../../protocol/payment-methods.ts";
export type { StageMessage, TransferStage } from "../../protocol/stages.ts";
export type { DayTotals, TotalsLine, PendingTotals } from "../../protocol/totals.ts";
export type { StatusCode } from "../../protocol/status-codes.ts";
export type { TransactionDetails } from "../../protocol/transfers.ts";
export type { PingAnswer, Webhook, WebhookAttempt, WebhookWithSecret } from "../../protocol/webhooks.ts";

export class PosClient implements TransferMethods {
  readonly #options: PosClientOptions;
  readonly #calls: PosCalls;

  /** Throws a TypeError that names every missing or invalid option. */
  constructor(options: PosClientOptions) {
    checkOptions("PosClient", options, CLIENT_OPTIONS);
    this.#options = options;
    this.#calls = new PosCalls(options);
  }

  /** Logs in now. Without it, the first call does. */
  async login(options: CallOptions = {}): Promise<void> {
    await this.#calls.login(options);
  }

  /** Renews the tokens now. Otherwise they are renewed when necessary. */
  async refresh(options: CallOptions = {}): Promise<void> {
    await this.#calls.refresh(options);
  }

  /** A later call starts a new session. */
  async logout(options: CallOptions = {}): Promise<void> {
    await this.#calls.logout(options);
  }

  /** Draws a key that binds a terminal to the account. It is valid once, for ten minutes. */
  async bindKey(options: CallOptions = {}): Promise<BindKey> {
    const { key, expiresAt } = await this.#calls.json("/api/bind-terminal-key", options, hasTexts("key", "expiresAt"));
    return { key: String(key), expiresAt: String(expiresAt) };
  }

  /** Draws the same kind of key as a PNG image: a QR code of the key's text. */
  async bindKeyImage(options: CallOptions = {}): Promise<{ image: Uint8Array<ArrayBuffer>; expiresAt: string | null }> {
    const call = { method: "GET", path: "/api/bind-terminal-key?option=image", isAnswer: isPng } as const;
    const { body, headers } = await this.#calls.call(call, options);
    return { image: body, expiresAt: headers.get("X-Bind-Key-Expires-At") };
  }

  /**
   * Replaces the list of terminals that may bind without a key. Ten entries count, the rest is ignored.
   *
   * @returns what became of each terminal, as a sentence for a person: bound, waiting or not assigned
   */
  async prebind(uniqueIds: string[], options: CallOptions = {}): Promise<string> {
    const call = { method: "POST", path: "/api/prebind-terminals" } as const;
    const { message } = await this.#calls.signedCall(call, { uniqueIds }, options, "again");
    return String(message);
  }

  async prebound(options: CallOptions = {}): Promise<string[]> {
    return this.#calls.list<string>("/api/prebind-terminals", options);
  }

  async terminals(options: CallOptions = {}): Promise<AccountTerminal[]> {
    return this.#calls.list<AccountTerminal>("/api/terminals", options);
  }

  async terminal(terminalId: string, options: CallOptions = {}): Promise<TerminalDetails> {
    const path = `/api/terminals/${encodeURIComponent(terminalId)}`;
    return (await this.#calls.json(path, options, hasAll("terminalId", "connected"))) as unknown as TerminalDetails;
  }

  async unbind(terminalId: string, options: CallOptions = {}): Promise<void> {
    const path = `/api/terminals/${encodeURIComponent(terminalId)}`;
    await this.#calls.signedCall({ method: "DELETE", path }, {}, options, "gone");
  }

  /** Reads the e-wallet channels, of one currency or all. */
  async channels(currency?: string, options: CallOptions = {}): Promise<Channel[]> {
    return this.#calls.list<Channel>(withQuery("/api/ewallet-channels", { currency }), options);
  }

  /**
   * Reads the account's recorded transactions, newest first. It reads a page when the loop needs it.
   *
   * ```ts
   * for await (const transaction of pos.transactions({ day: "2026-11-20" })) …
   * ```
   *
   * @param options for each page
   * @throws PosError that names a malformed filter
   */
  transactions(
    filters: TransactionFilters = {},
    options: CallOptions = {},
  ): AsyncGenerator<AccountTransaction, void, undefined> {
    checkOptions("transactions", filters, FILTER_MEMBERS);
    return this.#calls.transactions(filters, options);
  }

  /** What a business day adds up to. A closed day's totals never change. */
  async totals(question: TotalsQuestion = {}, options: CallOptions = {}): Promise<DayTotals> {
    checkOptions("totals", question, QUESTION_MEMBERS);
    return (await this.#calls.json(withQuery("/api/totals", question), options, IS_TOTALS)) as unknown as DayTotals;
  }

  /**
   * Reads the account's events in the order recorded, each once. It continues after lost connections, new tokens and
   * restarts of the gateway. It ends with `signal` or `return()`. Store the number of each event that you have
   * processed, and start after it the next time.
   *
   * ```ts
   * for await (const event of pos.events({ after })) {
   *   await book(event);
   *   after = event.number;
   * }
   * ```
   *
   * @throws PosError when it cannot continue: the account is suspended, the session cannot be renewed, or the account
   *   has no event with the number `after` (`invalid_request`)
   */
  events(options: EventsOptions = {}): AsyncIterableIterator<AccountEvent> {
    return this.#calls.events(options);
  }

  /**
   * 0 if there is none. To start with future events, store this number before you wait: you then miss nothing after a
   * restart.
   */
  async newestEvent(options: CallOptions = {}): Promise<number> {
    const { next } = await this.#calls.json("/api/events", options, (answer) => typeof answer["next"] === "number");
    return Number(next);
  }

  /** Lists the endpoints, each with its latest attempts. */
  async webhooks(options: CallOptions = {}): Promise<Webhook[]> {
    return this.#calls.list<Webhook>("/api/webhooks", options);
  }

  async webhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return (await this.#calls.json(webhookPath(id), options, IS_WEBHOOK)) as unknown as Webhook;
  }

  /** Delivers events to an address, starting with the next one. Only this answer contains the secret. */
  async addWebhook(url: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    const call = { method: "POST", path: "/api/webhooks", isAnswer: HAS_SECRET } as const;
    const answer = await this.#calls.signedCall(call, { url }, options, "stop");
    return answer as unknown as WebhookWithSecret;
  }

  /** Changes the address, disables the webhook, or enables it: it then continues at once where it stopped. */
  async changeWebhook(id: string, changes: WebhookChanges, options: CallOptions = {}): Promise<Webhook> {
    checkOptions("changeWebhook", changes, CHANGE_MEMBERS);
    const call = { method: "PATCH", path: webhookPath(id), isAnswer: IS_WEBHOOK } as const;
    return (await this.#calls.signedCall(call, changes, options, "again")) as unknown as Webhook;
  }

  async removeWebhook(id: string, options: CallOptions = {}): Promise<void> {
    await this.#calls.signedCall({ method: "DELETE", path: webhookPath(id) }, {}, options, "gone");
  }

  /** Only this answer contains the new secret. The previous one also signs for a day. */
  async newWebhookSecret(id: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    const call = { method: "POST", path: `${webhookPath(id)}/secret`, isAnswer: HAS_SECRET } as const;
    const answer = await this.#calls.signedCall(call, {}, options, "stop");
    return answer as unknown as WebhookWithSecret;
  }

  /** Delivers every event after this number, even if it was delivered before; 0: every event that is kept. */
  async replayWebhook(id: string, after: number, options: CallOptions = {}): Promise<Webhook> {
    const call = { method: "POST", path: `${webhookPath(id)}/replay`, isAnswer: IS_WEBHOOK } as const;
    return (await this.#calls.signedCall(call, { after }, options, "again")) as unknown as Webhook;
  }

  /** Sends a ping, at most every ten seconds. Returns the webhook's answer; status null: no answer in time. */
  async testWebhook(id: string, options: CallOptions = {}): Promise<PingAnswer> {
    const answer = await this.#calls.call({ method: "POST", path: `${webhookPath(id)}/test` }, options);
    const { status = null, milliseconds = 0 } = JSON.parse(
      new TextDecoder().decode(answer.body),
    ) as Partial<PingAnswer>;
    return { status, milliseconds };
  }

  async sale(request: SaleRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("sale", request, options);
  }

  /** Sells with cash paid out, by domestic debit card. */
  async cashOut(request: CashOutRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("cashOut", request, options);
  }

  /** Reverses an approved sale or cashOut. A void is a transaction with its own referenceId. */
  async void(request: VoidRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("void", request, options);
  }

  /**
   * Asks for the outcome of a transaction, named by `about`. A named reference that never arrived is completed as `11
   * CANCELLED`, so the answer is a promise. Without `about`, it asks about the transaction with the inquiry's own
   * `referenceId`.
   *
   * @throws PosError with code 40004 if the device has no such transaction
   */
  async inquiry(request: InquiryRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("inquiry", request, options);
  }

  /** The last transaction of this account that reached the terminal. */
  async getLast(request: TransferTarget, options: TransferOptions = {}): Promise<TransferAnswer> {
    return this.#transfer("getLast", request, options);
  }

  /** Cancels the transaction with this referenceId, if it is not too late. The answer has its outcome. */
  async cancel(request: CancelRequest, options: TransferOptions = {}): Promise<TransferAnswer> {
    checkRequest("cancel", request);
    const { deviceId, referenceId } = request;
    return this.#calls.transfer("/api/transfer/cancel", { posId: this.#options.posId, deviceId, referenceId }, options);
  }

  async #transfer<Type extends TransferType>(
    transType: Type,
    request: TransferRequests[Type],
    options: TransferOptions,
  ): Promise<TransferAnswer> {
    checkRequest(transType, request);
    const { posId, merchantId } = this.#options;
    const { deviceId, referenceId, referenceLabel, about, ...members }: TransferTarget & InquiryRequest = request;
    checkOptions(`${transType}: about`, about, ABOUT_MEMBERS);
    const card = handsOutCash(transType) ? { paymentMethod: "bankCard" } : {};
    const target = { posId, merchantId, deviceId, referenceId, referenceLabel };
    const transData = isQuestion(transType) ? about : { ...members, ...card };
    const message = { transType, ...target, transData, apiVersion: API_VERSION };
    return this.#calls.transfer("/api/transfer", message, options);
  }
}

/** Throws a TypeError without a request, and for members that the call does not have. */
function checkRequest(call: keyof typeof REQUEST_MEMBERS, request: object): void {
  checkOptions(call, request ?? null, REQUEST_MEMBERS[call]);
}

function webhookPath(id: string): string {
  return `/api/webhooks/${encodeURIComponent(id)}`;
}

type Check = (answer: Record<string, unknown>) => boolean;

function hasAll(...names: string[]): Check {
  return (answer) => names.every((name) => name in answer);
}

function hasTexts(...names: string[]): Check {
  return (answer) => names.every((name) => typeof answer[name] === "string");
}

const IS_TOTALS: Check = ({ day, data }) => typeof day === "string" && Array.isArray(data);
const IS_WEBHOOK = hasAll("id", "cursor");
const HAS_SECRET: Check = (answer) => IS_WEBHOOK(answer) && typeof answer["secret"] === "string";

/** Every PNG begins with these bytes (https://www.w3.org/TR/png-3/#5PNG-file-signature). */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function isPng(body: Uint8Array): boolean {
  return PNG.every((byte, index) => body[index] === byte);
}
