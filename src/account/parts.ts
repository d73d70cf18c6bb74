/** The parts of an account's object, and what they do for each other in and after its turns. */
import { type MasterKeys, masterKeysOf } from "../keys/master-keys.ts";
import { logError } from "../outcomes/log.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { Database } from "../objects/untold/database.ts";
import { D1 } from "../objects/untold/decisions.ts";
import { Objects } from "../objects/untold/objects.ts";
import { Teller } from "../objects/untold/teller.ts";
import { keeperStub } from "../rpc/keeper.ts";
import { terminalObject } from "../storage/untold.ts";
import { oweOpen } from "./contrary.ts";
import { DayBook } from "./day-book.ts";
import { oweAll } from "./feed.ts";
import { FOLLOW_WAIT } from "./limits.ts";
import { Followers, hasReadAll, readEvents } from "./reading.ts";
import { AccountSessions } from "./sessions.ts";
import { StatisticsBook, StatisticsTelling } from "./statistics-book.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import type { AccountRecord } from "./storage/record.ts";
import { AccountStores } from "./stores.ts";
import { oweTroubles, stateStatements, unresolvedRow } from "./telling.ts";
import { tellTerms } from "./terminals.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { AccountWebhooks } from "./webhooks/webhooks.ts";

export class AccountParts extends AccountStores {
  readonly env: Env;
  readonly turns: Turns;
  readonly accountSessions: AccountSessions;
  readonly dayBook: DayBook;
  readonly statistics: StatisticsBook;
  readonly followers: Followers;
  readonly accountWebhooks: AccountWebhooks;
  readonly #deliveries: Deliveries;
  readonly #database: Database;
  readonly #terminals: Objects;
  readonly #teller: Teller;

  constructor(context: DurableObjectState, env: Env) {
    const { storage } = context;
    migrate(storage, MIGRATIONS);
    super(storage.sql);
    this.env = env;
    const { records, devices, sessions, events, webhooks, untold } = this;
    const troubles = { finish: (now: number) => oweTroubles(this, now), rollBack: () => undefined };
    this.turns = new Turns({
      storage,
      participants: [troubles, records, devices, sessions, events, webhooks, untold],
      startWork: (now) => this.#startWork(now),
      nextDeadline: (now) =>
        earliest(
          this.#teller.nextDeadline(now),
          this.dayBook.nextDeadline(),
          this.#deliveries.nextDeadline(now),
          records.record?.pruneAt ?? null,
        ),
    });
    this.accountSessions = new AccountSessions(this);
    this.dayBook = new DayBook(this);
    this.statistics = new StatisticsBook(this);
    this.followers = new Followers(context);
    this.accountWebhooks = new AccountWebhooks(this);
    this.#deliveries = new Deliveries({ context, env, records, webhooks, events, turns: this.turns });
    const database = env.DATABASE;
    this.#database = new Database({
      context,
      database,
      untold,
      kind: "account",
      id: () => records.posId,
      state: (owing, now) => stateStatements(database, this, owing, now),
      restored: (generation) => keeperStub(env).retell(generation),
      retold: (now) => this.oweAll(now),
      // The only other rows.
      row: (row, now) => [unresolvedRow(database, records.posId, row, now)],
      paced: new StatisticsTelling({ database, records, book: this.statistics, untold }),
    });
    this.#terminals = new Objects({
      untold,
      kind: "terminal",
      about: () => ({ account: records.posId }),
      tell: (terminalId) => tellTerms(env, records.record, terminalId),
    });
    this.#teller = new Teller({ context, turns: this.turns, sources: [this.#database, this.#terminals] });
  }

  /** Throws if there is no account. */
  get known(): AccountRecord {
    const { record } = this.records;
    if (record === null) throw new Error("there is no account");
    return record;
  }

  get masterKeys(): MasterKeys {
    return masterKeysOf(this.env);
  }

  /** Starts the work outside the object that the turn has made necessary. */
  #startWork(now: number): void {
    this.#teller.start(now);
    try {
      const [appended, ended] = [this.events.takeAppended(), this.sessions.takeEnded()];
      if (appended || ended) this.#answerFollowers();
    } catch (error) {
      // A waiting reader asks again.
      logError("readers-not-told", error, { account: this.records.posId });
    }
    this.#deliveries.start(now);
  }

  #answerFollowers(): void {
    this.followers.answer((question) => {
      const answer = readEvents(this, question);
      return hasReadAll(answer, question) ? null : answer;
    });
  }

  /** D1 was restored: it lacks everything. */
  oweAll(now: number): void {
    const { record } = this.records;
    if (record === null) return;
    oweAll(this, this.dayBook.unresolved(record), now);
    oweOpen(this, now);
  }

  /** One turn, then a bounded wait for D1 and the terminals, so that a read after the change shows it. */
  async follow<Outcome>(work: (now: number) => Outcome): Promise<Outcome> {
    const outcome = this.turns.take(work);
    const { untold, records } = this;
    const { version } = records.owing;
    const areTold = (): boolean => untold.of(terminalObject("")).every((row) => row.version > version);
    await Promise.all([
      this.#teller.awaitTold(this.#database, FOLLOW_WAIT, () => untold.isTold(D1, version)),
      this.#teller.awaitTold(this.#terminals, FOLLOW_WAIT, areTold),
    ]);
    return outcome;
  }

  /** Called before anything is recorded or shown. */
  closeDays(): void {
    if (this.dayBook.isDue(Date.now())) this.#keep("days-not-kept", this.dayBook, (now) => this.dayBook.close(now));
  }

  /** Stores what the events add up to, if that is a lot. @param newest the number of the newest event; 0: none is new */
  keepBooks(newest: number): void {
    const { dayBook, statistics } = this;
    if (dayBook.isLong(newest)) this.#keep("days-not-kept", dayBook, () => dayBook.tally());
    if (statistics.isLong(newest, Date.now())) {
      this.#keep("statistics-not-kept", statistics, (now) => statistics.keep(now));
    }
  }

  /** Its own turn, which may fail: a book can wait, a payment cannot. */
  #keep(failure: string, book: { failed(now: number): void }, work: (now: number) => void): void {
    try {
      this.turns.take(work);
    } catch (error) {
      book.failed(Date.now());
      logError(failure, error, { account: this.records.posId });
    }
  }
}
