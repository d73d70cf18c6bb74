/** Compares the tills' answers with what the terminals did and what the accounts recorded. */
import type { StatusCode } from "../../client/pos.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { Ledger } from "../../simulator/ledger.ts";

export interface Entry {
  posId: string;
  deviceId: string;
  referenceId: string;
  transType: TransactionType;
  /** The reference of the voided sale; null for a sale. */
  voids: string | null;
  /** Null: the outcome is unknown to the till; somebody must ask again. */
  statusCode: StatusCode | null;
  responseCode: string;
  /** Null without an answer. */
  transId: string | null;
  /** Milliseconds from the till's request to the answer. */
  took: number;
}

export class Book {
  readonly entries: Entry[] = [];
  /** Messages that the till gave up, by the kind of the problem. No money moved. */
  readonly refused = new Map<string, number>();
  /** Answers lost on purpose, 429s, and requests sent again to compare the answers. */
  readonly counts = { lost: 0, limited: 0, repeated: 0 };
  readonly changed: string[] = [];

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  refuse(kind: string): void {
    this.refused.set(kind, (this.refused.get(kind) ?? 0) + 1);
  }

  count(statusCode: StatusCode | null): number {
    return this.entries.filter((entry) => entry.statusCode === statusCode).length;
  }
}

/** The value below which `share` of `values` are; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export interface Evidence {
  entries: readonly Entry[];
  /** The actual charges, by terminal. */
  ledgers: ReadonlyMap<string, Ledger>;
  /** The transactions that the accounts list, by `recordKey`. */
  recorded: ReadonlyMap<string, StatusCode>;
}

export function recordKey({ posId, referenceId }: { posId: string; referenceId: string }): string {
  return `${posId} ${referenceId}`;
}

/** A sentence for each; empty if all were kept. Open entries are judged as far as they are known. */
export function brokenPromises({ entries, ledgers, recorded }: Evidence): string[] {
  const told = new Set(entries.map(recordKey));
  const broken = entries.flatMap((entry) => [
    ...moneyProblems(entry, ledgers.get(entry.deviceId)),
    ...recordProblems(entry, recorded.get(recordKey(entry))),
  ]);
  for (const [terminalId, { charges }] of ledgers) {
    for (const charge of charges) {
      if (!told.has(recordKey(charge)))
        broken.push(`${terminalId} charged ${charge.referenceId}, which no till has sent.`);
    }
  }
  return broken;
}

function moneyProblems(entry: Entry, ledger: Ledger | undefined): string[] {
  if (ledger === undefined) return [];
  switch (entry.transType) {
    case "void":
      return voidProblems(entry, ledger);
    case "sale":
    case "cashOut":
      return saleProblems(entry, ledger);
    default:
      return entry.transType satisfies never;
  }
}

function voidProblems({ posId, referenceId, statusCode, voids }: Entry, ledger: Ledger): string[] {
  const isVoided = ledger.of(posId, voids ?? "").some((charge) => charge.voidedBy !== null);
  if (statusCode === "00" && !isVoided) return [`The void ${referenceId} is 00, but the charge stands.`];
  if (statusCode === "11" && isVoided) return [`The void ${referenceId} is 11, but the charge is reversed.`];
  return [];
}

function saleProblems({ posId, referenceId, statusCode }: Entry, ledger: Ledger): string[] {
  const charges = ledger.of(posId, referenceId).length;
  if (charges > 1) return [`${referenceId} was charged ${charges} times (at most once).`];
  if (statusCode === "00" && charges === 0) return [`${referenceId} is 00, but no money moved.`];
  if (statusCode === "11" && charges > 0) return [`${referenceId} is 11, but money moved.`];
  return [];
}

function recordProblems({ referenceId, statusCode }: Entry, recorded: StatusCode | undefined): string[] {
  if (statusCode !== "00" && statusCode !== "11") return [];
  if (recorded === statusCode) return [];
  return [`${referenceId} is ${statusCode}, but the account has recorded ${recorded ?? "nothing"}.`];
}
