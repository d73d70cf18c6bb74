import { type MasterKeys, masterKeysOf } from "../keys/master-keys.ts";
import { logError } from "../outcomes/log.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { Database, Objects } from "../objects/untold/receivers.ts";
import { D1, Teller } from "../objects/untold/teller.ts";
import { keeperStub } from "../rpc/keeper.ts";
import { terminalObject } from "../storage/objects.ts";
import { oweOpen, oweTroubles, stateStatements, unresolvedRow } from "./telling.ts";
import { DayBook } from "./day-book.ts";
import { oweAll } from "./feed.ts";
import { FOLLOW_WAIT } from "./limits.ts";
import { Followers, hasReadAll, readEvents } from "./reading.ts";
import { AccountSessions } from "./sessions.ts";
import { StatisticsBook, statisticsTelling } from "./statistics-book.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import type { AccountRecord } from "./storage/record.ts";
import { AccountStores } from "./stores.ts";
import { tellTerms } from "./changes.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { Endpoints, eventFeed } from "./webhooks/webhooks.ts";

export type AccountParts = ReturnType<typeof accountParts>;

/** A book can wait, while a payment cannot. */
interface Book {
  failed(now: number): void;
}

export function accountParts(context: DurableObjectState, env: Env) {
  const { storage } = context;
  migrate(storage, MIGRATIONS);
  const stores = new AccountStores(storage.sql);
  const { records, devices, sessions, events, webhooks, untold } = stores;
  const dayBook = new DayBook(stores);
  const statistics = new StatisticsBook(stores);
  const followers = new Followers(context);
  const troubles = { finish: (now: number) => oweTroubles(stores, now), rollBack: () => undefined };
  const turns: Turns = new Turns({
    storage,
    participants: [troubles, records, devices, sessions, events, webhooks, untold],
    startWork,
    nextDeadline: (now) =>
      earliest(
        teller.nextDeadline(now),
        dayBook.nextDeadline(),
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
    paced: statisticsTelling(env.DATABASE, statistics, stores),
  });
  const terminals = new Objects({
    untold,
    kind: "terminal",
    about: () => ({ account: records.posId }),
    tell: (terminalId) => tellTerms(env, records.record, terminalId),
  });
  const teller: Teller = new Teller({ context, turns, sources: [database, terminals] });

  function startWork(now: number): void {
    teller.start(now);
    try {
      const [appended, ended] = [events.takeAppended(), sessions.takeEnded()];
      if (appended || ended) answerFollowers();
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
    oweAll(stores, dayBook.unresolved(record), now);
    oweOpen(stores, now);
  }

  return {
    ...stores,
    ...bookKeeping(turns, dayBook, statistics, records),
    turns,
    dayBook,
    statistics,
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

/** Each book is kept in its own turn, which may fail. */
function bookKeeping(turns: Turns, dayBook: DayBook, statistics: StatisticsBook, records: AccountStores["records"]) {
  function keep(failure: string, book: Book, work: (now: number) => void): void {
    try {
      turns.take(work);
    } catch (error) {
      book.failed(Date.now());
      logError(failure, error, { account: records.posId });
    }
  }

  return {
    /** Called before anything is recorded or shown. */
    closeDays(): void {
      if (dayBook.isDue(Date.now())) keep("days-not-kept", dayBook, (now) => dayBook.close(now));
    },

    /** @param newest the number of the newest event; 0: none is new */
    keepBooks(newest: number): void {
      if (dayBook.isLong(newest)) keep("days-not-kept", dayBook, () => dayBook.tally());
      if (statistics.isLong(newest, Date.now())) {
        keep("statistics-not-kept", statistics, (now) => statistics.keep(now));
      }
    },
  };
}
