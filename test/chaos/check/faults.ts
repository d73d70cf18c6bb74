/** When something disturbed the run. */
import type { Fault } from "../journal.ts";
import type { Line } from "./history.ts";

interface FaultInterval {
  fault: Fault;
  began: Line<"fault.began">;
  /** Null: it was active to the end. */
  ended: Line<"fault.ended"> | null;
}

/** A machine that writes nothing for this long while somebody waits may have stood still, milliseconds. */
const STALL = 5_000;

/** A terminal reconnects and an object starts again within this after a fault, milliseconds. */
const RECOVERY = 30_000;

export class Faults {
  readonly all: readonly FaultInterval[];
  /** Pauses between two entries, in milliseconds since the start. */
  readonly #stalls: readonly { from: number; to: number }[];

  constructor(lines: readonly Line[]) {
    const ends = new Map(lines.flatMap((line) => (line.kind === "fault.ended" ? [[line.id, line] as const] : [])));
    this.all = lines.flatMap((began) =>
      began.kind === "fault.began" ? [{ fault: began.fault, began, ended: ends.get(began.id) ?? null }] : [],
    );
    const pauses = lines.map(({ at }, index) => ({ from: lines[index - 1]?.at ?? at, to: at }));
    this.#stalls = pauses.filter(({ from, to }) => to - from >= STALL);
  }

  isActive(fault: Fault, from: number, to: number): boolean {
    return this.all.some((one) => one.fault === fault && overlaps(one, from, to));
  }

  /** Whether nothing disturbed between two moments, nor shortly before. */
  isQuiet(from: number, to: number): boolean {
    return !this.all.some((one) => overlaps(one, from - RECOVERY, to));
  }

  mayHaveStalled(from: number, to: number): boolean {
    return this.#stalls.some((one) => one.from < to && one.to > from);
  }
}

function overlaps({ began, ended }: FaultInterval, from: number, to: number): boolean {
  return began.at <= to && (ended?.at ?? Infinity) >= from;
}
