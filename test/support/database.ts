/** A D1 that does not listen to the terminals' objects; for everybody else it is as it was. */
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";

/**
 * `fail`: it refuses. `hang`: it answers nothing until it is well again, and then writes. `lose`: it writes, and the
 * answer is lost.
 */
export type Trouble = "fail" | "hang" | "lose";

export interface SickDatabase {
  /** How often an object has tried to tell it something. */
  readonly tries: number;
  /** It listens again. */
  recover(): void;
  /** The trouble is back. */
  relapse(): void;
}

/** From now on every note of a terminal's object is in trouble, until the test ends at the latest. */
export function breakNotes(trouble: Trouble): SickDatabase {
  return breakBatches(trouble, "UPDATE terminals SET\n");
}

/** The same for the notes of accounts' objects. */
export function breakAccountNotes(trouble: Trouble): SickDatabase {
  return breakBatches(trouble, "INSERT INTO accounts");
}

/** The same for what D1 gets of their hours. */
export function breakStatistics(trouble: Trouble): SickDatabase {
  return breakBatches(trouble, "INSERT INTO statistics_hours");
}

/** The same for what D1 gets of transactions that are 22, and of endpoints in trouble. */
export function breakAlerts(trouble: Trouble): SickDatabase {
  return breakBatches(trouble, "INSERT INTO unsettled");
}

/** @param beginning what one of the batch's statements begins with */
function breakBatches(trouble: Trouble, beginning: string): SickDatabase {
  const well = Promise.withResolvers<void>();
  const prototype = Object.getPrototypeOf(env.DATABASE) as D1Database;
  const batch = Reflect.get<D1Database, "batch">(prototype, "batch");
  let tries = 0;
  let isWell = false;
  const spy = vi.spyOn(prototype, "batch").mockImplementation(async function sick(this: D1Database, statements) {
    if (isWell || !statements.some((statement) => begins(statement, beginning))) return batch.call(this, statements);
    tries++;
    if (trouble === "hang") await well.promise;
    if (trouble !== "fail") await batch.call(this, statements);
    if (trouble !== "hang") throw new Error("D1 is not there");
    return [];
  });
  const recover = (): void => {
    isWell = true;
    well.resolve();
  };
  onTestFinished(() => {
    recover();
    spy.mockRestore();
  });
  return {
    get tries() {
      return tries;
    },
    recover,
    relapse: () => {
      isWell = false;
    },
  };
}

function begins(statement: D1PreparedStatement, beginning: string): boolean {
  return String(Reflect.get(statement, "statement")).startsWith(beginning);
}
