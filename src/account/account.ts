/**
 * An account's Durable Object. It owns the account's terms, keys and sessions, knows which device each reference belongs to
 * (I1), and records every outcome of its transactions in one order (I7). The object decides; D1 and the terminals are
 * updated afterwards, in the background, so no till waits for them.
 *
 * Each call is one turn (`objects/turns.ts`). The decisions are pure functions in the files beside this one.
 */
import { DurableObject } from "cloudflare:workers";
import { readMasterKeys, type MasterKeys } from "../keys/master-keys.ts";
import { logError } from "../outcomes/log.ts";
import type { DayTotals } from "../protocol/totals.ts";
import type { Webhook, WebhookState } from "../protocol/webhooks.ts";
import { Untold } from "../objects/storage/untold.ts";
import { Database } from "../objects/untold/database.ts";
import { D1 } from "../objects/untold/decisions.ts";
import { Objects } from "../objects/untold/objects.ts";
import { Teller } from "../objects/untold/teller.ts";
import { terminalObject } from "../storage/untold.ts";
import { keeperStub } from "../rpc/keeper.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { closeQuietly } from "../objects/sockets.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { admit } from "./admission.ts";
import type { AccountCalls, AccountChanges, Admission, AdmissionQuestion, ChangeOutcome } from "../rpc/account.ts";
import type { CreateOutcome, Credentials, DeviceNews, NewAccount, OpenOutcome, RecordAnswer } from "../rpc/account.ts";
import type { RecordEntry, RefreshOutcome, RotateOutcome, SignedLogin, SignedOpenOutcome } from "../rpc/account.ts";
import type { TermsNews } from "../rpc/account.ts";
import type { Standing } from "../rpc/standing.ts";
import { change, type ChangeParts, create, remove, reseal, rotateKey } from "./changes.ts";
import { oweAll, recordEntry } from "./feed.ts";
import { type EventAnswer, type EventsAnswer, type EventsQuestion, WAIT_SESSION } from "../rpc/feed.ts";
import { AccountSessions } from "./account-sessions.ts";
import { Followers } from "./followers.ts";
import { DayBook } from "./day-book.ts";
import { prune } from "./pruning.ts";
import { FOLLOW_WAIT } from "./limits.ts";
import { newsOf, tellTerms } from "./news.ts";
import { hasReadAll, readEvent, readEvents } from "./reading.ts";
import type { ListAnswer, ListQuestion } from "../rpc/lists.ts";
import { listTransactions } from "./listing.ts";
import type { CountedHours } from "../statistics/counted-day.ts";
import { StatisticsBook } from "./statistics-book.ts";
import { StatisticsTelling } from "./statistics-telling.ts";
import { judgeCall } from "./signed-call.ts";
import { oweTroubles, stateStatements, unresolvedRow } from "./telling.ts";
import { takeDeviceNews, takePrebindList } from "./terminals.ts";
import { Hours } from "./storage/hours.ts";
import { Claims } from "./storage/claims.ts";
import { Days } from "./storage/days.ts";
import { Devices } from "./storage/devices.ts";
import { Events } from "./storage/events.ts";
import { type AccountRecord, AccountRecordStore } from "./storage/record.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import { Nonces } from "./storage/nonces.ts";
import { Sessions } from "./storage/sessions.ts";
import { UnresolvedRows } from "./storage/unresolved.ts";
import { Webhooks } from "./storage/webhooks.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import type { CallOrigin, CallRefusal, SignedCall } from "../rpc/signed-call.ts";
import type { PingOutcome, SwitchOutcome, WebhookChange, WebhookOutcome } from "../rpc/webhooks.ts";
import { AccountWebhooks } from "./webhooks/webhooks.ts";

