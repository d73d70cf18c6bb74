import { signal } from "@preact/signals";
import { isQuestion, canBeVoided } from "../../protocol/transfer-types.ts";
import {
  PosClient,
  PosError,
  newReferenceId,
  type PosClientOptions,
  type PosProblem,
  type StageMessage,
  type TransferAnswer,
  type TransferOptions,
  type TransferProgress,
} from "../../sdk/client/pos.ts";
import { callKey, type PageTransfer, type OpenPayments, type Scenario } from "./call.ts";
import { recordingFetch, type SignedExchange } from "./messages.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Kept in memory only, while the page is open (I6). */
export interface PosAccount {
  posId: string;
  merchantId: string;
  /** If it is empty, the signing key signs logins. */
  password: string;
  signingKey: string;
}

export function toCredentials(account: PosAccount): Pick<PosClientOptions, keyof PosAccount> {
  return { ...account, password: account.password || undefined };
}

export type PageTransactionState =
  /** `progress` is null until the client reports some. */
  | { kind: "running"; progress: TransferProgress | null }
  | { kind: "answered"; answer: TransferAnswer; at: EpochMs }
  | { kind: "failed"; problem: PosProblem; next: PosError["next"]; at: EpochMs };

export interface PageTransaction {
  /** Counts the page's transactions from 1. */
  number: number;
  call: PageTransfer;
  /** How long the gateway may delay each answer, in seconds; undefined: until the outcome is known. */
  wait: number | undefined;
  /** Last sent at. */
  begun: EpochMs;
  state: PageTransactionState;
  /** Reported by the gateway since the transaction was last sent. */
  stages: readonly StageMessage[];
  /** `asking` until the cancel is answered; then why it was refused, or null. */
  cancelling: "asking" | PosProblem | null;
  messages: SignedExchange[];
  /** Of a scenario: what to watch. */
  watch?: string | undefined;
}

export class PosModel {
  readonly account: PosAccount;
  readonly baseUrl: string;
  readonly client: PosClient;
  /** The transactions, newest first. An element is replaced, never changed. */
  readonly transactions = signal<readonly PageTransaction[]>([]);
  readonly shown = signal<number | null>(null);
  readonly #open: OpenPayments;
  /** The references of payments whose next answer is lost. */
  readonly #losing = new Set<unknown>();

  constructor(baseUrl: string, account: PosAccount, open: OpenPayments) {
    this.baseUrl = baseUrl;
    this.account = account;
    const fetch = recordingFetch(
      account.signingKey,
      (message) => this.#record(message),
      ({ referenceId }) => this.#losing.delete(referenceId),
    );
    this.client = new PosClient({ baseUrl, ...toCredentials(account), fetch });
    this.#open = open;
  }

  /** Loads the payments whose outcome was unknown when the page was closed. The cashier asks about them. */
  async recall(): Promise<void> {
    const kept = await this.#open.load();
    let transactions = this.transactions.value;
    const own = new Set(transactions.map(({ call }) => callKey(call)));
    for (const { messages, ...payment } of kept.filter(({ call }) => !own.has(callKey(call))).toReversed()) {
      const number = transactions.length + 1;
      const state: PageTransactionState = { kind: "failed", problem: LEFT, next: "again", at: Date.now() };
      const left = { stages: [], cancelling: null, messages: messages.map(withoutWaiting) };
      transactions = [...transactions, { ...payment, number, state, ...left }];
    }
    this.transactions.value = transactions;
    this.shown.value ??= transactions[0]?.number ?? null;
  }

  show(number: number): void {
    this.shown.value = number;
  }

  /** Sending a transaction again uses the same referenceId and content (I3). */
  send(call: PageTransfer, wait: number | undefined, scenario?: Scenario): void {
    const known = this.transactions.value.find((transaction) => callKey(transaction.call) === callKey(call));
    if (known !== undefined) {
      this.show(known.number);
      this.sendAgain(known.number);
      return;
    }
    const number = this.transactions.value.length + 1;
    if (scenario?.losesAnswer === true) this.#losing.add(call.request.referenceId);
    const transaction = { number, call, wait, messages: [], watch: scenario?.watch, ...begun() };
    this.transactions.value = [transaction, ...this.transactions.value];
    this.show(number);
    void this.#run(transaction);
  }

  sendAgain(number: number): void {
    const known = this.#find(number);
    if (known === undefined || known.state.kind === "running") return;
    const again: PageTransaction = { ...known, ...begun() };
    this.#update(number, again);
    void this.#run(again);
  }

