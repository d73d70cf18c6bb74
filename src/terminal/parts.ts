import { requestLife } from "../protocol/limits/transfers.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { Outbox, OutboxDispatcher, type OutboxReceiver } from "../objects/outbox.ts";
import { Untold } from "../objects/storage/untold.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { Database, Objects } from "../objects/untold/receivers.ts";
import { D1, Teller } from "../objects/untold/teller.ts";
import { accountStub } from "../rpc/account.ts";
import { keeperStub, type NumberBlock } from "../rpc/keeper.ts";
import { noteBlock, accountObject } from "../storage/objects.ts";
import { terminalStatement } from "../storage/terminals.ts";
import { tellBinding } from "./binding.ts";
import { Connections } from "./connections.ts";
import { isContrary, tellContrary } from "./record-entry.ts";
import { nextHelloDue, type TerminalSide } from "./terminal-socket.ts";
import { LaneShell } from "./lane-shell.ts";
import { BIND_NEWS_WAIT, CHANGE_NOTE_WAIT } from "./limits.ts";
import { Numbers } from "./numbers.ts";
import { owePresence, stateOf } from "./presence.ts";
import { deliverOutcomes } from "./outcomes.ts";
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
  const untold = new Untold(sql, records);
  const secretKeeper = new SecretKeeper(records, env);
  const secret = (): string | null => secretKeeper.read();
  const account = (posId: string) => accountStub(env, posId);
  const outbox = new Outbox(sql, () => records.terminalId);
  const retention = new Retention({ journal, reports, records });
  const lane: LaneShell = new LaneShell({
    journal,
    reports,
    records,
    connections,
    outbox,
    untold,
    retention,
    secret,
  });
  const presence = { finish: (now: number) => owePresence({ records, lane, connections, untold }, now) };
  const turns: Turns = new Turns({
    storage,
    participants: [presence, connections, records, lane, untold],
    startWork,
    nextDeadline: (now) =>
      earliest(
        lane.nextDeadline(now),
        nextHelloDue(connections),
        teller.nextDeadline(now),
        dispatcher.nextDeadline(now),
      ) ??
      // Other deadlines come within minutes, and then retention is looked at again.
      retention.nextDeadline(connections.anyOpen, now),
  });
  const numbers = new Numbers({ context, keeper: () => keeperStub(env), records, untold, turns });
  const side: TerminalSide = { connections, records, lane, reports, numbers, untold, secret };
  const database = new Database({
    context,
    database: env.DATABASE,
    untold,
    kind: "terminal",
    id: () => records.terminalId ?? "",
    state: (owing) => {
      const { record } = records;
      if (record === null) return [];
      const state = stateOf(record, lane.lane.link.current?.heardAt ?? null);
      return [terminalStatement(env.DATABASE, record.terminalId, owing, state)];
    },
    restored: (generation) => keeperStub(env).retell(generation),
    // The only other rows.
    row: ({ body }, now) => [
      noteBlock(env.DATABASE, records.terminalId ?? "", JSON.parse(body ?? "") as NumberBlock, now),
    ],
  });
  const accounts = new Objects({
    untold,
    kind: "account",
    about: () => ({ terminal: records.terminalId }),
    tell: (posId, row) =>
      isContrary(row) ? tellContrary(side, account(posId), row) : tellBinding(side, account(posId), posId, row),
  });
  const teller: Teller = new Teller({ context, turns, sources: [database, accounts] });
  const outcomes: OutboxReceiver = {
    target: accountObject(""),
    isBatched: () => true,
    async send(entries) {
      const [first] = entries;
      const posId = first?.target.slice(accountObject("").length) ?? "";
      const { link } = lane.lane;
      const told = { find: (requestId: number) => lane.find(requestId), terminalId: records.terminalId ?? "", link };
      const answers = await deliverOutcomes(told, account(posId), entries);
      return () => answers;
    },
  };
  const about = () => ({ terminal: records.terminalId });
  const dispatcher: OutboxDispatcher = new OutboxDispatcher({ context, outbox, turns, about, receivers: [outcomes] });

  function startWork(now: number): void {
    dispatcher.start(now);
    teller.start(now);
  }

  /** Waits up to this many milliseconds until D1 knows what this turn has changed. */
  async function listed(milliseconds: number): Promise<void> {
    const { version } = records.owing;
    await teller.awaitTold(database, milliseconds, () => untold.isTold(D1, version));
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
    async knownTo(posId: string): Promise<void> {
      const { version } = records.owing;
      await teller.awaitTold(accounts, BIND_NEWS_WAIT, () => untold.isTold(accountObject(posId), version));
    },
  };
}
