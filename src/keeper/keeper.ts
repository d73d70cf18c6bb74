/**
 * The keeper's Durable Object: one for the whole service, for what must outlive D1. It counts transaction numbers: a D1
 * that is restored to an earlier time, full or unavailable neither rewinds the counter nor stops it. No transfer waits
 * for it, because every terminal has numbers in reserve.
 *
 * It notices a D1 that was restored: the tick that it wrote there is lower. D1 then gets a new generation, and the
 * keeper calls every object that D1 lists to tell D1 again what it knows.
 *
 * It finds terminals that froze with their connection open (`round.ts`).
 */
import { DurableObject } from "cloudflare:workers";
import { accountStub } from "../rpc/account.ts";
import { log } from "../outcomes/log.ts";
import { migrate } from "../objects/storage/migrate.ts";
import { earliest, Turns } from "../objects/turns.ts";
import { inParallel } from "../bounds/parallel.ts";
import {
  type Kind,
  listObjects,
  noteNobody,
  readGeneration,
  writeGeneration,
  accountObject,
  highestNumber,
} from "../storage/objects.ts";
import { terminalStub } from "../rpc/terminal.ts";
import { within } from "../bounds/within.ts";
import type { NumberBlock } from "../rpc/keeper.ts";
import { NumberShares } from "./number-shares.ts";
import {
  ASK_AFTER_RESTART,
  BOUND_WAIT,
  CALL_WAIT,
  WALK_AGAIN,
  WALK_AT_ONCE,
  WALK_EVERY,
  WALK_RETRY,
  nextRound,
  Round,
  FIRST_STEP,
  nextStep,
  type Walk,
  type WalkKind,
} from "./round.ts";
import { reserveNumbers, reservePosId, listCreated, noteCreated, WatchStore, MIGRATIONS } from "./storage/tables.ts";

export class Keeper extends DurableObject<Env> {
  /**
   * Whether a keeper has run in this process; an object that wakes from hibernation finds true. A restart of the gateway
   * ends every connection without a word: a terminal that does not come back would count as connected until the next
   * round.
   */
  static hasRun = false;
  readonly #store: WatchStore;
  readonly #turns: Turns;
  readonly #round: Round;
  /** The highest number that D1 knew when this instance asked; null: it has not. */
  #highestInD1: number | null = null;
  readonly #shares = new NumberShares();
  #isWalking = false;
  #ticking: Promise<void> | null = null;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    migrate(storage, MIGRATIONS);
    const store = new WatchStore(storage.sql);
    const turns: Turns = new Turns({
      storage,
      participants: [store],
      startWork: (now) => this.#start(now),
      nextDeadline: (now) => earliest(this.#nextStep(now), round.nextDeadline()),
    });
    const round = new Round({
      env,
      context,
      roundAt: () => store.watch.roundAt,
      over: () => turns.take((now) => store.update({ roundAt: nextRound(now) })),
    });
    this.#round = round;
    this.#store = store;
    this.#turns = turns;
    void context.blockConcurrencyWhile(async () => turns.alarmIsAt(await storage.getAlarm()));
    if (!Keeper.hasRun) round.askAllAt(Date.now() + ASK_AFTER_RESTART);
    Keeper.hasRun = true;
  }

  /** Somebody looks at how many terminals are connected: the first call after a restart starts a round. */
  async watch(): Promise<void> {
    this.#turns.take(() => undefined);
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
    // A tick that fails does not fail a reservation.
    this.ctx.waitUntil(this.tick().catch(() => undefined));
    const granted = account === null ? size : this.#shares.grant(account, size, Date.now());
    return reserveNumbers(this.ctx.storage.sql, granted, Math.max(above, await this.#lowerBound()));
  }

  /**
   * Read once by each instance, because a restore starts a new one. 0 if D1 does not answer: terminals must not stand
   * still without it, and the next reservation asks again.
   */
  async #lowerBound(): Promise<number> {
    try {
      this.#highestInD1 ??= await within(BOUND_WAIT, highestNumber(this.env.DATABASE));
      return this.#highestInD1;
    } catch (error) {
      log("warning", "number_bound_not_read", { detail: String(error) });
      return 0;
    }
  }

  /** D1 may be restored to a time before the object existed. @param object `account:` or `terminal:`, and its id */
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
   * An object has found that D1 lacks a confirmed version: all objects tell D1 again, unless the keeper has noticed the
   * restore. Rejects if D1 fails or does not answer.
   *
   * @param found the generation of that D1; null: an operator's request, whatever the keeper knows
   */
  async retell(found: string | null): Promise<void> {
    while (this.#ticking !== null) await this.#ticking;
    if (found === null || found === this.#store.watch.generation) await this.#begin(true);
  }

  /**
   * Checks whether D1 was restored to an earlier time. Rejects if D1 fails or does not answer. Concurrent callers share
   * one tick.
   */
  tick(): Promise<void> {
    return this.#ticking ?? this.#begin(false);
  }

  /** Only while no other tick is in progress: each would mistake the other's tick for that of a restored D1. */
  #begin(isLacking: boolean): Promise<void> {
    this.#ticking = this.#tick(isLacking).finally(() => {
      this.#ticking = null;
    });
    return this.#ticking;
  }

