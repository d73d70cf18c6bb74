import type { Random } from "../random.ts";
import type { World } from "../world.ts";

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
