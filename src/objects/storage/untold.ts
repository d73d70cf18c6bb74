/**
 * What is untold: for the object's own state a pair of versions in its own row, for everything else a row of the table
 * `untold`, one per receiver and topic. A row is written in the turn of its change, and deleted when the receiver has
 * it. Audit rows and blocks of numbers stay for as long as D1 can be restored.
 */
import type { AuditEntry } from "../../storage/audit.ts";
import { type Field, Table, type Sql } from "./rows.ts";
import type { TurnParticipant } from "../turns.ts";
import {
  type Answer,
  D1,
  isOwed,
  nextVersion,
  retold,
  notTold,
  owe,
  type Owing,
  taken,
  toldAgainAt,
  type UntoldRow,
} from "../untold/teller.ts";
import { TOLD_LIFE } from "../limits.ts";

export const UNTOLD_TABLE = `
  CREATE TABLE untold (
    receiver TEXT NOT NULL,
    topic TEXT NOT NULL,
    version INTEGER NOT NULL,
    since INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    body TEXT,
    PRIMARY KEY (receiver, topic)
  ) STRICT, WITHOUT ROWID;`;

const NUMBERS = [
  "given_version",
  "owed_version",
  "told_version",
  "owed_since",
  "not_before",
  "retold_version",
] as const;
const GENERATION = "d1_generation";

export const OWING_COLUMNS = [...NUMBERS.map((column) => `${column} INTEGER NOT NULL`), `${GENERATION} TEXT NOT NULL`];

export const OWING: Field<Owing> = {
  columns: [...NUMBERS, GENERATION],
  initial: { version: 0, owed: 0, told: 0, since: 0, notBefore: 0, retold: 0, generation: "" },
  read: (row) => {
    const [version = 0, owed = 0, told = 0, since = 0, notBefore = 0, before = 0] = NUMBERS.map((name) =>
      Number(row[name]),
    );
    return { version, owed, told, since, notBefore, retold: before, generation: row[GENERATION] as string };
  },
  write: ({ version, owed, told, since, notBefore, retold: before, generation }) => [
    version,
    owed,
    told,
    since,
    notBefore,
    before,
    generation,
  ],
};

export interface UntoldOwner {
  /** The terminalId or posId, the target of every audit row; null: the object has no identity yet. */
  readonly target: string | null;
  readonly owing: Owing;
  update(members: { owing: Owing }): void;
}

const AUDIT = "audit:";

/** Topics that D1 keeps a row of for each change. */
const LOGS = [AUDIT, "block:"];

/** The receiver of rows that D1 has: kept in case D1 is restored. Sorts after every other. */
const TOLD = "told";

/** The body is an `AuditEntry`. */
export function isAudit({ topic }: UntoldRow): boolean {
  return topic.startsWith(AUDIT);
}

export class Untold implements TurnParticipant {
  readonly #sql: Sql;
  readonly #table: Table<UntoldRow>;
  readonly #owner: UntoldOwner;
  /** By receiver and topic; null: not read yet. */
  #rows: Map<string, UntoldRow> | null = null;

