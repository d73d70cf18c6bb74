/**
 * An account's Durable Object. It owns the account's terms, keys and sessions, knows which device each reference
 * belongs to (I1), and records every outcome of its transactions in one order (I7). D1 and the terminals are updated
 * afterwards, in the background, so no till waits for them.
 *
 * Each call is one turn (`objects/turns.ts`). The decisions are pure functions in the files next to this one.
 */
import { DurableObject } from "cloudflare:workers";
import { masterKeysOf } from "../keys/master-keys.ts";
import { judgePassword } from "../keys/passwords.ts";
import { logError } from "../outcomes/log.ts";
import { closeQuietly } from "../objects/sockets.ts";
import { hasTables } from "../objects/storage/migrate.ts";
import {
  type AccountChanges,
  type CloseCall,
  type CloseOutcome,
  type ContraryNews,
  type DeviceNews,
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
} from "../rpc/account.ts";
import { admit, judgeCall } from "./admission.ts";
import {
  change,
  create,
  remove,
  reseal,
  rotateKey,
  newsOf,
  takeBindKey,
  takeDeviceNews,
  takePrebindList,
} from "./changes.ts";
import { closeContrary, takeContrary } from "./copies.ts";
import { recordEntry } from "./feed.ts";
import { findSought, listTransactions } from "./listing.ts";
import { type AccountParts, accountParts } from "./parts.ts";
import { prune } from "./pruning.ts";
import { hasReadAll, readEvent, readEvents } from "./reading.ts";
import { countedDays } from "./statistics.ts";
import { totals } from "./totals.ts";
import { switchByOperator, webhookState } from "./webhooks/webhooks.ts";

/** Answers of an object without an account. */
const UNKNOWN = { kind: "unknown" } as const;
const NOTED = { kind: "noted" } as const;
const NO_WEBHOOK = { kind: "no-such-webhook" } as const;

