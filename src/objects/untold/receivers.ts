/**
 * Tells D1 what it lacks: one batch per attempt, all or nothing. If D1 refuses a batch, the batch is halved until the
 * refused telling is alone. That one waits by itself and holds up nothing else.
 */
import { log, logError } from "../../outcomes/log.ts";
import { readStanding, type Standing, allTold, noteUntold } from "../../storage/objects.ts";
import { insertAuditOnce, type AuditEntry } from "../../storage/audit.ts";
import { NoAnswer, within } from "../../bounds/within.ts";
import {
  D1,
  isOwed,
  type Owing,
  standingOf,
  type UntoldRow,
  type Waiting,
  type Conclusion,
  type Source,
  type Answer,
} from "./teller.ts";
import { ROWS_AT_ONCE, TELL_WAIT } from "../limits.ts";
import { isAudit, type Untold } from "../storage/untold.ts";

export interface Telling {
  /** Epoch milliseconds. */
  since: number;
  statements: D1PreparedStatement[];
  /** D1 has it. Called in a turn, like `failed`. @param results of these statements */
  taken: (now: number, results: readonly D1Result[]) => void;
  /** D1 refused it alone, or did not answer. */
  failed: Conclusion;
}

export interface Paced {
  /** null: D1 lacks nothing. */
  waiting(now: number): Waiting | null;
  telling(now: number): Telling;
}

type Taken = ReadonlyMap<Telling, readonly D1Result[]>;

interface Lacking {
  tellings: Telling[];
  oldest: number;
  /** Only paced tellings. */
  isPaced: boolean;
  /** D1 lacks nothing else. */
  isAll: boolean;
}

interface DatabaseParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  untold: Untold;
  kind: "account" | "terminal";
  id: () => string;
  /** D1 must ignore the statements if it has this version or a higher one. */
  state: (owing: Owing, now: number) => D1PreparedStatement[];
  /** For rows that are not audit rows. */
  row?: (row: UntoldRow, now: number) => D1PreparedStatement[];
  paced?: Paced;
  /** Nobody has noticed yet that D1 was restored. @param generation that D1 has */
  restored: (generation: string) => Promise<unknown>;
  /** D1 was restored, and the object owes its state again: owes everything else too. Within a turn. */
  retold?: (now: number) => void;
}

