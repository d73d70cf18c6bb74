/**
 * What goes wrong within and around the object in a history: storage breaks in the middle of a turn, D1 refuses its
 * notes. By a chance of its own, so that the history of a seed stays the same.
 */
import { vi } from "vitest";
import { Journal } from "../../src/terminal/storage/journal.ts";
import { TerminalRecordStore } from "../../src/terminal/storage/record.ts";
import { breakNotes } from "../support/database.ts";
import { randomOf } from "./random.ts";
import type { Call } from "./vocabulary.ts";

/** How often D1 refuses the notes of a history, during how many calls, and how often storage breaks in the turn of a frame or an alarm. */
const WITHOUT_D1 = 0.3;
const D1_IS_BACK_AFTER = 40;
const BREAKS = 0.06;

type Write = (...given: unknown[]) => unknown;

const WRITES: readonly [of: object, method: string][] = [
  [Journal.prototype, "insert"],
  [Journal.prototype, "update"],
  [Journal.prototype, "prune"],
  [TerminalRecordStore.prototype, "update"],
];

export class Faults {
  readonly #database = breakNotes("fail");
  #random = randomOf(0);
  #calls = 0;

  /** A history begins. */
  begin(seed: number): void {
    this.#random = randomOf(~seed);
    this.#calls = 0;
    if (this.#random.chance(WITHOUT_D1)) this.#database.relapse();
    else this.#database.recover();
  }

  /** Carries a call out, in the course of which storage may break once, after it has written. */
  async during<Result>({ kind }: Call, work: () => Promise<Result>): Promise<Result> {
    if (++this.#calls === D1_IS_BACK_AFTER) this.#database.recover();
    if ((kind !== "frame" && kind !== "alarm") || !this.#random.chance(BREAKS)) return work();
    const [of, method] = this.#random.pick(WRITES);
    const write = Reflect.get(of, method) as Write;
    const spy = vi.spyOn(of as Record<string, Write>, method).mockImplementationOnce(function breaks(
      this: unknown,
      ...given: unknown[]
    ) {
      write.apply(this, given);
      throw new Error("broken on purpose");
    });
    try {
      return await work();
    } finally {
      spy.mockRestore();
    }
  }
}
