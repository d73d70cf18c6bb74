/**
 * A payment terminal's Durable Object. It holds the terminal's hibernatable WebSocket, its binding and its journal, and
 * processes one transaction at a time. The lane decides (`lane/step.ts`); this class passes on everything that enters the
 * object, each time as one turn (`turns.ts`). Nothing is awaited between looking up a row, writing it and sending the frame
 * (I1). D1 and accounts are told afterwards, in the background (`objects/untold`): no deadline and no frame waits for them.
 */
import { DurableObject } from "cloudflare:workers";
import { CLOSE } from "../protocol/close-codes.ts";
import { requestLife } from "../protocol/limits/transfers.ts";
import { logError } from "../outcomes/log.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Binding } from "../protocol/binding.ts";
import type { FinalStatusCode } from "../protocol/status-codes.ts";
import { accountStub, type TermsNews } from "../rpc/account.ts";
import { terminalStatement } from "../storage/terminals.ts";
import { accountObject } from "../storage/untold.ts";
import { bind, unbind, takeAccountNews, tellBinding } from "./binding.ts";
import type { CallOrigin } from "../rpc/standing.ts";
import { CallHandler, endWait, leavesNothing, ClockWatch } from "./call-handler.ts";
import { readCall, responseTo, WAIT_ADDRESS } from "../rpc/upgrade.ts";
import type {
  BindOutcome,
  Description,
  Enrolment,
  EnrolOutcome,
  LoginVerdict,
  NewsOutcome,
  RetireOutcome,
  SecretOutcome,
  SignatureVerdict,
  TerminalManagement,
  TerminalStatus,
  UnbindOutcome,
} from "../rpc/terminal.ts";
import { Connections } from "./connections.ts";
import { closeSilent, nextHelloDue, openConnection } from "./handshake.ts";
import { keeperStub, type NumberBlock } from "../rpc/keeper.ts";
import { noteBlock } from "../storage/number-blocks.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { LaneShell } from "./lane-shell.ts";
import { takeLogin, SecretKeeper } from "./secret.ts";
import { BIND_NEWS_WAIT, CHANGE_NOTE_WAIT, CONNECT_NOTE_WAIT } from "./limits.ts";
import { Numbers } from "./numbers.ts";
import { owePresence, stateOf, terminalStatus } from "./presence.ts";
import { Database } from "../objects/untold/database.ts";
import { D1 } from "../objects/untold/decisions.ts";
import { Objects } from "../objects/untold/objects.ts";
import { Teller } from "../objects/untold/teller.ts";
import { Untold } from "../objects/storage/untold.ts";
import { TurnSql } from "../objects/storage/turn-sql.ts";
import { Recorder } from "./recorder.ts";
import { recordedMark, Unrecorded } from "./unrecorded.ts";
import { Retention } from "./retention.ts";
import { changeSecret, retire } from "./revocation.ts";
import { Journal } from "./storage/journal.ts";
import { KeptReports } from "./storage/kept-reports.ts";
import { UsedLogins } from "./storage/logins.ts";
import { TerminalRecordStore } from "./storage/record.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import { hangUp, noticeEnd, type TerminalSide } from "./terminal-side.ts";
import { rarelyWrites, readMessage, receive } from "./terminal-socket.ts";
import {
  type JournalPage,
  type OwnName,
  type OwnTransaction,
  type ResolveOutcome,
  type TerminalHour,
  TICK,
  type TransferCall,
  type TransferCalls,
  type TransferReply,
} from "../rpc/transfers.ts";
import { Transfers } from "./transfers.ts";
import { closeQuietly } from "../objects/sockets.ts";
import { earliest, Turns } from "../objects/turns.ts";