export class Account extends DurableObject<Env> implements AccountCalls {
  readonly #turns: Turns;
  readonly #sessions: AccountSessions;
  readonly #webhooks: AccountWebhooks;
  readonly #database: Database;
  readonly #terminals: Objects;
  readonly #teller: Teller;
  readonly #statistics: StatisticsBook;
  readonly #followers: Followers;
  readonly #deliveries: Deliveries;
  readonly #parts: ChangeParts & { claims: Claims; nonces: Nonces };
  readonly #dayBook: DayBook;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    migrate(storage, MIGRATIONS);
    const records = new AccountRecordStore(storage.sql);
    const devices = new Devices(storage.sql);
    const untold = new Untold(storage.sql, records);
    const sessions = new Sessions(storage.sql);
    const events = new Events(storage.sql);
    const days = new Days(storage.sql);
    const dayBook = new DayBook({ records, events, days, unresolved: new UnresolvedRows(storage.sql) });
    const webhooks = new Webhooks(storage.sql);
    const statistics = new StatisticsBook({ records, events, hours: new Hours(storage.sql) });
    const troubles = {
      finish: (now: number) => oweTroubles({ records, webhooks, untold }, now),
      rollBack: () => undefined,
    };
    const turns: Turns = new Turns({
      storage,
      participants: [troubles, records, devices, sessions, events, webhooks, untold],
      startWork: (now) => this.#startWork(now),
      nextDeadline: (now) =>
        earliest(
          this.#teller.nextDeadline(now),
          dayBook.nextDeadline(),
          this.#deliveries.nextDeadline(now),
          records.record?.pruneAt ?? null,
        ),
    });
    this.#turns = turns;
    const database = env.DATABASE;
    this.#database = new Database({
      context,
      database,
      untold,
      kind: "account",
      id: () => records.posId,
      state: (owing, now) =>
        records.record === null ? [] : stateStatements(database, records.record, webhooks, owing, now),
      restored: (generation) => keeperStub(env).retell(generation),
      retold: (now) => this.#oweAll(now),
      // The only other rows.
      row: (row, now) => [unresolvedRow(database, records.posId, row, now)],
      paced: new StatisticsTelling({ database, records, book: statistics, untold }),
    });
    this.#terminals = new Objects({
      untold,
      kind: "terminal",
      about: () => ({ account: records.posId }),
      tell: (terminalId) => tellTerms(env, records.record, terminalId),
    });
    this.#teller = new Teller({ context, turns, sources: [this.#database, this.#terminals] });
    this.#statistics = statistics;
    this.#followers = new Followers(context);
    this.#sessions = new AccountSessions({ records, sessions });
    const claims = new Claims(storage.sql);
    const nonces = new Nonces(storage.sql);
    this.#parts = { records, days, devices, untold, sessions, claims, events, webhooks, nonces };
    this.#deliveries = new Deliveries({ context, env, records, webhooks, events, turns });
    this.#webhooks = new AccountWebhooks({ ...this.#parts, env, turns });
    this.#dayBook = dayBook;
    // Without this, each start would set the alarm again: one more row written with every payment of a quiet shop.
    void context.blockConcurrencyWhile(async () => turns.alarmIsAt(await storage.getAlarm()));
  }

  /** Starts the work outside the object that the turn has made necessary. */
  #startWork(now: number): void {
    this.#teller.start(now);
    try {
      const { events, sessions } = this.#parts;
      const [appended, ended] = [events.takeAppended(), sessions.takeEnded()];
      if (appended || ended) this.#answerFollowers();
    } catch (error) {
      // A waiting reader asks again.
      logError("readers-not-told", error, { account: this.#parts.records.posId });
    }
    this.#deliveries.start(now);
  }

  #answerFollowers(): void {
    this.#followers.answer((question) => {
      const answer = readEvents(this.#parts, question);
      return hasReadAll(answer, question) ? null : answer;
    });
  }

  /** Awaits nothing: starts what is due and sets the next alarm. */
  override alarm(): void {
    this.#closeDays();
    this.#turns.takeAlarm((now) => {
      prune(this.#parts, now);
      this.#parts.webhooks.saveDue(now);
      return null;
    });
  }

  // The operator.

  async create(account: NewAccount, actor: string): Promise<CreateOutcome> {
    return this.#follow((now) => create(this.#parts, account, actor, now));
  }

  async change(changes: AccountChanges, actor: string): Promise<ChangeOutcome> {
    // A day that is due closes in the time zone that it was opened in.
    this.#closeDays();
    return this.#follow((now) => change(this.#parts, changes, actor, now));
  }

  async rotateKey(sealedSigningKey: string, revokePrevious: boolean, actor: string): Promise<RotateOutcome> {
    const keys = this.#masterKeys();
    return this.#follow((now) => rotateKey(this.#parts, keys, sealedSigningKey, revokePrevious, actor, now));
  }

  async remove(actor: string): Promise<ChangeOutcome> {
    return this.#follow((now) => remove(this.#parts, actor, now));
  }

  async retell(generation: string | null): Promise<boolean> {
    return this.#turns.take((now) => {
      const { records, untold } = this.#parts;
      const { record } = records;
      if (record === null) return false;
      if (untold.retell(generation, now)) this.#oweAll(now);
      return true;
    });
  }

  /** D1 was restored: it lacks everything. */
  #oweAll(now: number): void {
    const { record } = this.#parts.records;
    if (record !== null) oweAll(this.#parts, this.#dayBook.unresolved(record), now);
  }

  async reseal(): Promise<string | null> {
    const keys = this.#masterKeys();
    return this.#follow((now) => reseal(this.#parts, keys, now));
  }

  /** One turn, then a bounded wait for D1 and the terminals, so that a read after the change shows it. */
  async #follow<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
    const outcome = this.#turns.take(work);
    const { records, untold } = this.#parts;
    const { version } = records.owing;
    const areTold = (): boolean => untold.of(terminalObject("")).every((row) => row.version > version);
    await Promise.all([
      this.#teller.awaitTold(this.#database, FOLLOW_WAIT, () => untold.isTold(D1, version)),
      this.#teller.awaitTold(this.#terminals, FOLLOW_WAIT, areTold),
    ]);
    return outcome;
  }

  // Sessions.

  async credentials(): Promise<Credentials> {
    return this.#sessions.credentials();
  }

  async openSession(passwordVersion: number, kid: string): Promise<OpenOutcome> {
    return this.#turns.take((now) => this.#sessions.open(passwordVersion, kid, now));
  }

  async openSignedSession(login: SignedLogin, kid: string): Promise<SignedOpenOutcome> {
    const keys = this.#masterKeys();
    return this.#turns.take((now) => this.#sessions.openSigned(keys, login, kid, now));
  }

  async standing(sessionId: string): Promise<Standing> {
    return this.#sessions.standing(sessionId);
  }

  async refresh(sessionId: string, refreshId: string, kid: string): Promise<RefreshOutcome> {
    return this.#turns.take((now) => this.#sessions.refresh(sessionId, refreshId, kid, now));
  }

  async endSession(sessionId: string): Promise<Standing> {
    return this.#turns.take(() => this.#sessions.end(sessionId));
  }

  async takeCall(call: SignedCall): Promise<{ kind: "good" } | CallRefusal> {
    const keys = this.#masterKeys();
    return this.#turns.take((now) => {
      const verdict = judgeCall(this.#parts, keys, call, now);
      return verdict.kind === "good" ? { kind: "good" } : verdict;
    });
  }

  // Transfers.

  async admit(question: AdmissionQuestion): Promise<Admission> {
    const keys = this.#masterKeys();
    return this.#turns.take((now) => admit(this.#parts, keys, question, now));
  }

  // The feed.

  // Reading needs no turn: it changes nothing, unless a day is due to close.

  async events(question: EventsQuestion): Promise<EventsAnswer> {
    this.#closeDays();
    return readEvents(this.#parts, question);
  }

  async event(sessionId: string, number: number): Promise<EventAnswer> {
    this.#closeDays();
    return readEvent(this.#parts, sessionId, number);
  }

  /** Opens a socket for a waiting reader: RPC cannot carry one. If there is an answer already, returns it at once. */
  override async fetch(request: Request): Promise<Response> {
    const question: EventsQuestion = {
      sessionId: request.headers.get(WAIT_SESSION) ?? "",
      after: Number(new URL(request.url).searchParams.get("after")),
    };
    this.#closeDays();
    // Nothing is awaited between the read and the socket: the reader would miss an event in between.
    const answer = readEvents(this.#parts, question);
    if (!hasReadAll(answer, question)) return Response.json(answer);
    return new Response(null, { status: 101, webSocket: this.#followers.accept(question) });
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // Without our close frame the peer stays in CLOSING (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket, 1011, "error");
  }

  // Webhooks.

  async webhooks(): Promise<Webhook[]> {
    return this.#webhooks.list(Date.now());
  }

  async changeWebhook(call: SignedCall, wanted: WebhookChange): Promise<WebhookOutcome> {
    return this.#webhooks.change(call, wanted);
  }

  async pingWebhook(id: number): Promise<PingOutcome> {
    return this.#webhooks.ping(id, Date.now());
  }

  async webhookStates(): Promise<WebhookState[]> {
    return this.#webhooks.states(Date.now());
  }

  async switchWebhook(wanted: { id: number; enabled: boolean }, actor: string): Promise<SwitchOutcome> {
    return this.#follow((now) => this.#webhooks.switch(wanted, actor, now));
  }

  // Terminals.

  async deviceChanged(news: DeviceNews): Promise<TermsNews> {
    this.#closeDays();
    return this.#turns.take((now) => {
      const { record } = this.#parts.records;
      if (record !== null) takeDeviceNews(this.#parts, record, news, now);
      return newsOf(record);
    });
  }

  async replacesPrebound(uniqueIds: string[], origin: CallOrigin): Promise<void> {
    this.#closeDays();
    this.#turns.take((now) => takePrebindList(this.#parts, uniqueIds, origin, now));
  }

  /** Each entry is its own turn: a failing entry does not stop the others. */
  async record(entries: RecordEntry[]): Promise<RecordAnswer> {
    const { records } = this.#parts;
    const recorded: RecordAnswer["recorded"] = [];
    this.#closeDays();
    let newest = 0;
    for (const entry of entries) {
      const { requestId, revision } = entry;
      try {
        this.#turns.take((now) => {
          const { record } = records;
          // Without a record, the object has lost its data: there is no account to record for.
          if (record !== null) newest = recordEntry(this.#parts, record, entry, now) ?? newest;
        });
        recorded.push({ requestId, revision });
      } catch (error) {
        logError("not-recorded", error, { transaction: requestId });
      }
    }
    if (this.#dayBook.isLong(newest)) this.#keepDays(() => this.#dayBook.tally());
    if (this.#statistics.isLong(newest, Date.now())) this.#keepStatistics();
    return { recorded };
  }

  // What the account sees.

  async transactions(question: ListQuestion): Promise<ListAnswer> {
    this.#closeDays();
    return listTransactions({ ...this.#parts, dayBook: this.#dayBook }, this.#known(), question);
  }

  async totals(day: string | null, deviceId: string | null): Promise<DayTotals> {
    this.#closeDays();
    return this.#dayBook.totals(this.#known(), day, deviceId, Date.now());
  }

  async statistics(from: number, to: number): Promise<[number, CountedHours][]> {
    return [...this.#statistics.days(from, to)].map(([day, { hours }]) => [day, hours]);
  }

  async hasDevice(terminalId: string): Promise<boolean> {
    return this.#parts.devices.find(terminalId) !== null;
  }

  #known(): AccountRecord {
    const { record } = this.#parts.records;
    if (record === null) throw new Error("there is no account");
    return record;
  }

  /** Called before anything is recorded or shown. */
  #closeDays(): void {
    if (this.#dayBook.isDue(Date.now())) this.#keepDays((now) => this.#dayBook.close(now));
  }

  /** Likewise: statistics wait. */
  #keepStatistics(): void {
    try {
      this.#turns.take((now) => this.#statistics.keep(now));
    } catch (error) {
      this.#statistics.failed(Date.now());
      logError("statistics-not-kept", error, { account: this.#parts.records.posId });
    }
  }

  /** Its own turn, which may fail: a day can wait, a payment cannot. */
  #keepDays(work: (now: number) => void): void {
    try {
      this.#turns.take(work);
    } catch (error) {
      this.#dayBook.failed(Date.now());
      logError("days-not-kept", error, { account: this.#parts.records.posId });
    }
  }

  /** Throws if MASTER_KEYS is unusable. The Worker finds that out before it calls. */
  #masterKeys(): MasterKeys {
    const keys = readMasterKeys(this.env.MASTER_KEYS);
    if (!keys.ok) throw new Error(keys.error);
    return keys.value;
  }
}
