/** An object's tables follow the code, and never go back. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { migrate } from "../../src/terminal/schema.ts";

/** Works on the tables of an object that nothing else uses; it has taken every step of the code. */
function withTables<Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  return runInDurableObject(env.TERMINAL.getByName(crypto.randomUUID()), (_object, { storage }) => work(storage));
}

function steps({ sql }: DurableObjectStorage): { position: number; id: string }[] {
  return sql.exec<{ position: number; id: string }>("SELECT position, id FROM migrations ORDER BY position").toArray();
}

describe("an object that wakes up", () => {
  it("has taken every step, each once, in their order", async () => {
    const taken = await withTables((storage) => {
      migrate(storage);
      return steps(storage);
    });
    expect(taken.length).toBeGreaterThan(2);
    expect(taken.map(({ position }) => position)).toEqual(taken.map((_, index) => index));
    expect(taken.map(({ id }) => id)).toEqual(taken.map(({ id }) => id).toSorted());
  });

  it("refuses to work with code that is older than its tables", async () => {
    const refusal = await withTables((storage) => {
      storage.sql.exec("INSERT INTO migrations (position, id) VALUES (?, '9999_of_newer_code')", steps(storage).length);
      return thrownBy(() => migrate(storage));
    });
    expect(refusal).toMatch(/^Error: migration [0-9]+ is 9999_of_newer_code in this object, not in the code$/);
  });

  it("refuses to work with code whose newest step is another one", async () => {
    const refusal = await withTables((storage) => {
      storage.sql.exec("UPDATE migrations SET id = '0003_of_other_code' WHERE position = ?", steps(storage).length - 1);
      return thrownBy(() => migrate(storage));
    });
    expect(refusal).toMatch(/is 0003_of_other_code in this object, not in the code$/);
  });
});

function thrownBy(work: () => void): string {
  try {
    work();
    return "nothing";
  } catch (error) {
    return String(error);
  }
}
