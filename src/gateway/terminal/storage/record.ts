/** The record is one row, read at the start. */
import type { NumberBlock } from "../../coordinator/rpc.ts";
import { JOURNAL_LIFE } from "../../../protocol/limits.ts";
import { DAY, type EpochMs } from "../../../protocol/time/units.ts";
import { OwnRow, type Sql } from "../../durable/storage/rows.ts";
import type { Presence } from "../../d1/terminals.ts";
import type { Binding } from "../../../protocol/binding.ts";
import type { ActivationCodeDigest, EnrolmentCall, EnrolOutcome } from "../rpc.ts";
import type { Journal } from "./journal.ts";

/**
 * A terminal reserves transaction numbers for this many days of its own, and again when fewer days' are left, but never
 * fewer than its minimum: without the coordinator it sells for at least a day, even if that day is its busiest.
 */
const NUMBER_DAYS = 30;
const NUMBER_DAYS_LOW = 3;
export const NUMBERS_AT_LEAST = 100;
export const NUMBERS_LOW = 20;

/** They suffice for 33,000 transactions a day, one every 2.6 seconds, for a month. */
const NUMBERS_AT_MOST = 1_000_000;

/**
 * Transaction numbers in reserve. They last at least a day at the terminal's own rate, so a coordinator that is away stops
 * no sale; and they only grow.
 */

export interface NumberReserve {
  /** The blocks are in rising order. A used block is dropped when the next one comes. */
  readonly blocks: readonly NumberBlock[];
  /**
   * The time when the newest block came, and the count of numbers that were left then, that block
   * included.
   */
  readonly filledAt: EpochMs;
  readonly filledTo: number;
}

export const NO_RESERVE: NumberReserve = { blocks: [], filledAt: 0, filledTo: 0 };

/**
 * null if no number is left.
 *
 * @param from lower ones are taken, or no longer wanted
 */
export function nextNumber({ blocks }: NumberReserve, from: number): number | null {
  const block = blocks.find(({ last }) => last >= from);
  return block === undefined ? null : Math.max(block.first, from);
}

export function numbersLeft({ blocks }: NumberReserve, from: number): number {
  return blocks.reduce((left, { first, last }) => left + Math.max(last - Math.max(first, from) + 1, 0), 0);
}

/**
 * How many numbers to reserve now; null if enough are left.
 *
 * The rate is what was taken since the reserve was filled. Within a day it counts in full: a terminal that becomes busy
 * reserves again after a quarter of what it has. A reserve as old as the journal is filled too, so that D1 keeps
 * blocks while they are in use (`d1/objects.ts`).
 *
 */
export function numbersWanted(reserve: NumberReserve, from: number, now: EpochMs): number | null {
  const left = numbersLeft(reserve, from);
  const age = now - reserve.filledAt;
  const perDay = (reserve.filledTo - left) / Math.max(age / DAY, 1);
  const isEnough = left > Math.max(perDay * NUMBER_DAYS_LOW, NUMBERS_LOW);
  if (isEnough && age < JOURNAL_LIFE) return null;
  return Math.min(Math.max(Math.ceil(perDay * NUMBER_DAYS), NUMBERS_AT_LEAST), NUMBERS_AT_MOST);
}

/**
 * Drops a block that comes late and is lower than one that is held: one terminal's numbers only grow.
 *
 * @param from as for `nextNumber`
 */
export function withBlock(reserve: NumberReserve, block: NumberBlock, from: number, now: EpochMs): NumberReserve {
  if (block.first <= lastNumber(reserve)) return reserve;
  const blocks = [...reserve.blocks.filter(({ last }) => last >= from), block];
  return { blocks, filledAt: now, filledTo: numbersLeft({ ...reserve, blocks }, from) };
}

/** The highest number that the terminal holds or has used; 0 if it never had one. */
export function lastNumber({ blocks }: NumberReserve): number {
  return blocks.at(-1)?.last ?? 0;
}

/** A replaced secret that stays valid until the terminal logs in with the new one, at most until `until`. */
export interface PreviousSecret {
  sealed: string;
  /** As `secretVersion` and `secretChangedAt` were while it was the current one. */
  version: number;
  changedAt: EpochMs;
  until: EpochMs;
}

/** A used code is remembered, so that whoever sends it again learns that it was used. */
export interface StoredActivationCode extends ActivationCodeDigest {
  usedAt: EpochMs | null;
}

