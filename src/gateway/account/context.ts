/** Everything of one account's object: what it stores, who waits for its events, where they go, and its turns. */
import { type MasterKeys, requireMasterKeys } from "../secrets/master-keys.ts";
import { logError } from "../lib/log.ts";
import { migrateObject } from "../durable/storage/migrate.ts";
import { D1 } from "../durable/storage/outbox.ts";
import { OutboxDispatcher } from "../durable/outbox-dispatcher.ts";
import { Turns } from "../durable/turns.ts";
import { terminalObject } from "../d1/objects.ts";
import { accountDatabase, enqueueWebhookHealth } from "./copies.ts";
import { terminalsReceiver } from "./changes.ts";
import { Followers, hasReadAll, readStoredEvents } from "./reading.ts";
import { ACCOUNT_MIGRATIONS } from "./storage/schema.ts";
import { AccountTables } from "./storage/tables.ts";
import { Sums } from "./sums.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { Endpoints } from "./webhooks/endpoints.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** An operator's call waits this long for D1 and the terminals. It succeeds even if they have not followed. */
const FOLLOW_WAIT = 10 * SECOND;

/** Functions that only read and store take the tables. */
export interface AccountContext extends AccountTables {
  followers: Followers;
  endpoints: Endpoints;
  turns: Turns;
  /** @throws if `MASTER_KEYS` is unusable */
  masterKeys: () => MasterKeys;
  /** Closes the days that are due; called before anything is shown. */
  keepSums: () => void;
  /** Does the same within a turn that records something. */
  keepSumsWithin: (now: EpochMs) => void;
  /** Takes one turn, then waits a bounded time for D1 and the terminals, so that a read after the change shows it. */
  change: <Outcome>(work: (now: EpochMs) => Outcome) => Promise<Outcome>;
}

/** Called once for each instance of the object. It makes the tables if they are missing. */
export function createAccountContext(state: DurableObjectState, env: Env): AccountContext {
  const { storage } = state;
  migrateObject(storage, ACCOUNT_MIGRATIONS);
  const tables = new AccountTables(storage.sql);
  const { records, events, webhooks, outbox } = tables;
  const about = () => ({ account: records.posId });
  const sums = new Sums(tables);
  const followers = new Followers(state);
  const turns: Turns = new Turns({
    storage,
    participants: [
      { finish: (now: EpochMs) => enqueueWebhookHealth(tables, now) },
      records,
      events,
      webhooks,
      outbox,
      { commit: answerFollowers },
    ],
    schedules: () => [dispatcher, sums, deliveries, pruning],
  });
  const pruning = { hasChanged: () => records.isChanged, startDue: () => records.record?.pruneAt ?? null };
  const deliveries = new Deliveries({ tables, state, env, turns });
  const dispatcher = new OutboxDispatcher({
    context: state,
    outbox,
    turns,
    receivers: [accountDatabase(state, env.DATABASE, tables), terminalsReceiver(env, records)],
    about,
  });

  function answerFollowers(): void {
    try {
      followers.answer((question) => {
        const answer = readStoredEvents(tables, question);
        return hasReadAll(answer, question) ? null : answer;
      });
    } catch (error) {
      // A waiting reader asks again.
      logError("readers_not_answered", error, about());
    }
  }

  return {
    ...tables,
    followers,
    endpoints: new Endpoints(tables, env),
    turns,
    masterKeys: () => requireMasterKeys(env),
    keepSums: () => sums.keep(turns),
    keepSumsWithin: (now) => sums.keepWithin(turns, now),
    change: (work) => dispatcher.changeAndAwait(work, [D1, terminalObject("")], FOLLOW_WAIT),
  };
}
