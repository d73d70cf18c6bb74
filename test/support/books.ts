/**
 * Two sets of books: what the terminal really charged, and every status that was ever shown to the POS. Nobody may ever
 * have been lied to: never 11 with a charge, never 00 without, never a change after 00 or 11, never two charges.
 */
import type { ExpectStatic } from "vitest";

type StatusCode = "00" | "11" | "22";

interface Shown {
  statusCode: StatusCode;
  /** Order in which the POS asked and was answered. */
  asked: number;
  answered: number;
}

export class Books {
  /** By reference: the requestIds under which the terminal moved money. */
  readonly #charges = new Map<string, string[]>();
  readonly #shown = new Map<string, Shown[]>();
  #moment = 0;

  charge({ referenceId, requestId }: { referenceId: string; requestId: string }): void {
    this.#charges.set(referenceId, [...(this.#charges.get(referenceId) ?? []), requestId]);
  }

  /** The POS asks something; what it returns is called with the answer. */
  ask(): (referenceId: string, statusCode: StatusCode) => void {
    const asked = ++this.#moment;
    return (referenceId, statusCode) => {
      const shown = this.#shown.get(referenceId) ?? [];
      this.#shown.set(referenceId, [...shown, { statusCode, asked, answered: ++this.#moment }]);
    };
  }

  /** Fails the test whose POS was ever told something untrue. */
  check(expect: ExpectStatic): void {
    for (const [referenceId, requestIds] of this.#charges) {
      expect(requestIds, `charges under ${referenceId}`).toHaveLength(1);
    }
    for (const [referenceId, shown] of this.#shown) {
      const charged = this.#charges.has(referenceId);
      for (const { statusCode, asked } of shown) {
        if (statusCode === "22") {
          const earlier = shown.filter((other) => other.statusCode !== "22" && other.answered < asked);
          expect(earlier, `22 shown for ${referenceId} after it was completed`).toEqual([]);
        } else {
          expect(statusCode, `status shown for ${referenceId}, which was ${charged ? "" : "not "}charged`).toBe(
            charged ? "00" : "11",
          );
        }
      }
    }
  }
}
