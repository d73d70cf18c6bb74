import { type MasterKeys, masterKeysOf } from "../keys/master-keys.ts";
import { logError } from "../outcomes/log.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { Database, Objects } from "../objects/untold/receivers.ts";
import { OutboxDispatcher } from "../objects/outbox.ts";
import { databaseReceiver } from "../objects/outbox-database.ts";
import { D1, Teller } from "../objects/untold/teller.ts";
import { keeperStub } from "../rpc/keeper.ts";
import { terminalObject } from "../storage/objects.ts";
import { oweOpen, oweTroubles, stateStatements, unresolvedRow } from "./telling.ts";
import { oweAll } from "./feed.ts";
import { FOLLOW_WAIT } from "./limits.ts";
import { Followers, hasReadAll, readEvents } from "./reading.ts";
import { AccountSessions } from "./sessions.ts";
import { statisticsChange } from "./statistics.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import type { AccountRecord } from "./storage/record.ts";
import { AccountStores } from "./stores.ts";
import { Sums } from "./sums.ts";
import { tellTerms } from "./changes.ts";
import { unresolvedOf } from "./totals.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { Endpoints, eventFeed } from "./webhooks/webhooks.ts";

export type AccountParts = ReturnType<typeof accountParts>;

export function accountParts(context: DurableObjectState, env: Env) {
  const { storage } = context;
  migrate(storage, MIGRATIONS);
  const stores = new AccountStores(storage.sql);
  const { records, webhooks, untold } = stores;
  const sums = new Sums(stores);
  const followers = new Followers(context);
  const troubles = { finish: (now: number) => oweTroubles(stores, now), rollBack: () => undefined };
  const turns: Turns = new Turns({
    storage,
    participants: [troubles, records, untold],
    startWork,
    nextDeadline: (now) =>
      earliest(
        teller.nextDeadline(now),
        dispatcher.nextDeadline(now),
        sums.nextDeadline(),
        deliveries.nextDeadline(now),
        records.record?.pruneAt ?? null,
      ),
  });
  const feed = eventFeed(stores);
  const deliveries: Deliveries = new Deliveries({ context, env, feed, webhooks, turns });
  const database = new Database({
    context,
    database: env.DATABASE,
    untold,
    kind: "account",
    id: () => records.posId,
    state: (owing, now) => stateStatements(env.DATABASE, stores, owing, now),
    restored: (generation) => keeperStub(env).retell(generation),
    retold: owesAll,
    // All rows except audit rows.
    row: (row, now) => [unresolvedRow(env.DATABASE, records.posId, row, now)],
  });
  const terminals = new Objects({
    untold,
    kind: "terminal",
    about: () => ({ account: records.posId }),
    tell: (terminalId) => tellTerms(env, records.record, terminalId),
  });
  const teller: Teller = new Teller({ context, turns, sources: [database, terminals] });

  const dispatcher: OutboxDispatcher = new OutboxDispatcher({
    context,
    outbox: stores.outbox,
    turns,
    receivers: [
      databaseReceiver(env.DATABASE, () => `account:${records.posId}`, {
        statistics: (entry, now) => statisticsChange(env.DATABASE, stores, entry, now),
      }),
    ],
    about: () => ({ account: records.posId }),
  });

  function startWork(now: number): void {
    teller.start(now);
    dispatcher.start(now);
    try {
      answerFollowers();
    } catch (error) {
      // A waiting reader asks again.
      logError("readers-not-told", error, { account: records.posId });
    }
    deliveries.start(now);
  }

  function answerFollowers(): void {
    followers.answer((question) => {
      const answer = readEvents(stores, question);
      return hasReadAll(answer, question) ? null : answer;
    });
  }

  /** D1 was restored: it lacks everything. */
  function owesAll(now: number): void {
    const { record } = records;
    if (record === null) return;
    oweAll(stores, unresolvedOf(stores, record), now);
    oweOpen(stores, now);
  }

  return {
    ...stores,
    turns,
    followers,
    owesAll,
    accountSessions: new AccountSessions(stores),
    feed,
    endpoints: new Endpoints({ env, webhooks, feed }),

    get masterKeys(): MasterKeys {
      return masterKeysOf(env);
    },

    /** @throws if there is no account */
    get known(): AccountRecord {
      const { record } = records;
      if (record === null) throw new Error("there is no account");
      return record;
    },

    /** Called before anything is recorded or shown. */
    keepSums(): void {
      sums.keep(turns);
    },

    /** One turn, then a bounded wait for D1 and the terminals, so that a read after the change shows it. */
    async follow<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
      const outcome = turns.take(work);
      const { version } = records.owing;
      const areTold = (): boolean => untold.of(terminalObject("")).every((row) => row.version > version);
      await Promise.all([
        teller.awaitTold(database, FOLLOW_WAIT, () => untold.isTold(D1, version)),
        teller.awaitTold(terminals, FOLLOW_WAIT, areTold),
      ]);
      return outcome;
    },
  };
}