  async cancel(number: number): Promise<void> {
    const known = this.#find(number);
    if (known === undefined) return;
    this.#update(number, { cancelling: "asking" });
    const { deviceId, referenceId } = known.call.request;
    try {
      const answer = await this.client.cancel({ deviceId, referenceId });
      this.#update(number, { cancelling: null });
      // A call that still waits gets the outcome itself. One that has ended takes the answer to the cancel.
      if (this.#find(number)?.state.kind !== "running")
        this.#complete(number, { kind: "answered", answer, at: Date.now() });
    } catch (error) {
      this.#update(number, { cancelling: describeProblem(error).problem });
    }
  }

  /**
   * This page's payment that is open at the terminal, and for which a transaction waits or was refused; null if the
   * gateway has named none, or one of another POS.
   */
  blocking({ call, state }: PageTransaction): PageTransaction | null {
    const answer = state.kind === "answered" ? state.answer : state.kind === "running" ? state.progress?.pending : null;
    const named = answer?.openReferenceId;
    if (named === undefined) return null;
    const isNamed = ({ request }: PageTransfer): boolean =>
      request.referenceId === named && request.deviceId === call.request.deviceId;
    return this.transactions.value.find((one) => isPayment(one.call) && isNamed(one.call)) ?? null;
  }

  inquire({ call }: PageTransaction): void {
    const { deviceId, referenceId } = call.request;
    const request = { deviceId, referenceId: newReferenceId(), about: { referenceId } };
    this.send({ transType: "inquiry", request }, undefined);
  }

  voidPayment(transaction: PageTransaction): void {
    const transId = approvedNumber(transaction);
    if (transId === null) return;
    const { deviceId } = transaction.call.request;
    this.send({ transType: "void", request: { deviceId, referenceId: newReferenceId(), transId } }, undefined);
  }

  async #run({ number, call, wait }: PageTransaction): Promise<void> {
    const onProgress = (progress: TransferProgress): void => {
      if (this.#find(number)?.state.kind !== "running") return;
      this.#update(number, { state: { kind: "running", progress }, stages: progress.stages });
    };
    await this.#remember(number);
    try {
      const answer = await this.#execute(call, { onProgress, ...(wait === undefined ? {} : { wait }) });
      this.#complete(number, { kind: "answered", answer, at: Date.now() });
    } catch (error) {
      this.#complete(number, { kind: "failed", ...describeProblem(error), at: Date.now() });
    }
  }

  #execute({ transType, request }: PageTransfer, options: TransferOptions): Promise<TransferAnswer> {
    // A call's type and its request belong together.
    return this.client[transType](request as never, options);
  }

  #complete(number: number, state: PageTransactionState): void {
    this.#update(number, { state });
    void this.#remember(number);
  }

  /** Stores a payment before it is sent, and removes it when its outcome is known. */
  async #remember(number: number): Promise<void> {
    const known = this.#find(number);
    if (known === undefined || !isPayment(known.call)) return;
    await (isTransactionOpen(known) ? this.#open.keep(known) : this.#open.drop(known.call));
  }

  /** Adds a message to the newest transaction with its reference. The same message again brings its answer. */
  #record(message: SignedExchange): void {
    const { referenceId, transType } = message.body;
    const owner = this.transactions.value.find(
      ({ call }) =>
        call.request.referenceId === referenceId && (transType === undefined || call.transType === transType),
    );
    if (owner === undefined) return;
    const isIt = ({ sentAt, text }: SignedExchange): boolean => sentAt === message.sentAt && text === message.text;
    const messages = owner.messages.some(isIt)
      ? owner.messages.map((known) => (isIt(known) ? message : known))
      : [...owner.messages, message];
    this.#update(owner.number, { messages });
    void this.#remember(owner.number);
  }

  #find(number: number): PageTransaction | undefined {
    return this.transactions.value.find((transaction) => transaction.number === number);
  }

  #update(number: number, changes: Partial<PageTransaction>): void {
    this.transactions.value = this.transactions.value.map((transaction) =>
      transaction.number === number ? { ...transaction, ...changes } : transaction,
    );
  }
}

function begun(): Pick<PageTransaction, "begun" | "state" | "stages" | "cancelling"> {
  return { begun: Date.now(), state: { kind: "running", progress: null }, stages: [], cancelling: null };
}

export function isPayment({ transType }: PageTransfer): boolean {
  return !isQuestion(transType);
}

export function isTransactionOpen({ call, state }: PageTransaction): boolean {
  if (!isPayment(call)) return false;
  switch (state.kind) {
    case "running":
      return true;
    case "answered":
      return state.answer.statusCode === "22";
    case "failed":
      return state.next !== "none";
  }
}

/** The transId of an approved transaction that can be voided; otherwise null. */
export function approvedNumber({ call, state }: PageTransaction): string | null {
  if (!canBeVoided(call.transType)) return null;
  if (state.kind !== "answered" || state.answer.statusCode !== "00") return null;
  return state.answer.transData?.transId ?? null;
}

const LEFT: PosProblem = { kind: "aborted", message: "Its outcome was not known when the page was closed." };

/** Nobody waits for the answer any more. */
function withoutWaiting(message: SignedExchange): SignedExchange {
  return { ...message, answer: message.answer ?? "broken" };
}

function describeProblem(error: unknown): Pick<PosError, "problem" | "next"> {
  if (error instanceof PosError) return { problem: error.problem, next: error.next };
  throw error;
}
