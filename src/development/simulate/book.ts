/** The answers that the tills of a simulation got, and how long they took. */
import type { StatusCode } from "../../client/pos.ts";

export interface Entry {
  posId: string;
  deviceId: string;
  referenceId: string;
  transType: "sale" | "void";
  /** For a void: the reference of the voided sale. */
  voids: string | null;
  /** Null: the outcome is unknown to the till; somebody must ask again. */
  statusCode: StatusCode | null;
  responseCode: string;
  /** The number of a sale; null without an answer. */
  transId: string | null;
  /** Milliseconds from the till's request to the answer. */
  took: number;
}

export class Book {
  readonly entries: Entry[] = [];
  /** Messages that the till gave up, by the kind of the problem. No money moved. */
  readonly refused = new Map<string, number>();
  /** Answers that were lost on purpose, 429s, and requests that were sent again to compare the answers. */
  readonly counts = { lost: 0, limited: 0, repeated: 0 };
  /** Answers that changed. */
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
