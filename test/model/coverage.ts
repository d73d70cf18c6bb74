/** What a run has really come across: a model that never reaches the rare states proves nothing about them. */

/** All of this must have happened in a run of some size against the pure gateway. */
export const RARE_STATES: readonly string[] = [
  "22 cleared up as 00",
  "22 cleared up as 11",
  "closed with 4001",
  "closed with 4003",
  "closed with 4004",
  "frame of a connection that was left",
  "hello of a connection that was left",
  "kept as conflict",
  "kept as evidence",
  "kept as stray",
  "kept on its connection",
  "late 00 after 22",
  "log: terminal-holds-completed-request",
  "pending: contradiction",
  "pending: other-memory",
  "pending: reported",
  "ping sent ahead",
  "probe",
  "probe by a ping sent ahead",
  "queue full",
  "rebound",
  "refused as busy",
  "request read from a connection that was left",
  "sent after it was held up",
  "sent again",
  "completed from pending: 00",
  "completed from pending: 11",
  "completed: 00 operator",
  "completed: 00 terminal",
  "completed: 11 CANCELLED",
  "completed: 11 NOT_DELIVERED",
  "completed: 11 TERMINAL_BUSY",
  "completed: 11 TERMINAL_OFFLINE",
  "completed: 11 TERMINAL_REFUSED",
  "completed: 11 operator",
  "completed: 11 terminal",
  "shown to be delivered after all",
  "shown: 00",
  "shown: 11 ALREADY_VOIDED",
  "shown: 11 CHANNEL_INACTIVE",
  "shown: 11 NOT_VOIDABLE",
  "shown: 11 TRANSACTION_NOT_FOUND",
  "shown: 22 IN_PROGRESS",
  "shown: 22 TERMINAL_LOST",
  "shown: 22 TERMINAL_TIMEOUT",
  "shown: 22 UNCONFIRMED",
  "shown: refused 40004",
  "shown: refused 40009",
  "stale refusal",
  "stray report",
  "tombstone",
  "too late to be sent",
  "undelivered decided, not yet believed",
  "written when its connection had ended",
];

/** And this in the much smaller one against the object. */
export const OBJECT_STATES: readonly string[] = [
  "22 cleared up as 00",
  "22 cleared up as 11",
  "closed with 4001",
  "closed with 4004",
  "closed with 1011",
  "frame of a connection that was left",
  "late 00 after 22",
  "sent again",
  "shown: 00 00",
  "shown: 11 05",
  "shown: 11 CANCELLED",
  "shown: 11 NOT_DELIVERED",
  "shown: 11 NOT_VOIDABLE",
  "shown: 11 TERMINAL_BUSY",
  "shown: 11 TERMINAL_OFFLINE",
  "shown: 11 TERMINAL_REFUSED",
  "shown: 22 09",
  "shown: 22 IN_PROGRESS",
  "shown: 22 UNCONFIRMED",
];

export class Coverage {
  readonly #counts = new Map<string, number>();

  readonly notice = (what: string): void => {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  };

  /** What should have happened, and never did. */
  missing(expected: readonly string[]): string[] {
    return expected.filter((what) => !this.#counts.has(what));
  }

  /** One line for each thing that happened, most frequent first. */
  table(): string {
    return [...this.#counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, count]) => `${String(count).padStart(8)}  ${what}`)
      .join("\n");
  }
}
