import type { Random } from "../random.ts";
import type { World } from "../world.ts";
import type { Fault } from "../journal.ts";
import type { JournalFile } from "../journal-file.ts";

/** One occurrence of a fault. */
export interface Occurrence {
  /** The terminal or account; absent: everybody. */
  target?: string;
  /** Whose turn it waits for, so that two faults do not undo each other. */
  turns: { take(work: () => Promise<void>): Promise<void> };
  /** Causes it, waits, and repairs it. */
  happen(): Promise<void>;
}

/** Null: there is nobody now whom it could hit. */
export type Cause = (world: World, random: Random) => Occurrence | null;

/** For faults that may happen beside each other. */
export const AT_ONCE: Occurrence["turns"] = { take: async (work) => work() };

/** Writes into the journal that a fault is active while something happens. Throws what that throws. */
export async function journaled(
  journal: JournalFile,
  about: { fault: Fault; target?: string },
  happen: () => Promise<void>,
): Promise<void> {
  const id = journal.count("fault.began") + 1;
  journal.write({ kind: "fault.began", ...about, id });
  try {
    await happen();
  } finally {
    journal.write({ kind: "fault.ended", ...about, id });
  }
}
