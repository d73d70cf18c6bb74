/** When something disturbed the run. */
import type { Fault } from "../journal.ts";
import type { Line } from "./lines.ts";

export interface FaultInterval {
  fault: Fault;
  target: string | null;
  began: Line<"fault.began" | "fault.ended">;
  /** Null: it was active to the end. */
  ended: Line<"fault.began" | "fault.ended"> | null;
}

/** A machine that writes nothing for this long while somebody waits may have stood still, milliseconds. */
const STALL = 5_000;

/** A terminal reconnects and an object starts again within this after a fault, milliseconds. */
const RECOVERY = 30_000;

export class Faults {
  readonly all: FaultInterval[] = [];
  readonly #open = new Map<number, FaultInterval>();
  /** Pauses between two entries, in milliseconds since the start. */
  readonly #stalls: { from: number; to: number }[] = [];
  #last: Line | null = null;

  /** Takes every line, for the pauses between them. */
  passes(line: Line): void {
    if (this.#last !== null && line.at - this.#last.at >= STALL) {
      this.#stalls.push({ from: this.#last.at, to: line.at });
    }
    this.#last = line;
  }

  changes(line: Line<"fault.began" | "fault.ended">): void {
    if (line.kind === "fault.began") {
      const interval: FaultInterval = { fault: line.fault, target: line.target ?? null, began: line, ended: null };
      this.all.push(interval);
      this.#open.set(line.id, interval);
      return;
    }
    const interval = this.#open.get(line.id);
    if (interval !== undefined) interval.ended = line;
    this.#open.delete(line.id);
  }

  /** Whether a fault of this kind was active at any time between two moments. */
  isActive(fault: Fault, from: number, to: number): boolean {
    return this.all.some((one) => one.fault === fault && overlaps(one, from, to));
  }

  /** Whether nothing disturbed between two moments, nor shortly before. */
  isQuiet(from: number, to: number): boolean {
    return !this.all.some((one) => overlaps(one, from - RECOVERY, to));
  }

  /** Whether the machine may have stood still between two moments. */
  mayHaveStalled(from: number, to: number): boolean {
    return this.#stalls.some((one) => one.from < to && one.to > from);
  }
}

function overlaps({ began, ended }: FaultInterval, from: number, to: number): boolean {
  return began.at <= to && (ended?.at ?? Infinity) >= from;
}
