/** Makes D1 fail for certain writes of the objects. Everything else works as before. */
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";

/**
 * The beginning of a statement that any request may send: it writes what the isolate has refused before, so also what other
 * files' tests have been refused. What counts statements leaves it out.
 */
export const COUNTS_REFUSALS = "INSERT INTO counters";

/**
 * `fail`: the write is refused. `hang`: it gets no answer until D1 recovers, and is then written; of several, the newest
 * first, so that the others come late. `lose`: it is written, and the answer is lost.
 */
export type Failure = "fail" | "hang" | "lose";

interface FailingDatabase {
  /** How many writes have failed or waited. */
  readonly tries: number;
  recover(): void;
  failAgain(): void;
}

type Choice = (text: string, values: readonly unknown[]) => boolean;

/** Fails everything that terminals' objects tell, until the test ends at the latest. */
export const failTerminalNotes = failing((text, values) =>
  text.startsWith("INSERT INTO audit_log")
    ? isOf("terminal:", values)
    : /^INSERT INTO (?:terminals \(terminal_id, version|number_blocks)/u.test(text),
);

/** The same for accounts' objects, without what they count. */
export const failAccountNotes = failing((text, values) =>
  text.startsWith("INSERT INTO audit_log") ? isOf("account:", values) : text.startsWith("INSERT INTO accounts"),
);

export const failStatistics = failing((text) => text.startsWith("INSERT INTO account_hours"));

export const failAlerts = failing((text) => text.startsWith("INSERT INTO pending"));

/** An audit row of an object ends with the object's name and the row's number. */
function isOf(kind: string, values: readonly unknown[]): boolean {
  return String(values.at(-2)).startsWith(kind);
}

/** @param fails whether a batch with this statement fails */
function failing(fails: Choice): (failure: Failure) => FailingDatabase {
  return (failure) => failBatches(failure, fails);
}

function failBatches(failure: Failure, fails: Choice): FailingDatabase {
  const recovered = Promise.withResolvers<void>();
  const prototype = Object.getPrototypeOf(env.DATABASE) as D1Database;
  const batch = Reflect.get<D1Database, "batch">(prototype, "batch");
  let tries = 0;
  let works = false;
  const spy = vi.spyOn(prototype, "batch").mockImplementation(async function batchOrFail(this: D1Database, statements) {
    if (works || !statements.some((statement) => fails(...partsOf(statement)))) return batch.call(this, statements);
    const number = ++tries;
    if (failure === "hang") await recovered.promise;
    for (let newer = tries - number; newer > 0; newer--) await Promise.resolve();
    if (failure !== "fail") await batch.call(this, statements);
    if (failure !== "hang") throw new Error("D1 does not answer");
    return [];
  });
  const recover = (): void => {
    works = true;
    recovered.resolve();
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
    failAgain: () => {
      works = false;
    },
  };
}

function partsOf(statement: D1PreparedStatement): Parameters<Choice> {
  return [String(Reflect.get(statement, "statement")), Reflect.get(statement, "params") as unknown[]];
}
