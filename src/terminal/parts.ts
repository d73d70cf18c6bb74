import { requestLife } from "../protocol/limits/transfers.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { D1, Outbox, OutboxDispatcher } from "../objects/outbox.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { keeperStub } from "../rpc/keeper.ts";
import { accountObject } from "../storage/objects.ts";
import { Connections } from "./connections.ts";
import { terminalReceivers } from "./receivers.ts";
import { nextHelloDue, type TerminalSide } from "./terminal-socket.ts";
import { LaneShell } from "./lane-shell.ts";
import { BIND_NEWS_WAIT, CHANGE_NOTE_WAIT } from "./limits.ts";
import { Numbers } from "./numbers.ts";
import { enqueuePresence } from "./presence.ts";
import { Retention } from "./retention.ts";
import { SecretKeeper } from "./secret.ts";
import { Journal } from "./storage/journal.ts";
import { KeptReports, UsedLogins } from "./storage/kept-reports.ts";
import { TerminalRecordStore } from "./storage/record.ts";
import { MIGRATIONS } from "./storage/schema.ts";

export type TerminalParts = ReturnType<typeof terminalParts>;

export function terminalParts(context: DurableObjectState, env: Env) {
  const { storage } = context;
  migrate(storage, MIGRATIONS);
  const { sql } = storage;
  const journal = new Journal(sql);
  const connections = new Connections(context);
  const records = new TerminalRecordStore(sql);
  const reports = new KeptReports(sql);
  const outbox = new Outbox(sql, () => records.terminalId);
  const secretKeeper = new SecretKeeper(records, env);
  const secret = (): string | null => secretKeeper.read();
  const retention = new Retention({ journal, reports, records });
  const lane: LaneShell = new LaneShell({
    journal,
    reports,
    records,
    connections,
    outbox,
    retention,
    secret,
  });
  const presence = { finish: (now: number) => enqueuePresence({ records, lane, connections, outbox }, now) };
  const turns: Turns = new Turns({
    storage,
    participants: [presence, connections, records, lane],
    startWork: (now) => dispatcher.start(now),
    nextDeadline: (now) =>
      earliest(lane.nextDeadline(now), nextHelloDue(connections), dispatcher.nextDeadline(now)) ??
      // Other deadlines come within minutes, and then retention is looked at again.
      retention.nextDeadline(connections.anyOpen, now),
  });
  const numbers = new Numbers({ context, keeper: () => keeperStub(env), records, outbox, turns });
  const side: TerminalSide = { connections, records, lane, reports, numbers, outbox, secret };
  const dispatcher: OutboxDispatcher = new OutboxDispatcher({
    context,
    outbox,
    turns,
    receivers: terminalReceivers(context, env, side),
    about: () => ({ terminal: records.terminalId }),
  });

  /** Waits up to this many milliseconds until D1 has what this turn has changed. */
  function listed(milliseconds: number): Promise<void> {
    return dispatcher.awaitDelivered(D1, outbox.lastVersion, milliseconds);
  }

  return {
    ...side,
    retention,
    secretKeeper,
    usedLogins: new UsedLogins(sql),
    turns,
    journal,
    life: requestLife(env.REQUEST_SECONDS),
    listed,

    /** Waits for D1 after the turn, so that a listing that follows the change shows it. */
    async change<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
      const outcome = turns.take(work);
      await listed(CHANGE_NOTE_WAIT);
      return outcome;
    },

    /** Waits a bounded time until the account knows that the terminal is bound to it. */
    knownTo(posId: string): Promise<void> {
      return dispatcher.awaitDelivered(accountObject(posId), outbox.lastVersion, BIND_NEWS_WAIT);
    },
  };
}
