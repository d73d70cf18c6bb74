import { type MasterKeys, masterKeysOf } from "../keys/master-keys.ts";
import { logError } from "../outcomes/log.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { D1, REMEMBERED_FOR } from "../objects/storage/outbox.ts";
import { OutboxDispatcher } from "../objects/outbox-dispatcher.ts";
import { terminalObject } from "../storage/objects.ts";
import { accountDatabase, enqueueAll, enqueueWebhookHealth } from "./copies.ts";
import { openCopies } from "./feed.ts";
import { FOLLOW_WAIT } from "./limits.ts";
import { Followers, hasReadAll, readEvents } from "./reading.ts";
import { AccountSessions } from "./sessions.ts";
import { enqueueStatisticsSince } from "./statistics.ts";
import { MIGRATIONS } from "./storage/schema.ts";
import type { AccountRecord } from "./storage/record.ts";
import { AccountStores } from "./stores.ts";
import { Sums } from "./sums.ts";
import { deliverTerms } from "./changes.ts";
import { unresolvedOf } from "./totals.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { Endpoints, eventFeed } from "./webhooks/webhooks.ts";

export type AccountParts = ReturnType<typeof accountParts>;

export function accountParts(context: DurableObjectState, env: Env) {
  const { storage } = context;
  migrate(storage, MIGRATIONS);
  const stores = new AccountStores(storage.sql);
  const { records, webhooks, outbox } = stores;
  const sums = new Sums(stores);
  const followers = new Followers(context);
  const copies = { finish: (now: number) => enqueueWebhookHealth(stores, now) };
  const turns: Turns = new Turns({
    storage,
    participants: [copies, records],
    startWork,
    nextDeadline: (now) =>
      earliest(
        dispatcher.nextDeadline(now),
        sums.nextDeadline(),
        deliveries.nextDeadline(now),
        records.record?.pruneAt ?? null,
      ),
  });
  const feed = eventFeed(stores);
  const deliveries: Deliveries = new Deliveries({ context, env, feed, webhooks, turns });
  const dispatcher: OutboxDispatcher = new OutboxDispatcher({
    context,
    outbox,
    turns,
    receivers: [
      accountDatabase(context, env.DATABASE, stores),
      {
        target: terminalObject(""),
        async send([entry]) {
          const terminalId = (entry?.target ?? "").slice(terminalObject("").length);
          const judge = await deliverTerms(env, records.record, terminalId);
          return (now) => [judge(now)];
        },
      },
    ],
    about: () => ({ account: records.posId }),
  });

  function startWork(now: number): void {
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

  /** D1 was restored: it may lack everything. */
  function resync(now: number): void {
    const { record } = records;
    if (record === null) return;
    enqueueAll(stores, openCopies(stores, unresolvedOf(stores, record)), now);
    enqueueStatisticsSince(stores, now - REMEMBERED_FOR, now);
  }

  return {
    ...stores,
    turns,
    followers,
    resync,
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
      const version = outbox.lastVersion;
      await Promise.all(
        [D1, terminalObject("")].map((target) => dispatcher.awaitDelivered(target, version, FOLLOW_WAIT)),
      );
      return outcome;
    },
  };
}
