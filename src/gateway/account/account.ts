/**
 * An account's Durable Object. It owns the account's terms, keys and sessions, knows which device each reference
 * belongs to (I1), and records every outcome of its transactions in one order (I7). D1 and the terminals are updated
 * afterwards, in the background, so no POS waits for them.
 *
 * Each call is one turn (`durable/turns.ts`). The decisions are pure functions in the files next to this one.
 */
import { DurableObject } from "cloudflare:workers";
import { requireMasterKeys } from "../secrets/master-keys.ts";
import { judgePassword } from "../secrets/passwords.ts";
import { logError } from "../lib/log.ts";
import { closeQuietly } from "../durable/sockets.ts";
import { hasTables } from "../durable/storage/migrate.ts";
import {
  type AccountChanges,
  type CloseCall,
  type CloseOutcome,
  type ConflictUpdate,
  type DeviceUpdate,
  type NewAccount,
  type OpenOutcome,
  type RecordAnswer,
  type RecordEntry,
  type SearchQuestion,
  type SignedLogin,
  type SignedMessage,
  type EventsQuestion,
  type ListQuestion,
  WAIT_SESSION,
  type WebhookChange,
  type WebhookOutcome,
  type CallOrigin,
  type SignedCall,
  type SwitchOutcome,
} from "./rpc.ts";
import { decideAdmission, judgeCall } from "./admission.ts";
import {
  applyAccountChange,
  create,
  remove,
  resealAccount,
  rotateKey,
  accountUpdate,
  takeBindKey,
  handleDeviceUpdate,
  takePrebindList,
} from "./changes.ts";
import { closeConflict, resyncAccount, takeConflict } from "./copies.ts";
import { recordOutcome } from "./feed.ts";
import { findEvents, listTransactions } from "./listing.ts";
import type { DeliveryAnswer } from "../durable/storage/outbox.ts";
import { type AccountContext, createAccountContext } from "./context.ts";
import { prune } from "./pruning.ts";
import { hasReadAll, readEvent, readStoredEvents } from "./reading.ts";
import { endSession, openSession, openSignedSession, refreshSession, sessionStanding } from "./sessions.ts";
import { countedDays } from "./statistics.ts";
import { totals } from "./totals.ts";
import { switchByOperator, endpointState } from "./webhooks/endpoints.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** The answer of an object without an account. */
const UNKNOWN = { kind: "unknown" } as const;
const NOTED = { kind: "noted" } as const;
const NO_WEBHOOK = { kind: "no-such-webhook" } as const;

