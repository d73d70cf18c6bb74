/**
 * A connection that SQL calls current and that is gone: it has ended with the object's previous instance, or its end is what
 * has woken the object. The first turn notes it, so that the turn of the end itself adds to the same row.
 */
import type { TurnParticipant } from "../objects/turns.ts";
import type { TerminalSide } from "./terminal-side.ts";

export class Restart implements TurnParticipant {
  readonly #side: () => Pick<TerminalSide, "connections" | "records" | "lane">;
  #isNoticed = false;

  /** @param side not called before the first turn */
  constructor(side: () => Pick<TerminalSide, "connections" | "records" | "lane">) {
    this.#side = side;
  }

  /** Whether a turn must note the end of a connection before anything else is read. */
  get isUnnoticed(): boolean {
    if (this.#isNoticed) return false;
    const { connections, records } = this.#side();
    const number = records.record?.currentConnection ?? null;
    return number !== null && connections.byNumber(number) === null;
  }

  begin(now: number): void {
    if (this.isUnnoticed) {
      const { connections, records, lane } = this.#side();
      const heardAt = connections.lastHeardOn(records.record?.currentConnection ?? 0);
      records.update({ currentConnection: null, lostAt: now, ...(heardAt === null ? {} : { heardAt }) });
      // It reads the record.
      lane.rollBack();
    }
    this.#isNoticed = true;
  }

  /** The turn was undone. */
  rollBack(): void {
    this.#isNoticed = false;
  }
}
