/** Everything of one terminal's object: what it stores, its connections, its lane, and its turns. */
import { requestLife } from "../../protocol/limits.ts";
import { migrateObject } from "../durable/storage/migrate.ts";
import { D1, Outbox } from "../durable/storage/outbox.ts";
import { OutboxDispatcher, type OutboxReceiver } from "../durable/outbox-dispatcher.ts";
import { type Schedule, type TurnParticipant, Turns } from "../durable/turns.ts";
import { coordinatorStub } from "../coordinator/rpc.ts";
import { accountObject } from "../d1/objects.ts";
import { Connections } from "./connections.ts";
import { LaneRunner } from "./lane-runner.ts";
import { Numbers } from "./numbers.ts";
import { BINDING } from "./outbox-entries.ts";
import { enqueuePresence } from "./presence.ts";
import { Retention } from "./retention.ts";
import { endExpiredSecret } from "./secret-end.ts";
import { SecretStore } from "./secret.ts";
import { Journal } from "./storage/journal.ts";
import { StoredReportTable, UsedLogins } from "./storage/stored-reports.ts";
import { TerminalRecordStore } from "./storage/record.ts";
import { TERMINAL_MIGRATIONS } from "./storage/schema.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../protocol/time/units.ts";

/**
 * An operator's call, or a change of the binding, waits this long for D1. The call succeeds even if D1 has not
 * followed.
 */
export const CHANGE_NOTE_WAIT = 10 * SECOND;

/** `bind` waits this long for the account to get the binding. It succeeds even if the account has not. */
const BIND_UPDATE_WAIT = 5 * SECOND;

/** Functions take the whole context, or the members that they use. */
export interface TerminalContext {
  journal: Journal;
  records: TerminalRecordStore;
  reports: StoredReportTable;
  usedLogins: UsedLogins;
  connections: Connections;
  lane: LaneRunner;
  numbers: Numbers;
  outbox: Outbox;
  retention: Retention;
  secretStore: SecretStore;
  turns: Turns;
  /** The life of a request from its arrival. */
  life: Milliseconds;
  /** Waits at most so long until D1 has what this turn has changed. */
  waitForD1(within: Milliseconds): Promise<void>;
  /** Takes one turn, then waits a bounded time for D1, so that a listing after the change shows it. */
  change<Outcome>(work: (now: EpochMs) => Outcome): Promise<Outcome>;
  /** Waits a bounded time until the account has the terminal's binding. */
  waitForAccount(posId: string): Promise<void>;
}

/**
 * Called once for each instance of the object. Makes its tables if they are not there.
 *
 * @param receiversFor who gets the outbox's entries
 */
export function createTerminalContext(
  state: DurableObjectState,
  env: Env,
  receiversFor: (context: TerminalContext) => OutboxReceiver[],
): TerminalContext {
  const { storage } = state;
  migrateObject(storage, TERMINAL_MIGRATIONS);
  const { sql } = storage;
  const journal = new Journal(sql);
  const connections = new Connections(state);
  const records = new TerminalRecordStore(sql, journal);
  const reports = new StoredReportTable(sql);
  const outbox = new Outbox(sql, () => records.terminalId);
  const secretStore = new SecretStore(records, env);
  const usedLogins = new UsedLogins(sql);
  const retention = new Retention({ journal, reports, records });
  const lane = new LaneRunner({ journal, reports, records, connections, outbox, retention, secretStore });
  const presence = { finish: (now: EpochMs) => enqueuePresence({ records, lane, connections, outbox }, now) };
  const secretEnd: TurnParticipant & Schedule = {
    begin: (now) => endExpiredSecret({ records, usedLogins, connections, lane, secretStore }, now),
    hasChanged: () => records.isChanged,
    startDue: () => records.record?.previousSecret?.until ?? null,
  };
  const turns: Turns = new Turns({
    storage,
    participants: [presence, connections, records, journal, lane, outbox, secretEnd],
    schedules: () => [lane, connections, dispatcher, pruning, secretEnd],
  });
  const pruning: Schedule = {
    hasChanged: () => records.isChanged || connections.hasChanged(),
    startDue: (now) => retention.nextDeadline(connections.anyOpen, now),
  };
  const context: TerminalContext = {
    journal,
    records,
    reports,
    usedLogins,
    connections,
    lane,
    numbers: new Numbers({ context: state, coordinator: () => coordinatorStub(env), records, outbox, turns }),
    outbox,
    retention,
    secretStore,
    turns,
    life: requestLife(env.REQUEST_SECONDS),
    waitForD1: (milliseconds) => dispatcher.awaitDelivered({ target: D1, version: outbox.lastVersion }, milliseconds),
    change: (work) => dispatcher.changeAndAwait(work, [D1], CHANGE_NOTE_WAIT),
    waitForAccount: (posId) => {
      const wanted = { target: accountObject(posId), kind: BINDING, version: outbox.lastVersion };
      return dispatcher.awaitDelivered(wanted, BIND_UPDATE_WAIT);
    },
  };
  const dispatcher: OutboxDispatcher = new OutboxDispatcher({
    context: state,
    outbox,
    turns,
    receivers: receiversFor(context),
    about: () => ({ terminal: records.terminalId }),
  });
  return context;
}
