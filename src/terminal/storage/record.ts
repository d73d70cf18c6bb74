/**
 * The object's record of its terminal: identity, secret, binding, connection, numbers. One row, read at the start.
 */
import { type Field, flag, OneRow, plain, type RecordOf } from "../../objects/storage/one-row.ts";
import type { OutboxCounters, OutboxOwner } from "../../objects/storage/outbox.ts";
import type { NumberBlock } from "../../keeper/calls.ts";
import type { Binding } from "../../protocol/binding.ts";
import type { Enrolment } from "../calls.ts";
import { lastNumber, nextNumber, NO_RESERVE, type NumberReserve, numbersWanted, withBlock } from "../number-reserve.ts";
import type { Sql } from "../../objects/storage/turn-sql.ts";

/** The account's details, or null in each of their columns. */
const BINDING: Field<Binding | null> = {
  columns: ["pos_id", "merchant_id", "currency", "timezone"],
  initial: null,
  read: ({ pos_id: posId, merchant_id: merchantId, currency, timezone }) =>
    isText(posId) && isText(merchantId) && isText(currency) && isText(timezone)
      ? { posId, merchantId, currency, timezone }
      : null,
  write: (bound) =>
    bound === null ? [null, null, null, null] : [bound.posId, bound.merchantId, bound.currency, bound.timezone],
};

const RESERVE: Field<NumberReserve> = {
  columns: ["number_blocks", "numbers_filled_at", "numbers_filled_to"],
  initial: NO_RESERVE,
  read: ({ number_blocks: blocks, numbers_filled_at: filledAt, numbers_filled_to: filledTo }) => ({
    blocks: JSON.parse(isText(blocks) ? blocks : "[]") as NumberBlock[],
    filledAt: Number(filledAt),
    filledTo: Number(filledTo),
  }),
  write: ({ blocks, filledAt, filledTo }) => [JSON.stringify(blocks), filledAt, filledTo],
};

function isText(value: SqlStorageValue | undefined): value is string {
  return typeof value === "string";
}

/** Every member of the record: the only list of them. */
const FIELDS = {
  terminalId: plain<string>("terminal_id", ""),
  isVT: plain<0 | 1>("is_vt", 0),
  /** null once the terminal is retired. */
  sealedSecret: plain<string | null>("sealed_secret", null),
  secretVersion: plain<number>("secret_version", 1),
  binding: BINDING,
  /** Grows with every change of the binding. Orders the notes to D1. */
  bindingVersion: plain<number>("binding_version", 0),
  /** The version of the account's terms that `binding` has; 0: unknown. Each account has its own count. */
  termsVersion: plain<number>("terms_version", 0),
  /**
   * The last account that was suspended or deleted while the terminal was bound to it, and the version that said so.
   */
  stoppedPosId: plain<string | null>("stopped_pos_id", null),
  stoppedVersion: plain<number>("stopped_version", 0),
  /** How many connections were ever opened: the number of the newest. */
  connections: plain<number>("connections", 0),
  /** The current connection, as far as the object knows; null after it ended. */
  currentConnection: plain<number | null>("current_connection", null),
  memory: plain<string | null>("memory", null),
  connectedAt: plain<number | null>("connected_at", null),
  lostAt: plain<number | null>("lost_at", null),
  /** The last activity of the connection that ended last. */
  heardAt: plain<number | null>("heard_at", null),
  softwareVersion: plain<string | null>("software_version", null),
  terminalSn: plain<string | null>("terminal_sn", null),
  /** Every lower number is taken, or is not this terminal's. */
  nextNumber: plain<number>("next_number", 0),
  reserve: RESERVE,
  /** The highest number that D1 knows to be this terminal's. */
  notedNumber: plain<number>("noted_number", 0),
  /** The numbers of the newest row in the outbox, and of the newest one that D1 has. */
  outboxNumber: plain<number>("outbox_number", 0),
  outboxTold: plain<number>("outbox_told", 0),
  notedBindingVersion: plain<number>("noted_binding_version", 0),
  notedSecretVersion: plain<number>("noted_secret_version", 0),
  notedConnection: plain<number>("noted_connection", 0),
  notedConnected: flag("noted_connected"),
};

export type TerminalRecord = RecordOf<typeof FIELDS>;

/** Keeps the record in memory and in SQL. Every change is written at once, in its turn. */
export class TerminalRecordStore implements OutboxOwner {
  readonly #sql: Sql;
  readonly #row: OneRow<typeof FIELDS>;
  #record: TerminalRecord | null;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#row = new OneRow(sql, "terminal", FIELDS);
    this.#record = this.#read();
  }

  get target(): string | null {
    return this.#record?.terminalId ?? null;
  }

  get counters(): OutboxCounters {
    return this.#record ?? { outboxNumber: 0, outboxTold: 0 };
  }

  /** null before the terminal is enrolled. */
  get record(): TerminalRecord | null {
    return this.#record;
  }

  /** The turn was undone: reads the row again. */
  rollBack(): void {
    this.#record = this.#read();
  }

  /** For log lines. */
  get terminalId(): string | undefined {
    return this.#record?.terminalId;
  }

  /** D1 has its row already. A retired terminal stays retired. */
  enrol(enrolment: Enrolment): void {
    const { terminalId, isVT, sealedSecret } = enrolment;
    const known = this.#record;
    if (known !== null && known.sealedSecret === null) return;
    const before = known ?? this.#row.initial();
    const secretVersion = known === null ? before.secretVersion : before.secretVersion + 1;
    this.#save({ ...before, terminalId, isVT, sealedSecret, secretVersion, notedSecretVersion: secretVersion });
  }

  update(members: Partial<TerminalRecord>): TerminalRecord {
    if (this.#record === null) throw new Error("the terminal is not enrolled");
    return this.#save({ ...this.#record, ...members });
  }

  /** The number for the next transaction; null when the reserve is used up. */
  get nextNumber(): number | null {
    const record = this.#record;
    return record === null ? null : nextNumber(record.reserve, record.nextNumber);
  }

  /** A transaction has taken this number. Writes nothing: the transaction's own row is read when the object starts. */
  numberTaken(number: number): void {
    if (this.#record !== null && number >= this.#record.nextNumber) {
      this.#record = { ...this.#record, nextNumber: number + 1 };
    }
  }

  /** How many numbers to reserve now; null if enough are left. */
  numbersWanted(now: number): number | null {
    const record = this.#record;
    return record === null ? null : numbersWanted(record.reserve, record.nextNumber, now);
  }

  /** The highest number that the terminal has ever had. */
  get highestNumber(): number {
    const { reserve, nextNumber: next } = this.#record ?? { reserve: NO_RESERVE, nextNumber: 0 };
    return Math.max(lastNumber(reserve), next - 1);
  }

  addNumbers(block: NumberBlock, now: number): void {
    const record = this.#record;
    if (record === null) return;
    const { reserve, nextNumber: from, notedNumber: noted } = record;
    this.update({ reserve: withBlock(reserve, block, { from, noted, now }) });
  }

  #save(record: TerminalRecord): TerminalRecord {
    this.#row.save(record);
    this.#record = record;
    return record;
  }

  /** Transactions say which numbers they have taken; see `numberTaken`. */
  #read(): TerminalRecord | null {
    const record = this.#row.read();
    if (record === null) return null;
    const { newest } = this.#sql
      .exec<{ newest: number | null }>("SELECT MAX(request_id) AS newest FROM transactions")
      .one();
    return { ...record, nextNumber: Math.max(record.nextNumber, (newest ?? 0) + 1) };
  }
}
