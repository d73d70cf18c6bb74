/**
 * By what operators find a payment over all accounts: 16 bytes for each that was completed, in the row of its day
 * and account. A fingerprint names candidates; the account's object, which has the whole payment, confirms them.
 *
 * Big-endian: hash of the reference (4), amount (4), number of its event (4), last four digits of the card (2), time of
 * the day in units of two seconds (2).
 */
import { createHash } from "node:crypto";
import { hundredths } from "../../protocol/amounts.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import type { SearchTerms } from "../account/rpc.ts";
import { DAY, MINUTE, SECOND, type EpochMs } from "../../protocol/time/units.ts";

/**
 * The fingerprints of an account and day have at most this many bytes: D1 stores at most 2 MB in a row. That is 100,000
 * payments.
 */
export const FINGERPRINTS_SIZE = 1_600_000;

export const FINGERPRINT_BYTES = 16;

/** Stands for a payment without a card number. */
const NO_CARD = 0xff_ff;

const TIME_UNIT = 2 * SECOND;

/** The clocks of a terminal's object and its account's may differ. */
const CLOCKS_DIFFER = MINUTE;

interface Fingerprint {
  reference: number;
  /** The amount modulo 2 ** 32. */
  amount: number;
  /** The number of the event that completed it, in its account's feed. */
  event: number;
  card: number;
  /** Rounded down to `TIME_UNIT`. */
  at: EpochMs;
}

type Seen = Pick<
  AccountTransaction,
  "referenceId" | "transAmt" | "cashAmt" | "cardNo" | "deviceId" | "completedAt" | "receivedAt"
>;

/** @param at the time that it counts for @returns hexadecimal digits */
export function packFingerprint(transaction: Seen, event: number, at: EpochMs): string {
  const { referenceId } = transaction;
  return [
    fourBytes(hashReference(referenceId)),
    fourBytes(sumAmounts(transaction)),
    fourBytes(event),
    twoBytes(encodeCard(lastFourOf(transaction))),
    twoBytes(Math.floor((at % DAY) / TIME_UNIT)),
  ].join("");
}

/** @param day since 1970, UTC @param digits of any number of fingerprints */
export function unpackFingerprints(day: number, digits: string): Fingerprint[] {
  const bytes = Buffer.from(digits, "hex");
  return Array.from({ length: bytes.length / FINGERPRINT_BYTES }, (_, index) => {
    const first = index * FINGERPRINT_BYTES;
    return {
      reference: bytes.readUInt32BE(first),
      amount: bytes.readUInt32BE(first + 4),
      event: bytes.readUInt32BE(first + 8),
      card: bytes.readUInt16BE(first + 12),
      at: day * DAY + bytes.readUInt16BE(first + 14) * TIME_UNIT,
    };
  });
}

/** It is never false for a wanted payment, and seldom true for another. */
export function mayBe(fingerprint: Fingerprint, { referenceId, amount, cardLastFour, from, to }: SearchTerms): boolean {
  const { reference, amount: packedAmount, card, at } = fingerprint;
  return (
    (referenceId === null || reference === hashReference(referenceId)) &&
    (amount === null || packedAmount === amount % 2 ** 32) &&
    (cardLastFour === null || card === encodeCard(cardLastFour)) &&
    (from === null || computeLatestEnd(at) > from) &&
    (to === null || at - CLOCKS_DIFFER < to)
  );
}

/** The time before which a payment ended whose fingerprint has this time. */
export function computeLatestEnd(at: EpochMs): number {
  return at + TIME_UNIT + CLOCKS_DIFFER;
}

/** Hexadecimal digits of bytes that the fingerprint of a wanted payment has, so that D1 reads few rows in vain. */
export function encodeSearchTerms({ referenceId, amount, cardLastFour }: SearchTerms): string[] {
  return [
    ...(referenceId === null ? [] : [fourBytes(hashReference(referenceId))]),
    ...(amount === null ? [] : [fourBytes(amount)]),
    ...(cardLastFour === null ? [] : [twoBytes(encodeCard(cardLastFour))]),
  ];
}

/** Returns days since 1970, UTC, both included. */
export function coverDays(from: number, to: number): { first: number; last: number } {
  return { first: Math.floor((from - CLOCKS_DIFFER) / DAY), last: Math.floor((to - 1 + CLOCKS_DIFFER) / DAY) };
}

export function matchesSearch(transaction: Seen, searchTerms: SearchTerms): boolean {
  const { referenceId, amount, cardLastFour, terminalId, from, to } = searchTerms;
  const at = Date.parse(transaction.completedAt ?? transaction.receivedAt);
  return (
    (referenceId === null || transaction.referenceId === referenceId) &&
    (amount === null || sumAmounts(transaction) === amount) &&
    (cardLastFour === null || lastFourOf(transaction) === cardLastFour) &&
    (terminalId === null || transaction.deviceId === terminalId) &&
    (from === null || at >= from) &&
    (to === null || at < to)
  );
}

/** Returns hundredths. */
function sumAmounts({ transAmt, cashAmt }: Pick<Seen, "transAmt" | "cashAmt">): number {
  return (hundredths(transAmt) ?? 0) + (hundredths(cashAmt) ?? 0);
}

/** Returns null if the payment has no card number, or an unusual one. */
export function lastFourOf({ cardNo }: Pick<Seen, "cardNo">): string | null {
  return /[0-9]{4}$/u.exec(cardNo ?? "")?.[0] ?? null;
}

function encodeCard(lastFour: string | null): number {
  return lastFour === null ? NO_CARD : Number(lastFour);
}

function hashReference(referenceId: string): number {
  return createHash("sha256").update(referenceId).digest().readUInt32BE(0);
}

function fourBytes(number: number): string {
  return (number % 2 ** 32).toString(16).padStart(8, "0");
}

function twoBytes(number: number): string {
  return number.toString(16).padStart(4, "0");
}
