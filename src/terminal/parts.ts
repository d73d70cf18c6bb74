/** The parts of a terminal's object, and what they do for each other in and after its turns. */
import { logError } from "../outcomes/log.ts";
import { requestLife } from "../protocol/limits/transfers.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { TurnSql } from "../objects/storage/turn-sql.ts";
import { Untold } from "../objects/storage/untold.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { Database } from "../objects/untold/database.ts";
import { D1, type Owing } from "../objects/untold/decisions.ts";
import { Objects } from "../objects/untold/objects.ts";
import { Teller } from "../objects/untold/teller.ts";
import { accountStub } from "../rpc/account.ts";
import { keeperStub, type NumberBlock } from "../rpc/keeper.ts";
import { noteBlock } from "../storage/number-blocks.ts";
import { terminalStatement } from "../storage/terminals.ts";
import { accountObject } from "../storage/untold.ts";
import { tellBinding } from "./binding.ts";
import { CallHandler, ClockWatch } from "./call-handler.ts";
import { Connections } from "./connections.ts";
import { isContrary, tellContrary } from "./contrary.ts";
import { nextHelloDue } from "./handshake.ts";
import { LaneShell } from "./lane-shell.ts";
import { BIND_NEWS_WAIT, CHANGE_NOTE_WAIT } from "./limits.ts";
import { Numbers } from "./numbers.ts";
import { owePresence, stateOf } from "./presence.ts";
import { Recorder } from "./recorder.ts";
import { Retention } from "./retention.ts";
import { SecretKeeper } from "./secret.ts";
import { Journal } from "./storage/journal.ts";
import { KeptReports } from "./storage/kept-reports.ts";
import { UsedLogins } from "./storage/logins.ts";
import { TerminalRecordStore } from "./storage/record.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import type { TerminalSide } from "./terminal-side.ts";
import { Transfers } from "./transfers.ts";
import { recordedMark, Unrecorded } from "./unrecorded.ts";

export class TerminalParts implements TerminalSide {
  readonly records: TerminalRecordStore;
  readonly connections: Connections;
  readonly reports: KeptReports;
  readonly usedLogins: UsedLogins;
  readonly untold: Untold;
  readonly secretKeeper: SecretKeeper;
  readonly secret: () => string | null;
  readonly unrecorded: Unrecorded;
  readonly retention: Retention;
  readonly lane: LaneShell;
  readonly turns: Turns;
  readonly numbers: Numbers;
  readonly transfers: Transfers;
  readonly calls: CallHandler;
  readonly #watch: ClockWatch;
  readonly #database: Database;
  readonly #accounts: Objects;
  readonly #teller: Teller;

  constructor(context: DurableObjectState, env: Env) {
    const { storage } = context;
    migrate(storage, MIGRATIONS);
    const sql = new TurnSql(storage.sql);
    const journal = new Journal(sql);
    const connections = new Connections(context);
    const records = new TerminalRecordStore(sql);
    const reports = new KeptReports(sql);
    const untold = new Untold(sql, records);
    this.records = records;
    this.connections = connections;
    this.reports = reports;
    this.usedLogins = new UsedLogins(sql);
    this.untold = untold;
    this.secretKeeper = new SecretKeeper(records, env);
    this.secret = () => this.secretKeeper.read();
    this.unrecorded = new Unrecorded({ journal, mark: recordedMark(connections, records) });
    this.retention = new Retention({ journal, reports, unrecorded: this.unrecorded });
    const { unrecorded, retention, secret } = this;
    const lane = new LaneShell({ journal, reports, records, connections, unrecorded, untold, retention, secret });
    this.lane = lane;
    const presence = { finish: (now: number) => owePresence(this, now), rollBack: () => undefined };
    this.turns = new Turns({
      storage,
      sql,
      participants: [presence, connections, records, lane, unrecorded, untold, retention],
      startWork: (now) => this.#startWork(now),
      nextDeadline: (now) =>
        earliest(this.#laneDeadline(now), nextHelloDue(connections), this.#teller.nextDeadline(now)) ??
        // Anything else comes within minutes, and then this is looked up.
        retention.nextDeadline(connections.anyOpen, now),
    });
    const { turns } = this;
    this.numbers = new Numbers({ context, keeper: () => keeperStub(env), records, untold, turns });
    this.transfers = new Transfers({ journal, reports, records, lane, life: requestLife(env.REQUEST_SECONDS) });
    this.#watch = new ClockWatch({ connections, goesOn: (requestId) => lane.goesOn(requestId) });
    this.calls = new CallHandler({ side: this, transfers: this.transfers, turns, watch: this.#watch });
    const database = env.DATABASE;
    this.#database = new Database({
      context,
      database,
      untold,
      kind: "terminal",
      id: () => records.terminalId ?? "",
      state: (owing) => this.#stateStatements(database, owing),
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
      tell: (posId, row) =>
        isContrary(row) ? tellContrary(this, account(posId), row) : tellBinding(this, account(posId), posId, row),
    });
    const recorder = new Recorder({ unrecorded, lane, records, account });
    this.#teller = new Teller({ context, turns, sources: [this.#database, this.#accounts, recorder] });
  }

  #stateStatements(database: D1Database, owing: Owing): D1PreparedStatement[] {
    const { record } = this.records;
    if (record === null) return [];
    const state = stateOf(record, this.lane.lane.link.current?.heardAt ?? null);
    return [terminalStatement(database, record.terminalId, owing, state)];
  }

  /** When the alarm must wake the lane. A near deadline needs none if a waiter ticks. */
  #laneDeadline(now: number): number | null {
    const { near, far } = this.lane.deadlines(now);
    return near !== null && this.#watch.keeps(near, now) ? far : earliest(near, far);
  }

  #askForTick(now: number): void {
    try {
      const { near } = this.lane.deadlines(now);
      if (near !== null) this.#watch.ask(near, now);
    } catch (error) {
      // The alarm is set instead.
      logError("tick-not-asked-for", error, { terminal: this.records.terminalId });
    }
  }

  /** Starts the work outside the object that the turn has made necessary. */
  #startWork(now: number): void {
    this.#askForTick(now);
    try {
      if (!this.unrecorded.isEmpty) this.unrecorded.takeOver(now);
    } catch (error) {
      // The alarm does it.
      logError("outcomes-not-taken-over", error, { terminal: this.records.terminalId });
    }
    this.#teller.start(now);
  }

  /** Waits until D1 knows what this turn has changed, up to this many milliseconds. */
  async listed(milliseconds: number): Promise<void> {
    const { version } = this.records.owing;
    await this.#teller.awaitTold(this.#database, milliseconds, () => this.untold.isTold(D1, version));
  }

  /** One turn, after which D1 is waited for: a listing that follows the change shows it. */
  async change<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
    const outcome = this.turns.take(work);
    await this.listed(CHANGE_NOTE_WAIT);
    return outcome;
  }

  /** Waits until the account knows that the terminal is bound to it, for a bounded time. */
  async knownTo(posId: string): Promise<void> {
    const { version } = this.records.owing;
    const isKnown = (): boolean => this.untold.isTold(accountObject(posId), version);
    await this.#teller.awaitTold(this.#accounts, BIND_NEWS_WAIT, isKnown);
  }
}