export class Database implements Source {
  readonly name = D1;
  readonly #parts: DatabaseParts;
  /** What the attempt found in D1 before it told anything; null: nothing yet. */
  #found: Standing | null = null;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
  }

  waiting(now: number): ReadonlyMap<string, Waiting> {
    const { untold, paced } = this.#parts;
    const { owing } = untold;
    const firstRow = Math.min(...untold.of(D1).map(({ notBefore }) => notBefore));
    const first = isOwed(owing) ? 0 : firstRow;
    const others = paced?.waiting(now) ?? { notBefore: Infinity };
    const notBefore = Math.max(Math.min(first, others.notBefore), owing.notBefore);
    if (notBefore === Infinity) return new Map();
    const wakeAt = Math.max(Math.min(first, others.wakeAt ?? others.notBefore), owing.notBefore);
    // A reset may lose paced tellings: they are told with the next change.
    return new Map([[D1, { notBefore, wakeAt, ...(first === Infinity ? { alarmBy: Infinity } : {}) }]]);
  }

  async tell(_receiver: string, now: number): Promise<Conclusion> {
    const { untold } = this.#parts;
    const { owing } = untold;
    this.#found = null;
    let oldest = now;
    try {
      const lacking = this.#lacking(now);
      oldest = lacking.oldest;
      const taken = await this.#attempt(lacking, now);
      if (taken.size > 0) {
        return (after) => {
          for (const telling of lacking.tellings) {
            const results = taken.get(telling);
            if (results === undefined) telling.failed(after);
            else telling.taken(after, results);
          }
          this.#judge(owing, after);
        };
      }
    } catch (error) {
      logError("telling-failed", error, this.#about);
    }
    return (after) => untold.notTold(oldest, after);
  }

  /** If D1 was restored, the object tells it everything again. @param owing when the attempt began */
  #judge(owing: Owing, now: number): void {
    const { untold, restored, retold, context } = this.#parts;
    const found = this.#found;
    if (found === null) return;
    const standing = standingOf(owing, found);
    if (standing === "fine") return;
    if (standing === "unnoticed") context.waitUntil(isFulfilled(restored(found.generation)));
    if (untold.retell(standing === "restored" ? found.generation : null, now)) retold?.(now);
  }

  async #attempt({ tellings, oldest, isPaced, isAll }: Lacking, now: number): Promise<Taken> {
    const { database, context } = this.#parts;
    try {
      return await this.#send(tellings, isAll ? [allTold(database, this.#name)] : []);
    } catch (error) {
      log("warning", "note-not-written", { ...this.#about, detail: String(error) });
      if (isPaced) return new Map();
      const report = within(TELL_WAIT, noteUntold(database, this.#name, oldest, now));
      // A D1 that does not answer refuses nothing. One that takes the report has refused the batch.
      if (!(error instanceof NoAnswer)) return (await isFulfilled(report)) ? await this.#inHalves(tellings) : new Map();
      context.waitUntil(isFulfilled(report));
      return new Map();
    }
  }

  /** In the order of the versions. */
  #lacking(now: number): Lacking {
    const { untold, paced } = this.#parts;
    const due = untold.of(D1).filter(({ notBefore }) => notBefore <= now);
    const own = due.slice(0, ROWS_AT_ONCE).map((row) => this.#row(row, now));
    // Last: with it, D1 knows everything of its generation.
    if (isOwed(untold.owing) && due.length <= ROWS_AT_ONCE) own.push(this.#state(now));
    const waiting = paced?.waiting(now) ?? null;
    const others = paced !== undefined && waiting !== null && waiting.notBefore <= now ? [paced.telling(now)] : [];
    const tellings = [...own, ...others];
    const isPaced = own.length === 0;
    const isAll = !isPaced && due.length <= ROWS_AT_ONCE && due.length === untold.of(D1).length;
    return { tellings, oldest: Math.min(now, ...tellings.map(({ since }) => since)), isPaced, isAll };
  }

  #state(now: number): Telling {
    const { untold, state } = this.#parts;
    const { owed, since } = untold.owing;
    return {
      since,
      statements: state(untold.owing, now),
      taken: () => untold.told(owed),
      failed: (after) => untold.notTold(since, after),
    };
  }

  #row(row: UntoldRow, now: number): Telling {
    const { database, untold, row: statementsOf } = this.#parts;
    return {
      since: row.since,
      statements: isAudit(row)
        ? [
            insertAuditOnce(database, this.#name, {
              ...(JSON.parse(row.body ?? "") as AuditEntry),
              number: row.version,
            }),
          ]
        : (statementsOf?.(row, now) ?? []),
      taken: (after) => untold.answered(row, "taken", after),
      failed: (after) => untold.answered(row, "failed", after),
    };
  }

  async #inHalves(tellings: readonly Telling[]): Promise<Taken> {
    const taken = new Map<Telling, readonly D1Result[]>();
    for (const half of halves(tellings)) {
      try {
        for (const [telling, results] of await this.#send(half)) taken.set(telling, results);
      } catch (error) {
        if (half.length === 1) logError("telling-refused", error, this.#about);
        for (const [telling, results] of await this.#inHalves(half)) taken.set(telling, results);
      }
    }
    return taken;
  }

  /** @param others statements after those of the tellings */
  async #send(tellings: readonly Telling[], others: readonly D1PreparedStatement[] = []): Promise<Taken> {
    const statements = [...tellings.flatMap((telling) => telling.statements), ...others];
    const results = statements.length === 0 ? [] : await this.#batch(statements);
    let from = 0;
    return new Map(
      tellings.map((telling) => [telling, results.slice(from, (from += telling.statements.length))] as const),
    );
  }

  async #batch(statements: D1PreparedStatement[]): Promise<D1Result[]> {
    const { database, kind, id } = this.#parts;
    const batch = [readStanding(database, kind, id()), ...statements];
    const [standing, ...results] = await within(TELL_WAIT, database.batch(batch));
    this.#found ??= (standing?.results[0] as Standing | undefined) ?? null;
    return results;
  }

  get #name(): string {
    return `${this.#parts.kind}:${this.#parts.id()}`;
  }

  get #about(): Record<string, string> {
    return { [this.#parts.kind]: this.#parts.id() };
  }
}

function halves<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2);
  return items.length < 2 ? [] : [items.slice(0, middle), items.slice(middle)];
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

interface ObjectsParts {
  untold: Untold;
  kind: "account" | "terminal";
  /** For log lines. */
  about: () => Record<string, string | undefined>;
  /**
   * Reads the state before it returns, and tells it. The result applies the object's answer, within a turn.
   *
   * @param id of the object
   */
  tell: (id: string, row: UntoldRow) => Promise<(now: number) => Answer>;
}

export class Objects implements Source {
  readonly #parts: ObjectsParts;

  constructor(parts: ObjectsParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.kind;
  }

  get #rows(): UntoldRow[] {
    return this.#parts.untold.of(`${this.#parts.kind}:`);
  }

  waiting(): ReadonlyMap<string, Waiting> {
    const first = new Map<string, Waiting>();
    for (const { receiver, notBefore } of this.#rows) {
      first.set(receiver, { notBefore: Math.min(notBefore, first.get(receiver)?.notBefore ?? Infinity) });
    }
    return first;
  }

  /** Tells the oldest row that is due. */
  async tell(receiver: string, at: number): Promise<Conclusion> {
    const { untold, kind, about, tell } = this.#parts;
    const row = this.#rows.find((one) => one.receiver === receiver && one.notBefore <= at);
    if (row === undefined) return () => undefined;
    const id = receiver.slice(kind.length + 1);
    const facts = { ...about(), [kind]: id };
    const [topic] = row.topic.split(":");
    try {
      const judge = await within(TELL_WAIT, tell(id, row));
      return (now) => {
        const answer = judge(now);
        untold.answered(row, answer, now);
        if (answer === "refused") log("warning", `${topic}-refused`, facts);
      };
    } catch (error) {
      log("warning", `${topic}-not-told`, { ...facts, detail: String(error) });
      return (now) => untold.answered(row, "failed", now);
    }
  }
}