/** This is the only list of the record's members. */
const INITIAL = {
  terminalId: "",
  isVT: 0 as 0 | 1,
  /** The enrolment as D1 has it, in case D1 is restored to a time before it. */
  assignedMerchantId: null as string | null,
  name: null as string | null,
  createdAt: 0,
  /** It is null once the terminal is retired. */
  sealedSecret: null as string | null,
  secretVersion: 1,
  /** Since when the secret is the only valid one, or when it replaced the one that is still valid; 0 for the first. */
  secretChangedAt: 0,
  /** The replaced secret while it is still valid; null if there is none. */
  previousSecret: null as PreviousSecret | null,
  /** The newest activation code; null if there never was one, or the terminal is retired. */
  activationCode: null as StoredActivationCode | null,
  /** The enrolment that made the secret; null if it cannot be repeated. */
  enrolmentId: null as string | null,
  /** null: unbound. */
  binding: null as Binding | null,
  /** The version of the account's terms in `binding`; 0 if it is unknown. Each account has its own count. */
  termsVersion: 0,
  /**
   * The last account that was suspended or deleted while the terminal was bound to it, and the version of that change.
   */
  stoppedPosId: null as string | null,
  stoppedVersion: 0,
  /** The count of connections that were ever opened, which is the number of the newest. */
  connections: 0,
  /** The connection according to the object; null after the connection ended. */
  currentConnection: null as number | null,
  memory: null as string | null,
  connectedAt: null as number | null,
  lostAt: null as number | null,
  /** The last activity of the connection that ended last. */
  heardAt: null as number | null,
  softwareVersion: null as string | null,
  terminalSn: null as string | null,
  /** Every lower number is taken, or is not this terminal's. The journal's own numbers are taken too. */
  nextNumber: 0,
  reserve: NO_RESERVE,
  /** The terminal's presence as D1 has it, or will have it. */
  presence: "absent" as Presence,
  /** The time when old transactions are deleted next; null if there are none (`retention.ts`). */
  pruneAt: null as number | null,
  /** The number after which that continues. */
  pruneAfter: 0,
};

export type TerminalRecord = typeof INITIAL;

/**
 * When a terminal without a connection was active last. If that was lost with the object's previous instance: when the
 * object found the connection gone.
 */
export function offlineSince(record: TerminalRecord): number | null {
  return record.heardAt === lastHeard(record) ? record.heardAt : record.lostAt;
}

/** The last known activity before the last end of a connection. A hello counts as activity. */
export function lastHeard({ heardAt, connectedAt }: TerminalRecord): number | null {
  return heardAt === null || connectedAt === null ? (heardAt ?? connectedAt) : Math.max(heardAt, connectedAt);
}

export class TerminalRecordStore extends OwnRow<TerminalRecord> {
  readonly #journal: Pick<Journal, "newest">;

  constructor(sql: Sql, journal: Pick<Journal, "newest">) {
    super(sql, "terminal", INITIAL);
    this.#journal = journal;
  }

  get terminalId(): string | undefined {
    return this.record?.terminalId;
  }

  /** D1 has its row already. A retired terminal stays retired. */
  enrol({ terminalId, isVT, sealedSecret, enrolmentId = null, ...given }: EnrolmentCall): EnrolOutcome {
    const known = this.record;
    if (known === null) {
      const { merchantId: assignedMerchantId = null, name = null, createdAt = 0 } = given;
      this.create({ terminalId, isVT, sealedSecret, enrolmentId, assignedMerchantId, name, createdAt });
    } else if (known.sealedSecret === null || known.enrolmentId !== enrolmentId) {
      return { kind: "taken" };
    } else {
      this.update({ sealedSecret, secretVersion: known.secretVersion + 1 });
    }
    return { kind: "enrolled" };
  }

  /** Returns null when the reserve is used up. */
  get nextNumber(): number | null {
    const { record } = this;
    return record === null ? null : nextNumber(record.reserve, this.#firstFree(record));
  }

  /**
   * Call this in the turn that deletes transactions, before it does. Once the newest is gone, only this record says which
   * numbers are taken, and a number that is given out twice hides a payment behind another.
   */
  keepNumbers(): void {
    const { record } = this;
    if (record === null) return;
    const firstFree = this.#firstFree(record);
    if (firstFree !== record.nextNumber) this.update({ nextNumber: firstFree });
  }

  numbersWanted(now: EpochMs): number | null {
    const { record } = this;
    return record === null ? null : numbersWanted(record.reserve, this.#firstFree(record), now);
  }

  get highestNumber(): number {
    const { record } = this;
    return record === null ? 0 : Math.max(lastNumber(record.reserve), this.#firstFree(record) - 1);
  }

  /** @returns whether the block was added */
  addNumbers(block: NumberBlock, now: EpochMs): boolean {
    const { record } = this;
    if (record === null) return false;
    const reserve = withBlock(record.reserve, block, this.#firstFree(record), now);
    if (reserve === record.reserve) return false;
    this.update({ reserve });
    return true;
  }

  /** Transactions say which numbers they have taken, so that taking one writes nothing here. */
  #firstFree({ nextNumber: kept }: TerminalRecord): number {
    return Math.max(kept, this.#journal.newest + 1);
  }
}