  /** @param isLacking D1 is known to lack something, whatever its tick */
  async #tick(isLacking: boolean): Promise<void> {
    const { DATABASE: database } = this.env;
    try {
      const before = this.#store.watch;
      const found = await within(CALL_WAIT, readGeneration(database));
      const isRestored = isLacking || found.tick < before.tick || found.generation !== before.generation;
      const generation = isRestored ? crypto.randomUUID() : before.generation;
      const tick = found.tick + 1;
      await within(CALL_WAIT, writeGeneration(database, { tick, generation }));
      if (isRestored) log("error", "database-restored", { detail: "all objects tell D1 again what they know" });
      this.#turns.take((now) => {
        const roundAt = this.#store.watch.roundAt || nextRound(now);
        this.#store.update({ tick, generation, roundAt, ...(isRestored ? { ...FIRST_STEP, stepAt: now } : {}) });
      });
    } catch (error) {
      log("warning", "tick-not-written", { detail: String(error) });
      throw error;
    }
  }

  /** Awaits nothing: starts the step that is due. */
  override alarm(): void {
    this.#turns.takeAlarm(() => undefined);
  }

  /** When the walk continues; null: no walk. */
  #nextStep(now: number): number | null {
    const { kind, stepAt } = this.#store.watch;
    if (kind === null) return null;
    // For an object that is reset during a step.
    return this.#isWalking ? now + WALK_RETRY : stepAt;
  }

  #start(now: number): void {
    this.#round.start(now);
    const { kind, stepAt } = this.#store.watch;
    if (kind === null || this.#isWalking || now < stepAt) return;
    this.#isWalking = true;
    this.ctx.waitUntil(this.#walk(kind));
  }

  async #walk(kind: WalkKind): Promise<void> {
    const { generation } = this.#store.watch;
    let next: (Walk & { pause: number }) | null = null;
    try {
      next = await this.#step(kind, generation);
    } catch (error) {
      log("warning", "walk-interrupted", { detail: String(error) });
    }
    this.#isWalking = false;
    this.#turns.take((now) => {
      // Another restore was noticed since: its walk starts.
      if (this.#store.watch.generation !== generation) return;
      const { pause = WALK_RETRY, ...walk } = next ?? {};
      this.#store.update({ ...walk, stepAt: now + pause });
    });
  }

  async #step(kind: WalkKind, generation: string): Promise<Walk & { pause: number }> {
    const { after, missed } = this.#store.watch;
    if (kind === "created") return this.#stepThroughCreated(after, missed, generation);
    const page = await within(CALL_WAIT, listObjects(this.env.DATABASE, kind, after, WALK_AT_ONCE));
    const behind = page.filter((listed) => listed.generation !== generation);
    await inParallel(behind, WALK_AT_ONCE, ({ id }) =>
      this.#called(kind, id, async () => {
        if (await this.#retold(kind, id, generation)) return;
        await within(CALL_WAIT, noteNobody(this.env.DATABASE, kind, id, generation));
      }),
    );
    const next = nextStep({ kind, after, missed }, page, page.length === WALK_AT_ONCE, behind.length);
    return { ...next, pause: next === FIRST_STEP ? WALK_AGAIN : WALK_EVERY };
  }

  /** D1 may not list these objects. An object that could not be called is called in the next walk. */
  async #stepThroughCreated(after: string, missed: number, generation: string): Promise<Walk & { pause: number }> {
    const objects = listCreated(this.ctx.storage.sql, after, WALK_AT_ONCE);
    const called = await inParallel(objects, WALK_AT_ONCE, (object) => {
      const kind = object.startsWith(accountObject("")) ? "account" : "terminal";
      const id = object.slice(object.indexOf(":") + 1);
      return this.#called(kind, id, () => this.#retold(kind, id, generation));
    });
    const failed = called.filter((isCalled) => !isCalled).length;
    const page = objects.map((id) => ({ id, generation: "" }));
    return {
      ...nextStep({ kind: "created", after, missed }, page, page.length === WALK_AT_ONCE, failed),
      pause: WALK_EVERY,
    };
  }

  /** false: the object does not exist. */
  #retold(kind: Kind, id: string, generation: string): Promise<boolean> {
    const stub = kind === "account" ? accountStub(this.env, id) : terminalStub(this.env, id);
    return within(CALL_WAIT, stub.retell(generation));
  }

  /** false: the call failed, and the next walk calls the object again. */
  async #called(kind: Kind, id: string, call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      log("warning", "object-not-called", { [kind]: id, detail: String(error) });
      return false;
    }
  }
}