export class Account extends DurableObject<Env> {
  /** It is null if there is no account. */
  #made: AccountContext | null = null;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    if (!hasTables(state.storage)) return;
    const made = createAccountContext(state, env);
    this.#made = made;
    // Without this, each start would set the alarm again: one more row written with every payment of a quiet shop.
    void state.blockConcurrencyWhile(async () => made.turns.alarmIsAt(await state.storage.getAlarm()));
  }

  /** Only `create` makes tables: a login for an invented posId must not leave anything behind. */
  get #context(): AccountContext {
    if (this.#made === null) throw new Error("there is no account");
    return this.#made;
  }

  /** @param without the answer if there is no account */
  #take<Outcome, Without>(
    without: Without,
    work: (context: AccountContext, now: EpochMs) => Outcome,
  ): Outcome | Without {
    const context = this.#made;
    return context === null ? without : context.turns.take((now) => work(context, now));
  }

  /** A turn, and then a bounded wait for D1 and the terminals. @param without the answer if there is no account */
  async #change<Outcome, Without>(
    without: Without,
    work: (context: AccountContext, now: EpochMs) => Outcome,
  ): Promise<Outcome | Without> {
    const context = this.#made;
    return context === null ? without : context.change((now) => work(context, now));
  }

  /** Reading needs no turn, but a day that is due closes first. @param without the answer if there is no account */
  #read<Outcome, Without>(without: Without, read: (context: AccountContext) => Outcome): Outcome | Without {
    if (this.#made === null) return without;
    this.#made.keepSums();
    return read(this.#made);
  }

  /** Starts what is due and sets the next alarm, without awaiting anything. */
  override alarm(): void {
    if (this.#made === null) return;
    const context = this.#context;
    const { turns } = context;
    try {
      context.keepSums();
    } catch (error) {
      // The turn of the alarm sets the next one, whatever is broken.
      logError("days_not_stored", error);
    }
    turns.takeAlarm((now) => turns.tryWithin("account_not_pruned", () => prune(context, now)));
  }

  // The operator.

  /** A posId is never reused. */
  async create(account: NewAccount, actor: string) {
    this.#made ??= createAccountContext(this.ctx, this.env);
    return this.#context.change((now) => create(this.#context, account, actor, now));
  }

  /** After it returns, no transfer is checked against the old terms. */
  async change(changes: AccountChanges, actor: string) {
    // A day that is due closes in the time zone that it was opened in.
    this.#made?.keepSums();
    return this.#change(UNKNOWN, (context, now) => applyAccountChange(context, changes, actor, now));
  }

  /** Each previous key stays valid for a day, or ends at once with `revokePrevious`. */
  async rotateKey(sealedSigningKey: string, revokePrevious: boolean, actor: string) {
    const wanted = { sealedSigningKey, revokePrevious, actor };
    return this.#change(UNKNOWN, (context, now) => rotateKey(context, context.masterKeys(), wanted, now));
  }

  /** Nothing is admitted after this call. Each terminal is unbound as soon as possible. */
  async remove(actor: string) {
    return this.#change(UNKNOWN, (context, now) => remove(context, actor, now));
  }

  /**
   * After a restore of D1, enqueues everything that the object still has.
   *
   * @returns false: there is no account
   */
  async resync() {
    return this.#take(false, resyncAccount);
  }

  /** Returns the kid of the current master key; null if there is nothing to seal, or a key cannot be decrypted. */
  async reseal() {
    return this.#change(null, (context, now) => resealAccount(context, context.masterKeys(), now));
  }

  // Sessions.

  /**
   * Nothing is awaited between the verdict and the turn. A wrong password takes no turn: it changes nothing.
   *
   * @param kid the master key that signs the pair
   */
  async openSession(password: string, kid: string): Promise<OpenOutcome> {
    const record = this.#made?.records.record ?? null;
    // The password is judged without an account too, so that both answers take the same time (I6).
    const verdict = judgePassword(requireMasterKeys(this.env), password, record);
    if (record !== null && verdict !== "right") return { kind: verdict };
    return this.#take(UNKNOWN, (context, now) => openSession(context, kid, now));
  }

  /** A signed login is valid once. Checks signature, account and reuse, in this order. */
  async openSignedSession(login: SignedLogin, kid: string) {
    return this.#take(UNKNOWN, (context, now) =>
      openSignedSession(context, context.masterKeys(), { ...login, kid }, now),
    );
  }

  async standing(sessionId: string) {
    return this.#made === null ? UNKNOWN : sessionStanding(this.#made, sessionId);
  }

  /** The rules are those of RFC 9700, section 4.14.2. */
  async refresh(sessionId: string, refreshId: string, kid: string) {
    return this.#take(UNKNOWN, (context, now) => refreshSession(context, { sessionId, refreshId }, kid, now));
  }

  async endSession(sessionId: string) {
    return this.#take(UNKNOWN, (context) => endSession(context, sessionId));
  }

  /** Uses up the nonce of a signed call that another object performs. */
  async takeCall(call: SignedCall) {
    return this.#take(UNKNOWN, (context, now) => {
      const verdict = judgeCall(context, context.masterKeys(), call, now);
      return verdict.kind === "good" ? ({ kind: "good" } as const) : verdict;
    });
  }

  // Transfers.

  /** Takes one turn, and is idempotent. */
  async admit(message: SignedMessage) {
    return this.#take(UNKNOWN, (context, now) => decideAdmission(context, context.masterKeys(), message, now));
  }

  // The feed.

  async events(question: EventsQuestion) {
    return this.#read(UNKNOWN, (context) => readStoredEvents(context, question));
  }

  async event(sessionId: string, number: number) {
    return this.#read(UNKNOWN, (context) => readEvent(context, sessionId, number));
  }

  /**
   * Opens a socket for a waiting reader, because RPC cannot carry one. If there is an answer already, it is returned at
   * once.
   */
  override async fetch(request: Request): Promise<Response> {
    const question: EventsQuestion = {
      sessionId: request.headers.get(WAIT_SESSION) ?? "",
      after: Number(new URL(request.url).searchParams.get("after")),
    };
    const response = this.#read(null, (context) => {
      // Nothing is awaited between the read and the socket: the reader would miss an event in between.
      const answer = readStoredEvents(context, question);
      if (!hasReadAll(answer, question)) return Response.json(answer);
      return new Response(null, { status: 101, webSocket: context.followers.accept(question) });
    });
    return response ?? Response.json(UNKNOWN);
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // Without our close frame the peer stays in CLOSING (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket, 1011, "error");
  }

  // Webhooks.

  async webhooks() {
    return this.#made === null ? [] : this.#made.endpoints.list(Date.now());
  }

  async changeWebhook(call: SignedCall, wanted: WebhookChange): Promise<WebhookOutcome> {
    return this.#take(UNKNOWN, (context, now) => {
      const verdict = judgeCall(context, context.masterKeys(), call, now);
      return verdict.kind === "good" ? context.endpoints.change(wanted, now) : verdict;
    });
  }

  /** A ping is outside the order of the endpoint's events. */
  async pingWebhook(id: number) {
    return this.#made === null ? NO_WEBHOOK : this.#made.endpoints.ping(id, Date.now());
  }

  async webhookStates() {
    return this.#made === null ? [] : this.#made.endpoints.states(Date.now());
  }

  /** Starts only an endpoint that an operator has stopped. */
  async switchWebhook(wanted: { id: number; enabled: boolean }, actor: string): Promise<SwitchOutcome> {
    return this.#change(NO_WEBHOOK, (context, now) => {
      const endpoint = switchByOperator(context, wanted, actor, now);
      return endpoint === null ? NO_WEBHOOK : { kind: "switched", webhook: endpointState(context, endpoint, now) };
    });
  }

  // Terminals.

  /** Returns the terms that the terminal needs if it is bound to this account. */
  async deviceChanged(update: DeviceUpdate) {
    this.#made?.keepSums();
    return this.#take(accountUpdate(null), (context, now) => {
      const { record } = context.records;
      if (record !== null) handleDeviceUpdate(context, record, update, now);
      return accountUpdate(record);
    });
  }

  /** Records a prebind list that is about to change: in the feed, and with `origin` in the audit log. */
  async replacesPrebound(uniqueIds: string[], origin: CallOrigin) {
    this.#made?.keepSums();
    return this.#take(NOTED, (context, now) => takePrebindList(context, uniqueIds, origin, now));
  }

  /** Records a bind key that is about to be created: with `origin` in the audit log. */
  async drawsBindKey(origin: CallOrigin) {
    return this.#take(NOTED, (context, now) => takeBindKey(context, origin, now));
  }

  /** Records entries idempotently (I7). Each entry is its own turn: a failing entry does not stop the others. */
  async record(entries: RecordEntry[]) {
    const recorded: RecordAnswer["recorded"] = [];
    for (const entry of entries) {
      const { requestId, revision } = entry;
      try {
        this.#take(null, (context, now) => {
          context.keepSumsWithin(now);
          const { record } = context.records;
          // Without a record, the object has lost its data: there is no account to record for.
          if (record !== null) recordOutcome(context, record, entry, now);
        });
        recorded.push({ requestId, revision });
      } catch (error) {
        logError("outcome_not_recorded", error, { transaction: requestId });
      }
    }
    return { recorded };
  }

  /** Takes each report once. `busy`: the account has not recorded the completion yet. */
  async contradicted(update: ConflictUpdate): Promise<DeliveryAnswer> {
    this.#made?.keepSums();
    return this.#take("delivered", (context, now) => {
      const { record } = context.records;
      // Without a record, the object has lost its data: there is no account to record for.
      return record === null ? "delivered" : takeConflict(context, record, update, now);
    });
  }

  async closeConflict(call: CloseCall): Promise<CloseOutcome> {
    return this.#change(UNKNOWN, (context, now) => closeConflict(context, call, now));
  }

  // What the account sees.

  async transactions(question: ListQuestion) {
    this.#context.keepSums();
    return listTransactions(this.#context, this.#context.records.known, question);
  }

  /** Serves an operator who searches all accounts. */
  async search(question: SearchQuestion) {
    return findEvents(this.#context, question);
  }

  /**
   * @param day `YYYY-MM-DD`; null: the day that a completion counts for now
   * @param deviceId null: the whole account
   */
  async totals(day: string | null, deviceId: string | null) {
    this.#context.keepSums();
    return totals(this.#context, this.#context.records.known, { day, deviceId }, Date.now());
  }

  /** The days are counted since 1970, in UTC, both included; days without a completed transaction are missing. */
  async statistics(from: number, to: number) {
    if (this.#made === null) return [];
    const days = countedDays(this.#made, this.#made.records.known, from, to);
    return [...days].map(([day, { hours }]): [number, typeof hours] => [day, hours]);
  }

  /** Whether the terminal is or was bound to the account. */
  async hasDevice(terminalId: string) {
    return this.#made !== null && this.#made.devices.find(terminalId) !== null;
  }
}