  constructor(sql: Sql, owner: UntoldOwner) {
    this.#sql = sql;
    this.#table = new Table(sql, "untold", {
      receiver: "key",
      topic: "key",
      version: "plain",
      since: "plain",
      notBefore: "plain",
      body: "plain",
    });
    this.#owner = owner;
  }

  rollBack(): void {
    this.#rows = null;
  }

  get owing(): Owing {
    return this.#owner.owing;
  }

  get #all(): Map<string, UntoldRow> {
    this.#rows ??= new Map(this.#table.select("WHERE receiver < ?", TOLD).map((row) => [keyOf(row), row]));
    return this.#rows;
  }

  /** Oldest version first. */
  of(receivers: string): UntoldRow[] {
    if (this.#all.size === 0) return [];
    return [...this.#all.values()]
      .filter(({ receiver }) => receiver.startsWith(receivers))
      .toSorted((one, other) => one.version - other.version);
  }

  /** D1 lacks the object's state. @param notBefore when to tell it; missing: at once @returns the version */
  owe(now: number, notBefore = 0): number {
    const owing = owe(this.owing, now, notBefore);
    this.#owner.update({ owing });
    return owing.version;
  }

  /**
   * D1 was restored, and has this generation now; null: it lacks everything, whatever its generation.
   *
   * @returns whether the restore is news: the object then owes everything that is present
   */
  retell(generation: string | null, now: number): boolean {
    const owing = retold(this.owing, generation, now);
    if (owing === null) return false;
    this.#owner.update({ owing });
    // A row that is owed again replaces the told one.
    this.#sql.exec(
      "DELETE FROM untold WHERE receiver = ? AND topic IN (SELECT topic FROM untold WHERE receiver = ?)",
      TOLD,
      D1,
    );
    this.#sql.exec("UPDATE untold SET receiver = ?, since = ?, not_before = 0 WHERE receiver = ?", D1, now, TOLD);
    this.#rows = null;
    return true;
  }

  /** D1 lacks nothing of the state after all. Only while no attempt can have started. */
  withdraw(): void {
    const { owing } = this;
    this.#owner.update({ owing: { ...owing, owed: owing.told, notBefore: 0 } });
  }

  /** Replaces what the receiver lacked of the same topic. @returns the version */
  put(receiver: string, topic: string, body: string | null, now: number): number {
    const version = this.#give(now, receiver === D1);
    const row = {
      receiver,
      topic,
      version,
      since: this.#all.get(keyOf({ receiver, topic }))?.since ?? now,
      notBefore: 0,
      body,
    };
    this.#table.save(row);
    this.#all.set(keyOf(row), row);
    return version;
  }

  /** Throws if the object has no identity yet. */
  audit(entry: Omit<AuditEntry, "target">): void {
    const { target } = this.#owner;
    if (target === null) throw new Error("the object has no identity yet");
    const body = JSON.stringify({ ...entry, target } satisfies AuditEntry);
    const version = nextVersion(this.owing, entry.at);
    this.put(D1, `${AUDIT}${version}`, body, entry.at);
  }

  /** The receiver need not be told any more, or was told otherwise. */
  remove(receiver: string, topic: string): void {
    const row = this.#all.get(keyOf({ receiver, topic }));
    if (row !== undefined) this.#delete(row);
  }

  /** If the row has changed meanwhile, the change is still untold. */
  answered(row: UntoldRow, answer: Answer, now: number): void {
    const key = keyOf(row);
    if (this.#all.get(key)?.version !== row.version) return;
    const notBefore = toldAgainAt(row, answer, now, Math.random());
    if (notBefore === null) {
      if (answer === "taken" && LOGS.some((log) => row.topic.startsWith(log))) this.#keep(row, now);
      else this.#delete(row);
      return;
    }
    this.#sql.exec(
      "UPDATE untold SET not_before = ? WHERE receiver = ? AND topic = ?",
      notBefore,
      row.receiver,
      row.topic,
    );
    this.#all.set(key, { ...row, notBefore });
  }

  told(version: number): void {
    this.#owner.update({ owing: taken(this.owing, version) });
  }

  /** @param oldest since when D1 lacks something */
  notTold(oldest: number, now: number): void {
    this.#owner.update({ owing: notTold(this.owing, oldest, now, Math.random()) });
  }

  /** The receiver has everything up to this version. */
  isTold(receiver: string, version: number): boolean {
    const { owing } = this;
    if (receiver === D1 && isOwed(owing) && owing.told < version) return false;
    return !this.of(receiver).some((row) => row.receiver === receiver && row.version <= version);
  }

  /** @param isNewForD1 D1 is told at once */
  #give(now: number, isNewForD1: boolean): number {
    const { owing } = this;
    const version = nextVersion(owing, now);
    this.#owner.update({ owing: { ...owing, version, notBefore: isNewForD1 ? 0 : owing.notBefore } });
    return version;
  }

  #keep(row: UntoldRow, now: number): void {
    // A block of numbers is told again while the terminal uses it: the newest telling is kept.
    this.#sql.exec(
      "DELETE FROM untold WHERE receiver = ? AND (version < ? OR topic = ?)",
      TOLD,
      now - TOLD_LIFE,
      row.topic,
    );
    this.#sql.exec("UPDATE untold SET receiver = ? WHERE receiver = ? AND topic = ?", TOLD, row.receiver, row.topic);
    this.#all.delete(keyOf(row));
  }

  #delete(row: UntoldRow): void {
    this.#sql.exec("DELETE FROM untold WHERE receiver = ? AND topic = ?", row.receiver, row.topic);
    this.#all.delete(keyOf(row));
  }
}

function keyOf({ receiver, topic }: Pick<UntoldRow, "receiver" | "topic">): string {
  return `${receiver} ${topic}`;
}
