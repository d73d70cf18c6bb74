/** What the object knows of its terminal: identity, secret, binding, connection, number block. One row, read at start. */
import { NUMBER_BLOCK, NUMBERS_LOW } from "../limits.ts";
import type { Binding, Enrolment } from "./calls.ts";

export interface TerminalRecord {
  terminalId: string;
  isVT: 0 | 1;
  /** null once the terminal is retired. */
  sealedSecret: string | null;
  secretVersion: number;
  binding: Binding | null;
  /** Grows with every change of the binding; orders the notes to D1. */
  bindingVersion: number;
  /** How many connections were ever opened; the newest has this number. */
  connections: number;
  /** The connection whose hello holds, as far as the object was told; null after it ended. */
  currentConnection: number | null;
  memory: string | null;
  connectedAt: number | null;
  lostAt: number | null;
  softwareVersion: string | null;
  terminalSn: string | null;
  nextNumber: number;
  numbersEnd: number;
  notedBindingVersion: number;
  notedConnection: number;
  notedConnected: boolean;
}

interface Row extends Record<string, SqlStorageValue> {
  terminal_id: string;
  is_vt: number;
  sealed_secret: string | null;
  secret_version: number;
  pos_id: string | null;
  merchant_id: string | null;
  currency: string | null;
  timezone: string | null;
  binding_version: number;
  connections: number;
  current_connection: number | null;
  memory: string | null;
  connected_at: number | null;
  lost_at: number | null;
  software_version: string | null;
  terminal_sn: string | null;
  next_number: number;
  numbers_end: number;
  noted_binding_version: number;
  noted_connection: number;
  noted_connected: number;
}

const SAVE = `
  INSERT OR REPLACE INTO terminal (
    only, terminal_id, is_vt, sealed_secret, secret_version, pos_id, merchant_id, currency, timezone, binding_version,
    connections, current_connection, memory, connected_at, lost_at, software_version, terminal_sn,
    next_number, numbers_end, noted_binding_version, noted_connection, noted_connected
  ) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Keeps the record in memory and in SQL alike; every change is written at once, in the turn that makes it. */
export class TerminalRecordStore {
  readonly #sql: SqlStorage;
  #record: TerminalRecord | null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#record = read(sql);
  }

  /** null before the terminal is enrolled. */
  get record(): TerminalRecord | null {
    return this.#record;
  }

  enrol(enrolment: Enrolment): void {
    if (this.#record !== null) {
      this.update({ sealedSecret: enrolment.sealedSecret, secretVersion: this.#record.secretVersion + 1 });
      return;
    }
    this.#save({
      terminalId: enrolment.terminalId,
      isVT: enrolment.isVT,
      sealedSecret: enrolment.sealedSecret,
      secretVersion: 1,
      binding: null,
      bindingVersion: 0,
      connections: 0,
      currentConnection: null,
      memory: null,
      connectedAt: null,
      lostAt: null,
      softwareVersion: null,
      terminalSn: null,
      nextNumber: 0,
      numbersEnd: 0,
      notedBindingVersion: 0,
      notedConnection: 0,
      notedConnected: false,
    });
  }

  update(members: Partial<TerminalRecord>): TerminalRecord {
    if (this.#record === null) throw new Error("the terminal is not enrolled");
    return this.#save({ ...this.#record, ...members });
  }

  /** The number that the next transaction takes, or null when the block is used up. */
  get nextNumber(): number | null {
    const record = this.#record;
    return record === null || record.nextNumber >= record.numbersEnd ? null : record.nextNumber;
  }

  /**
   * A transaction has taken this number. Nothing is written: the transaction's own row says so, and is read again when
   * the object starts.
   */
  numberTaken(number: number): void {
    if (this.#record !== null && number >= this.#record.nextNumber) {
      this.#record = { ...this.#record, nextNumber: number + 1 };
    }
  }

  /** Whether the next block should be reserved now, so that no transfer ever has to wait for one. */
  get numbersAreLow(): boolean {
    const record = this.#record;
    return record !== null && record.numbersEnd - record.nextNumber <= NUMBERS_LOW;
  }

  /**
   * Adds a block reserved in D1. What is left of the block before is used up first only if it borders on the new one;
   * else it is dropped, so that one terminal's numbers only grow.
   */
  addNumbers(first: number): void {
    const record = this.#record;
    if (record === null) return;
    const borders = first === record.numbersEnd;
    this.update({ nextNumber: borders ? record.nextNumber : first, numbersEnd: first + NUMBER_BLOCK });
  }

  #save(record: TerminalRecord): TerminalRecord {
    this.#sql.exec(
      SAVE,
      record.terminalId,
      record.isVT,
      record.sealedSecret,
      record.secretVersion,
      record.binding?.posId ?? null,
      record.binding?.merchantId ?? null,
      record.binding?.currency ?? null,
      record.binding?.timezone ?? null,
      record.bindingVersion,
      record.connections,
      record.currentConnection,
      record.memory,
      record.connectedAt,
      record.lostAt,
      record.softwareVersion,
      record.terminalSn,
      record.nextNumber,
      record.numbersEnd,
      record.notedBindingVersion,
      record.notedConnection,
      record.notedConnected ? 1 : 0,
    );
    this.#record = record;
    return record;
  }
}

function read(sql: SqlStorage): TerminalRecord | null {
  const row = sql.exec<Row>("SELECT * FROM terminal").toArray()[0];
  if (row === undefined) return null;
  const { pos_id: posId, merchant_id: merchantId, currency, timezone } = row;
  const bound = posId !== null && merchantId !== null && currency !== null && timezone !== null;
  const newest = sql.exec<{ newest: number | null }>("SELECT MAX(request_id) AS newest FROM transactions").one().newest;
  return {
    terminalId: row.terminal_id,
    isVT: row.is_vt === 1 ? 1 : 0,
    sealedSecret: row.sealed_secret,
    secretVersion: row.secret_version,
    binding: bound ? { posId, merchantId, currency, timezone } : null,
    bindingVersion: row.binding_version,
    connections: row.connections,
    currentConnection: row.current_connection,
    memory: row.memory,
    connectedAt: row.connected_at,
    lostAt: row.lost_at,
    softwareVersion: row.software_version,
    terminalSn: row.terminal_sn,
    nextNumber: Math.max(row.next_number, (newest ?? 0) + 1),
    numbersEnd: row.numbers_end,
    notedBindingVersion: row.noted_binding_version,
    notedConnection: row.noted_connection,
    notedConnected: row.noted_connected === 1,
  };
}
