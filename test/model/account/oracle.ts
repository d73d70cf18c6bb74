/** The judge of the account's object: what terminals truly did, against what was admitted, recorded and listed. */
import { type AccountEvent, isAboutTransaction, type TransactionEvent } from "../../../src/protocol/events.ts";
import { JOURNAL_LIFE } from "../../../src/protocol/limits/transfers.ts";
import { Violation } from "../oracle.ts";
import type { Entry, Ledger } from "./ledger.ts";

/** What has ever been carried out, forgotten or not. */
export class CarriedOut {
  readonly #all: { deviceId: string; entry: Entry }[] = [];

  get entries(): readonly Entry[] {
    return this.#all.map(({ entry }) => entry);
  }

  /** I1: a reference runs on one device while anybody remembers it. */
  started(deviceId: string, entry: Entry, now: number): void {
    for (const other of this.#all) {
      const isSame = other.entry.posId === entry.posId && other.entry.reference === entry.reference;
      if (!isSame || other.deviceId === deviceId) continue;
      const { completedAt, startedAt } = other.entry;
      if (completedAt === null || now - Math.max(completedAt, startedAt) <= JOURNAL_LIFE) {
        throw new Violation("I1", `${entry.reference} runs on ${deviceId}, and ran on ${other.deviceId}`);
      }
    }
    this.#all.push({ deviceId, entry });
  }
}

/** I7: the feed of one account, read to its end, when everything has come to rest. */
export function judgeFeed(posId: string, feed: readonly AccountEvent[], entries: readonly Entry[], now: number): void {
  const isKept = (at: number): boolean => now - at <= JOURNAL_LIFE;
  const events = feed.filter(isAboutTransaction);
  const kept = feed.filter(({ timestamp }) => isKept(Date.parse(timestamp)));
  kept.forEach((event, index) => {
    const next = kept[index + 1];
    if (next !== undefined && next.number !== event.number + 1) {
      throw new Violation("I7", `after event ${event.number} of ${posId} comes ${next.number}`);
    }
    if (event.id !== `evt_${posId}_${event.number}`) throw new Violation("I7", `event ${event.number} is ${event.id}`);
  });
  const own = entries.filter((entry) => entry.posId === posId);
  for (const entry of own) {
    const told = events.filter(({ data }) => data.requestId === String(entry.requestId));
    judgeTold(entry, told, isKept(entry.acknowledgedAt));
    if (isKept(entry.acknowledgedAt)) judgeMark(entry, told.at(-1), own, isKept);
  }
  for (const { data } of kept.filter(isAboutTransaction)) {
    if (own.some(({ requestId }) => String(requestId) === data.requestId)) continue;
    throw new Violation("I7", `event of ${data.requestId}, which was never carried out`);
  }
}

/** @param isKept what was recorded last is not old enough to be forgotten */
function judgeTold(entry: Entry, told: readonly TransactionEvent[], isKept: boolean): void {
  const { requestId, reference, statusCode, revision, completedAt } = entry;
  const newest = told.at(-1);
  if (revision === 0 && newest !== undefined) throw new Violation("I7", `${reference} is told of without an outcome`);
  // What is open is kept at any age.
  if (newest === undefined) {
    if (revision > 0 && (isKept || completedAt === null)) throw new Violation("I7", `${requestId} is missed`);
    return;
  }
  if (newest.data.statusCode !== statusCode) {
    throw new Violation("I7", `${requestId} is ${statusCode}, and told as ${newest.data.statusCode}`);
  }
  for (const name of ["transAmt", "cashAmt", "currency"] as const) {
    if (newest.data[name] !== entry[name]) {
      throw new Violation("I7", `${requestId} has the ${name} ${entry[name]}, and is told with ${newest.data[name]}`);
    }
  }
  const final = told.findIndex(({ type }) => type === "transaction.completed");
  if (final < 0) return;
  for (const { type, data } of told.slice(final + 1)) {
    if (type === "transaction.completed") throw new Violation("I7", `${requestId} is completed twice`);
    if (data.statusCode !== statusCode) throw new Violation("I2", `${requestId} changes after it was completed`);
  }
}

function judgeMark(
  entry: Entry,
  newest: TransactionEvent | undefined,
  own: readonly Entry[],
  isKept: (at: number) => boolean,
): void {
  const { requestId, reference } = entry;
  const isReused = own.some((other) => other.reference === reference && other.requestId > requestId);
  if (newest === undefined || isReused) return;
  const voids = own.filter(({ voids: voided, statusCode }) => voided === entry && statusCode === "00");
  if (voids.some(({ acknowledgedAt }) => !isKept(acknowledgedAt))) return;
  if ((newest.data.voidedBy !== null) !== voids.length > 0) {
    throw new Violation("I7", `${requestId} is told as voided by ${String(newest.data.voidedBy?.requestId)}`);
  }
}

/** Nothing is owed any more. */
export function judgeRest(ledgers: readonly Ledger[], posId: string): void {
  for (const ledger of ledgers) {
    const owed = ledger.owed(posId).length;
    if (owed > 0) throw new Violation("I7", `${ledger.terminalId} still owes ${owed} entries`);
  }
}