export class Terminal extends DurableObject<Env> implements TerminalManagement, TransferCalls {
  readonly #turns: Turns;
  readonly #secret: SecretKeeper;
  readonly #usedLogins: UsedLogins;
  readonly #side: TerminalSide;
  readonly #unrecorded: Unrecorded;
  readonly #retention: Retention;
  readonly #database: Database;
  readonly #accounts: Objects;
  readonly #teller: Teller;
  readonly #watch: ClockWatch;
  readonly #transfers: Transfers;
  readonly #calls: CallHandler;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    migrate(storage, MIGRATIONS);
    const sql = new TurnSql(storage.sql);
    const journal = new Journal(sql);
    const connections = new Connections(context);
    const records = new TerminalRecordStore(sql);
    this.#secret = new SecretKeeper(records, env);
    this.#usedLogins = new UsedLogins(sql);
    const secret = () => this.#secret.read();
    const unrecorded = new Unrecorded({ journal, mark: recordedMark(connections, records) });
    const reports = new KeptReports(sql);
    const retention = new Retention({ journal, reports, unrecorded });
    const lane = new LaneShell({ journal, reports, records, connections, unrecorded, retention, secret });
    const untold = new Untold(sql, records);
    const presence = { finish: (now: number) => owePresence(this.#side, now), rollBack: () => undefined };
    const turns: Turns = new Turns({
      storage,
      sql,
      participants: [presence, connections, records, lane, unrecorded, untold, retention],
      startWork: (now) => this.#startWork(now),
      nextDeadline: (now) =>
        earliest(this.#laneDeadline(now), nextHelloDue(connections), this.#teller.nextDeadline(now)) ??
        // Anything else comes within minutes, and then this is looked up.
        retention.nextDeadline(connections.anyOpen, now),
    });
    const database = env.DATABASE;
    const numbers = new Numbers({ context, keeper: () => keeperStub(env), records, untold, turns });
    this.#turns = turns;
    this.#side = { connections, records, lane, reports, secret, numbers, untold };
    this.#unrecorded = unrecorded;
    this.#retention = retention;
    this.#database = new Database({
      context,
      database,
      untold,
      kind: "terminal",
      id: () => records.terminalId ?? "",
      state: (owing) =>
        records.record === null
          ? []
          : [
              terminalStatement(
                database,
                records.record.terminalId,
                owing,
                stateOf(records.record, lane.lane.link.current?.heardAt ?? null),
              ),
            ],
      restored: (generation) => keeperStub(env).retell(generation),
      // The only other rows.
      row: ({ body }, now) => [
        noteBlock(database, records.terminalId ?? "", JSON.parse(body ?? "") as NumberBlock, now),
      ],
      isWrittenSoon: () => connections.silent().length > 0,
    });
    const account = (posId: string) => accountStub(env, posId);
    this.#accounts = new Objects({
      untold,
      kind: "account",
      about: () => ({ terminal: records.terminalId }),
      tell: (posId, row) => tellBinding(this.#side, account(posId), posId, row),
    });
    const recorder = new Recorder({ unrecorded, lane, records, account });
    this.#teller = new Teller({ context, turns, sources: [this.#database, this.#accounts, recorder] });
    this.#transfers = new Transfers({ journal, reports, records, lane, life: requestLife(env.REQUEST_SECONDS) });
    this.#watch = new ClockWatch({
      connections,
      goesOn: (requestId) => lane.goesOn(requestId),
    });
    const [side, transfers, watch] = [this.#side, this.#transfers, this.#watch];
    this.#calls = new CallHandler({ side, transfers, turns, watch });
    void context.blockConcurrencyWhile(async () => {
      // Without this, each start would set the alarm again, which is a row written.
      turns.alarmIsAt(await storage.getAlarm());
    });
  }

  /** When the alarm must wake the lane. A near deadline needs none if a waiter ticks. */
  #laneDeadline(now: number): number | null {
    const { near, far } = this.#side.lane.deadlines(now);
    return near !== null && this.#watch.keeps(near, now) ? far : earliest(near, far);
  }

  #askForTick(now: number): void {
    try {
      const { near } = this.#side.lane.deadlines(now);
      if (near !== null) this.#watch.ask(near, now);
    } catch (error) {
      // The alarm is set instead.
      logError("tick-not-asked-for", error, { terminal: this.#side.records.terminalId });
    }
  }

  /** Starts the work outside the object that the turn has made necessary. */
  #startWork(now: number): void {
    this.#askForTick(now);
    try {
      if (!this.#unrecorded.isEmpty) this.#unrecorded.takeOver(now);
    } catch (error) {
      // The alarm does it.
      logError("outcomes-not-taken-over", error, { terminal: this.#side.records.terminalId });
    }
    this.#teller.start(now);
  }

  // Sockets and the alarm.

  /** Opens a socket, which RPC cannot do: `/connect` for the terminal, `/wait` for the Worker of a till, with its call. */
  override async fetch(request: Request): Promise<Response> {
    if (request.url === WAIT_ADDRESS) return responseTo(await this.#calls.answer(readCall(request.headers), true));
    return this.#openConnection(request.headers, new URL(request.url).origin);
  }

  async #openConnection(headers: Headers, origin: string): Promise<Response> {
    const pair = new WebSocketPair();
    const upgrade = { secretVersion: headers.get("X-Secret-Version"), origin };
    const isOpen = this.#turns.take((now) => openConnection(this.#side, pair[1], upgrade, now));
    if (!isOpen) return new Response(null, { status: 401 });
    await this.#listed(CONNECT_NOTE_WAIT);
    const protocol = headers.get("Sec-WebSocket-Protocol");
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      ...(protocol === null ? {} : { headers: { "Sec-WebSocket-Protocol": protocol } }),
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const attachment = this.#side.connections.attachmentOf(socket);
    if (attachment.role === "waiter" && message === TICK) this.#lookAtClock(socket);
    // Frames in transit when the gateway closed must cost next to nothing: no turn, no alarm.
    if (attachment.role !== "terminal" || attachment.closed) return;
    try {
      const read = readMessage(message);
      const work = (now: number): void => receive(this.#side, { socket, attachment }, read, now);
      if (rarelyWrites(read)) this.#turns.takeLightly(work);
      else this.#turns.take(work);
    } catch (error) {
      this.#giveUp(socket, error);
    }
  }

  /** A waiter ticks. */
  #lookAtClock(ticker: WebSocket): void {
    const { connections, lane, records } = this.#side;
    try {
      this.#turns.take((now) => {
        connections.ticked(ticker);
        lane.take({ kind: "deadline" }, now);
      });
    } catch (error) {
      // The alarm is set for what was due.
      logError("clock-not-looked-at", error, { terminal: records.terminalId });
    }
  }

  /**
   * The turn of a frame failed and stored nothing of it: closes the connection, because a terminal repeats itself on the
   * next one.
   */
  #giveUp(socket: WebSocket, error: unknown): void {
    const { connections, records } = this.#side;
    logError("frame-not-taken", error, { terminal: records.terminalId });
    const [code, reason] = [CLOSE.failed, "the gateway failed; connect again"];
    try {
      const attachment = connections.attachmentOf(socket);
      if (attachment.role !== "terminal") return;
      this.#turns.take((now) => hangUp(this.#side, { socket, attachment }, { code, reason }, now));
    } catch (broken) {
      logError("connection-not-given-up", broken, { terminal: records.terminalId });
      closeQuietly(socket, code, reason);
    }
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // Without our close frame the peer stays in CLOSING (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, reason);
    this.#ended(socket, code);
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket, CLOSE.failed, "error");
    this.#ended(socket, 1006);
  }

  #ended(socket: WebSocket, code: number): void {
    const { connections, lane } = this.#side;
    if (leavesNothing(connections.attachmentOf(socket), lane, code)) return;
    this.#turns.take((now) => {
      const attachment = connections.attachmentOf(socket);
      if (attachment.role === "terminal") noticeEnd(this.#side, { socket, attachment }, now);
      else endWait(this.#side, attachment.requestId, code, now);
    });
  }

  /** Awaits nothing: no deadline waits for D1. */
  override alarm(): void {
    const { lane } = this.#side;
    this.#turns.takeAlarm((now) => {
      this.#unrecorded.alarm(now);
      closeSilent(this.#side, now);
      lane.take({ kind: "deadline" }, now);
      this.#retention.step(now);
    });
  }

  // Transactions.

  async ask(call: TransferCall): Promise<TransferReply> {
    return (await this.#calls.answer(call, false)).reply;
  }

  async transactions(before: number | null, rows: number): Promise<JournalPage> {
    return this.#transfers.page(before, rows);
  }

  async statistics(from: number, to: number): Promise<TerminalHour[]> {
    return this.#transfers.statistics(from, to);
  }

  async ownTransaction(posId: string, name: OwnName): Promise<OwnTransaction | null> {
    const { records } = this.#side;
    return this.#transfers.own(posId, name, records.record?.terminalId ?? "");
  }

  async resolve(
    requestId: number,
    statusCode: FinalStatusCode,
    reason: string,
    operator: string,
  ): Promise<ResolveOutcome> {
    return this.#change((now) => {
      const before = this.#transfers.statusOf(requestId);
      const outcome = this.#transfers.resolve({ requestId, statusCode, reason, operator }, now);
      const after = this.#transfers.statusOf(requestId);
      if (outcome.kind === "resolved") {
        const details = { requestId: String(requestId), statusCode, reason };
        this.#side.untold.audit({ at: now, actor: operator, action: "transaction.resolve", details, before, after });
      }
      return outcome;
    });
  }

  // Management.

  async enrol(enrolment: Enrolment): Promise<EnrolOutcome> {
    return this.#turns.take(() => this.#side.records.enrol(enrolment));
  }

  async changeSecret(sealedSecret: string, actor: string): Promise<SecretOutcome> {
    return this.#change((now) => changeSecret(this.#side, sealedSecret, actor, now));
  }

  async retire(actor: string): Promise<RetireOutcome> {
    return this.#change((now) => retire(this.#side, actor, now));
  }

  /** One turn, after which D1 is waited for: a listing that follows the change shows it. */
  async #change<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
    const outcome = this.#turns.take(work);
    await this.#listed(CHANGE_NOTE_WAIT);
    return outcome;
  }

  /** Waits until D1 knows what this turn has changed, up to this many milliseconds. */
  async #listed(milliseconds: number): Promise<void> {
    const { version } = this.#side.records.owing;
    await this.#teller.awaitTold(this.#database, milliseconds, () => this.#side.untold.isTold(D1, version));
  }

  async verifyLogin(message: JsonObject): Promise<LoginVerdict> {
    return this.#turns.take((now) => takeLogin(this.#secret, this.#usedLogins, message, now));
  }

  async verifyBind(message: JsonObject): Promise<SignatureVerdict> {
    return this.#secret.verify(message);
  }

  async bind(wanted: Binding, mode: "move" | "only-unbound"): Promise<BindOutcome> {
    const { outcome, filled } = this.#turns.take((now) => {
      const bound = bind(this.#side, wanted, mode, now);
      return { outcome: bound, filled: bound.kind === "bound" ? this.#side.numbers.keep(now) : null };
    });
    if (outcome.kind !== "bound") return outcome;
    const { untold, records } = this.#side;
    const { version } = records.owing;
    const listed = async (): Promise<void> => {
      await filled;
      await this.#listed(CHANGE_NOTE_WAIT);
    };
    const isKnown = (): boolean => untold.isTold(accountObject(wanted.posId), version);
    await Promise.all([listed(), this.#teller.awaitTold(this.#accounts, BIND_NEWS_WAIT, isKnown)]);
    const { record } = records;
    const isDeleted = record?.binding?.posId !== wanted.posId && record?.stoppedPosId === wanted.posId;
    return isDeleted ? { kind: "account-deleted" } : outcome;
  }

  async unbind(posId: string | null, actor: string, origin?: CallOrigin): Promise<UnbindOutcome> {
    return this.#change((now) => unbind(this.#side, { posId, actor, origin }, now));
  }

  async accountNews(posId: string, news: TermsNews): Promise<NewsOutcome> {
    return this.#turns.take((now) => takeAccountNews(this.#side, posId, news, now));
  }

  async status(): Promise<TerminalStatus> {
    const { records, lane } = this.#side;
    if (lane.hasLost) this.#turns.take(() => undefined);
    const status = terminalStatus(records.record, lane.lane.link, Date.now());
    const { presence = "absent" } = records.record ?? {};
    if (presence !== "absent" && status.connected !== (presence === "connected")) {
      this.#turns.take((now) => owePresence(this.#side, now, true));
    }
    return status;
  }

  async describe({ merchantId, name }: Description): Promise<void> {
    this.#turns.take(() => {
      const { records } = this.#side;
      if (records.record === null) return;
      const assigned = merchantId === undefined ? {} : { assignedMerchantId: merchantId };
      records.update({ ...assigned, ...(name === undefined ? {} : { name }) });
    });
  }

  async retell(generation: string | null): Promise<boolean> {
    return this.#turns.take((now) => {
      const { records, untold } = this.#side;
      if (records.record !== null) untold.retell(generation, now);
      return records.record !== null;
    });
  }

  async reseal(): Promise<string | null> {
    return this.#turns.take(() => this.#secret.reseal());
  }
}
