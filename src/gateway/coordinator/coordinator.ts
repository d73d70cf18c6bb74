/**
 * The coordinator's Durable Object: one for the whole service, for what must outlive D1. It counts transaction numbers:
 * a D1 that is restored to an earlier time, full or unavailable neither rewinds the counter nor stops it. No transfer
 * waits for it, because every terminal has numbers in reserve. After a restore of D1, it has every object enqueue its
 * state again (`resync.ts`). It finds terminals that froze with their connection open (`sweep.ts`).
 */
import { DurableObject } from "cloudflare:workers";
import { log } from "../lib/log.ts";
import { migrateObject } from "../durable/storage/migrate.ts";
import { Turns } from "../durable/turns.ts";
import { accountObject, highestNumber } from "../d1/objects.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import type { NumberBlock, ResyncProgress } from "./rpc.ts";
import { NumberShares } from "./number-shares.ts";
import { Resync } from "./resync.ts";
import { ASK_AFTER_RESTART, nextSweep, Sweep } from "./sweep.ts";
import { reserveNumbers, reservePosId, noteCreated, WatchStore, COORDINATOR_MIGRATIONS } from "./storage/tables.ts";
import { SECOND } from "../../protocol/time/units.ts";

/** A reservation of numbers waits this long for D1. The terminal waits longer for the reservation. */
const BOUND_WAIT = 2 * SECOND;

export class Coordinator extends DurableObject<Env> {
  /**
   * Whether a coordinator has run in this process; an object that wakes from hibernation finds true. A restart of the
   * gateway ends every connection without a close frame: a terminal that does not come back would count as connected
   * until the next sweep.
   */
  static hasRun = false;
  readonly #store: WatchStore;
  readonly #turns: Turns;
  readonly #resync: Resync;
  /** The highest number in D1 when this instance asked; null before it has asked. */
  #highestInD1: number | null = null;
  readonly #shares = new NumberShares();

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    migrateObject(storage, COORDINATOR_MIGRATIONS);
    const store = new WatchStore(storage.sql);
    const turns: Turns = new Turns({
      storage,
      participants: [store],
      schedules: () => [
        {
          startDue(now) {
            sweep.start(now);
            return sweep.nextDeadline();
          },
        },
        {
          startDue(now) {
            resync.start(now);
            return resync.nextDeadline(now);
          },
        },
      ],
    });
    const sweep = new Sweep({
      env,
      context,
      sweepAt: () => store.watch.sweepAt,
      over: () => turns.take((now) => store.update({ sweepAt: nextSweep(now) })),
    });
    const resync = new Resync({ env, context, storage, store, turns: () => turns });
    this.#resync = resync;
    this.#store = store;
    this.#turns = turns;
    void context.blockConcurrencyWhile(async () => turns.alarmIsAt(await storage.getAlarm()));
    if (!Coordinator.hasRun) sweep.askAllAt(Date.now() + ASK_AFTER_RESTART);
    Coordinator.hasRun = true;
  }

  /** Called when somebody looks at how many terminals are connected: the first call after a restart starts a sweep. */
  async watch(): Promise<void> {
    this.#turns.take((now) => {
      if (this.#store.watch.sweepAt === 0) this.#store.update({ sweepAt: nextSweep(now) });
    });
  }

  /**
   * No number is ever given out twice, also if this object was restored to an earlier time: the blocks in D1 are the
   * counter's lower bound.
   *
   * @param above every number of the block is higher
   * @param account whose terminal asks; null: nobody's. The block is smaller if its account has had too many lately
   * @returns null: the service has no such numbers left
   */
  async reserveNumbers(size: number, above: number, account: string | null = null): Promise<NumberBlock | null> {
    // The sweeps begin with the first terminal.
    if (this.#store.watch.sweepAt === 0) await this.watch();
    const granted = account === null ? size : this.#shares.grant(account, size, Date.now());
    return reserveNumbers(this.ctx.storage.sql, granted, Math.max(above, await this.#lowerBound()));
  }

  /**
   * Each instance reads it once, because a restore starts a new one. It is 0 if D1 does not answer: terminals must not
   * stand still without it, and the next reservation asks again.
   */
  async #lowerBound(): Promise<number> {
    try {
      this.#highestInD1 ??= await withTimeout(BOUND_WAIT, highestNumber(this.env.DATABASE));
      return this.#highestInD1;
    } catch (error) {
      log("warning", "number_bound_not_read", { detail: String(error) });
      return 0;
    }
  }

  /**
   * Records a new object, because D1 may be restored to a time before the object existed.
   *
   * @param object `account:` or `terminal:`, and its id
   */
  async created(object: string): Promise<void> {
    noteCreated(this.ctx.storage.sql, object, Date.now());
  }

  /**
   * Before the account's object is made, so that of several spellings that are wanted at once only one becomes an
   * account. D1 cannot say that: it learns of an account only afterwards.
   *
   * @returns the spelling that has the name: another one if an account differs only in case
   */
  async reservePosId(posId: string): Promise<string> {
    const { sql } = this.ctx.storage;
    const spelling = reservePosId(sql, posId);
    if (spelling === posId) noteCreated(sql, accountObject(posId), Date.now());
    return spelling;
  }

  /**
   * Has every object enqueue its present state and the entries of its logs that D1 may lack. A resync that is running
   * starts anew.
   */
  async startResync(): Promise<ResyncProgress> {
    this.#turns.take((now) => this.#resync.begin(now));
    return this.#resync.progress;
  }

  async stopResync(): Promise<ResyncProgress> {
    this.#turns.take((now) => this.#resync.stop(now));
    return this.#resync.progress;
  }

  async resyncProgress(): Promise<ResyncProgress> {
    return this.#resync.progress;
  }

  /** Starts the step that is due, without awaiting anything. */
  override alarm(): void {
    this.#turns.takeAlarm(() => undefined);
  }
}