export class Account extends DurableObject<Env> {
  /** null: there is no account. */
  #made: AccountParts | null = null;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    if (!hasTables(context.storage)) return;
    const parts = accountParts(context, env);
    this.#made = parts;
    // Without this, each start would set the alarm again: one more row written with every payment of a quiet shop.
    void context.blockConcurrencyWhile(async () => parts.turns.alarmIsAt(await context.storage.getAlarm()));
  }

  /** Only `create` makes tables: a login for an invented posId must not leave anything behind. */
  get #parts(): AccountParts {
    if (this.#made === null) throw new Error("there is no account");
    return this.#made;
  }

  /** Awaits nothing: starts what is due and sets the next alarm. */
  override alarm(): void {
    if (this.#made === null) return;
    const parts = this.#parts;
    const { turns } = parts;
    try {
      parts.keepSums();
    } catch (error) {
      // The turn of the alarm sets the next one, whatever is broken.
      logError("days-not-kept", error);
    }
    turns.takeAlarm((now) => turns.tryWithin("account_not_pruned", () => prune(parts, now)));
  }

  // The operator.

  /** A posId is never reused. */
  async create(account: NewAccount, actor: string) {
    const parts = (this.#made ??= accountParts(this.ctx, this.env));
    return parts.follow((now) => create(parts, account, actor, now));
  }

  /** After it returns, no transfer is checked against the old terms. */
  async change(changes: AccountChanges, actor: string) {
    if (this.#made === null) return UNKNOWN;
    // A day that is due closes in the time zone that it was opened in.
    this.#parts.keepSums();
    return this.#parts.follow((now) => change(this.#parts, changes, actor, now));
  }

  /** Each previous key stays valid for a day, or ends at once with `revokePrevious`. */
  async rotateKey(sealedSigningKey: string, revokePrevious: boolean, actor: string) {
    if (this.#made === null) return UNKNOWN;
    const { masterKeys } = this.#parts;
    const wanted = { sealedSigningKey, revokePrevious, actor };
    return this.#parts.follow((now) => rotateKey(this.#parts, masterKeys, wanted, now));
  }

  /** Nothing is admitted from now on. Each terminal is unbound as soon as possible. */
  async remove(actor: string) {
    if (this.#made === null) return UNKNOWN;
    return this.#parts.follow((now) => remove(this.#parts, actor, now));
  }

  /**
   * D1 was restored: it gets everything again that the object can still say.
   *
   * @returns false: there is no account
   */
  async resync() {
    if (this.#made === null) return false;
    return this.#parts.turns.take((now) => {
      this.#parts.resync(now);
      return this.#parts.records.record !== null;
    });
  }

  /** Returns the kid of the current master key; null if there is nothing to seal, or a key cannot be decrypted. */
  async reseal() {
    if (this.#made === null) return null;
    const { masterKeys } = this.#parts;
    return this.#parts.follow((now) => reseal(this.#parts, masterKeys, now));
  }

  // Sessions.

  /**
   * Nothing is awaited between the verdict and the turn. A wrong password takes no turn: it changes nothing.
   *
   * @param kid the master key that signs the pair
   */
  async openSession(password: string, kid: string): Promise<OpenOutcome> {
    const record = this.#made?.records.record ?? null;
    // Without an account too, so that both answers take the same time (I6).
    const verdict = judgePassword(masterKeysOf(this.env), password, record);
    if (this.#made === null || record === null) return UNKNOWN;
    if (verdict !== "right") return { kind: verdict };
    const { turns, accountSessions } = this.#made;
    return turns.take((now) => accountSessions.open(kid, now));
  }

  /** A signed login is valid once. Checks signature, account and reuse, in this order. */
  async openSignedSession(login: SignedLogin, kid: string) {
    if (this.#made === null) return UNKNOWN;
    const { turns, accountSessions, masterKeys } = this.#parts;
    return turns.take((now) => accountSessions.openSigned(masterKeys, login, kid, now));
  }

  async standing(sessionId: string) {
    if (this.#made === null) return UNKNOWN;
    return this.#parts.accountSessions.standing(sessionId);
  }

  /** RFC 9700, 4.14.2. */
  async refresh(sessionId: string, refreshId: string, kid: string) {
    if (this.#made === null) return UNKNOWN;
    const { turns, accountSessions } = this.#parts;
    return turns.take((now) => accountSessions.refresh(sessionId, refreshId, kid, now));
  }

  async endSession(sessionId: string) {
    if (this.#made === null) return UNKNOWN;
    const { turns, accountSessions } = this.#parts;
    return turns.take(() => accountSessions.end(sessionId));
  }

  /** For a signed call that another object performs: uses up its nonce. */
  async takeCall(call: SignedCall) {
    if (this.#made === null) return UNKNOWN;
    const { turns, masterKeys } = this.#parts;
    return turns.take((now) => {
      const verdict = judgeCall(this.#parts, masterKeys, call, now);
      return verdict.kind === "good" ? ({ kind: "good" } as const) : verdict;
    });
  }

  // Transfers.

  /** One turn, idempotent. */
  async admit(message: SignedMessage) {
    if (this.#made === null) return UNKNOWN;
    const { turns, masterKeys } = this.#parts;
    return turns.take((now) => admit(this.#parts, masterKeys, message, now));
  }

  // The feed.

  // Reading needs no turn: it changes nothing, unless a day is due to close.

  async events(question: EventsQuestion) {
    if (this.#made === null) return UNKNOWN;
    this.#parts.keepSums();
    return readEvents(this.#parts, question);
  }

  async event(sessionId: string, number: number) {
    if (this.#made === null) return UNKNOWN;
    this.#parts.keepSums();
    return readEvent(this.#parts, sessionId, number);
  }

  /** A socket for a waiting reader: RPC cannot carry one. If there is an answer already, returns it at once. */
  override async fetch(request: Request): Promise<Response> {
    if (this.#made === null) return Response.json(UNKNOWN);
    const question: EventsQuestion = {
      sessionId: request.headers.get(WAIT_SESSION) ?? "",
      after: Number(new URL(request.url).searchParams.get("after")),
    };
    this.#parts.keepSums();
    // Nothing is awaited between the read and the socket: the reader would miss an event in between.
    const answer = readEvents(this.#parts, question);
    if (!hasReadAll(answer, question)) return Response.json(answer);
    return new Response(null, { status: 101, webSocket: this.#parts.followers.accept(question) });
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
    if (this.#made === null) return [];
    return this.#parts.endpoints.list(Date.now());
  }

  async changeWebhook(call: SignedCall, wanted: WebhookChange): Promise<WebhookOutcome> {
    if (this.#made === null) return UNKNOWN;
    const { turns, masterKeys, endpoints } = this.#parts;
    return turns.take((now) => {
      const verdict = judgeCall(this.#parts, masterKeys, call, now);
      return verdict.kind === "good" ? endpoints.change(wanted, now) : verdict;
    });
  }

  /** Outside the order of the endpoint's events. */
  async pingWebhook(id: number) {
    if (this.#made === null) return NO_WEBHOOK;
    return this.#parts.endpoints.ping(id, Date.now());
  }

  async webhookStates() {
    if (this.#made === null) return [];
    return this.#parts.endpoints.states(Date.now());
  }

  /** Starts only an endpoint that an operator has stopped. */
  async switchWebhook(wanted: { id: number; enabled: boolean }, actor: string) {
    if (this.#made === null) return NO_WEBHOOK;
    return this.#parts.follow((now): SwitchOutcome => {
      const endpoint = switchByOperator(this.#parts, wanted, actor, now);
      if (endpoint === null) return { kind: "no-such-webhook" };
      return { kind: "switched", webhook: webhookState(endpoint, this.#parts.feed, now) };
    });
  }

  // Terminals.

  /** Returns what the terminal must know if it is bound to this account. */
  async deviceChanged(news: DeviceNews) {
    if (this.#made === null) return newsOf(null);
    this.#parts.keepSums();
    return this.#parts.turns.take((now) => {
      const { record } = this.#parts.records;
      if (record !== null) takeDeviceNews(this.#parts, record, news, now);
      return newsOf(record);
    });
  }

  /** Records a prebind list that is about to change: in the feed, and with `origin` in the audit log. */
  async replacesPrebound(uniqueIds: string[], origin: CallOrigin) {
    if (this.#made === null) return NOTED;
    this.#parts.keepSums();
    return this.#parts.turns.take((now) => takePrebindList(this.#parts, uniqueIds, origin, now));
  }

  /** Records a bind key that is about to be created: with `origin` in the audit log. */
  async drawsBindKey(origin: CallOrigin) {
    if (this.#made === null) return NOTED;
    return this.#parts.turns.take((now) => takeBindKey(this.#parts, origin, now));
  }

  /** I7. Idempotent. Each entry is its own turn: a failing entry does not stop the others. */
  async record(entries: RecordEntry[]) {
    // The object has lost its data: there is no account to record for.
    if (this.#made === null) return { recorded: entries.map(({ requestId, revision }) => ({ requestId, revision })) };
    const parts = this.#parts;
    const recorded: RecordAnswer["recorded"] = [];
    parts.keepSums();
    for (const entry of entries) {
      const { requestId, revision } = entry;
      try {
        parts.turns.take((now) => {
          const { record } = parts.records;
          // Without a record, the object has lost its data: there is no account to record for.
          if (record !== null) recordEntry(parts, record, entry, now);
        });
        recorded.push({ requestId, revision });
      } catch (error) {
        logError("not-recorded", error, { transaction: requestId });
      }
    }
    return { recorded };
  }

  /** Once per report. `busy`: the account has not recorded yet that the transaction is completed. */
  async contradicted(news: ContraryNews) {
    if (this.#made === null) return "delivered";
    this.#parts.keepSums();
    return this.#parts.turns.take((now) => {
      const { record } = this.#parts.records;
      // Without a record, the object has lost its data: there is no account to record for.
      return record === null ? "delivered" : takeContrary(this.#parts, record, news, now);
    });
  }

  async closeContrary(call: CloseCall): Promise<CloseOutcome> {
    if (this.#made === null) return UNKNOWN;
    return this.#parts.follow((now) => closeContrary(this.#parts, call, now));
  }

  // What the account sees.

  async transactions(question: ListQuestion) {
    this.#parts.keepSums();
    return listTransactions(this.#parts, this.#parts.known, question);
  }

  /** For an operator who searches all accounts. */
  async search(question: SearchQuestion) {
    return findSought(this.#parts, question);
  }

  /**
   * @param day `YYYY-MM-DD`; null: the day that a completion counts for now
   * @param deviceId null: the whole account
   */
  async totals(day: string | null, deviceId: string | null) {
    this.#parts.keepSums();
    return totals(this.#parts, this.#parts.known, { day, deviceId }, Date.now());
  }

  /** Days since 1970, UTC, both included; days without a completed transaction are missing. */
  async statistics(from: number, to: number) {
    if (this.#made === null) return [];
    const days = countedDays(this.#parts, this.#parts.known, from, to);
    return [...days].map(([day, { hours }]): [number, typeof hours] => [day, hours]);
  }

  /** The terminal is or was bound to the account. */
  async hasDevice(terminalId: string) {
    if (this.#made === null) return false;
    return this.#parts.devices.find(terminalId) !== null;
  }
}
