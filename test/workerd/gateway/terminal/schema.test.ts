/** An object's tables follow the code; after a rollback, older code lives with them if it can. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { migrateObject, type Migration } from "../../../../src/gateway/durable/storage/migrate.ts";
import { TERMINAL_MIGRATIONS } from "../../../../src/gateway/terminal/storage/schema.ts";
import { approved, useAccount } from "../../../support/scene.ts";

const scene = useAccount();

/** Works on the tables of an object that nothing else uses; it has taken every step of the code. */
function withTables<Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  return runInDurableObject(env.TERMINAL.getByName(crypto.randomUUID()), (_object, { storage }) => {
    migrateObject(storage, TERMINAL_MIGRATIONS);
    return work(storage);
  });
}

function steps({ sql }: DurableObjectStorage): { position: number; id: string }[] {
  return sql.exec<{ position: number; id: string }>("SELECT position, id FROM migrations ORDER BY position").toArray();
}

describe("an object that wakes up", () => {
  it("has run every migration step, each once, in order", async () => {
    const taken = await withTables(steps);
    expect(taken).toHaveLength(TERMINAL_MIGRATIONS.length);
    expect(taken.map(({ position }) => position)).toEqual(taken.map((_, index) => index));
    expect(taken.map(({ id }) => id)).toEqual(taken.map(({ id }) => id).toSorted());
  });

  it("runs no migration step twice", async () => {
    const [before, after] = await withTables((storage) => {
      const taken = steps(storage);
      migrateObject(storage, TERMINAL_MIGRATIONS);
      return [taken, steps(storage)];
    });
    expect(after).toEqual(before);
  });

  it("refuses code that lacks its newest step that is not additive", async () => {
    const refusal = await withTables((storage) => {
      migrateObject(storage, [...TERMINAL_MIGRATIONS, newer("9998_more", true), newer("9999_other", false)]);
      return thrownBy(() => migrateObject(storage, TERMINAL_MIGRATIONS));
    });
    expect(refusal).toMatch(
      /^Error: this object has taken migration [0-9]+ \(9999_other\), which the code does not know/,
    );
  });

  it("refuses that code even if additive steps came later", async () => {
    const refusal = await withTables((storage) => {
      migrateObject(storage, [...TERMINAL_MIGRATIONS, newer("9998_other", false), newer("9999_more", true)]);
      return thrownBy(() => migrateObject(storage, TERMINAL_MIGRATIONS));
    });
    expect(refusal).toMatch(/9998_other/);
  });

  it("refuses code that has replaced a step already run", async () => {
    const refusal = await withTables((storage) => {
      const replaced = "UPDATE migrations SET id = '0005_of_other_code', additive = 1 WHERE position = ?";
      storage.sql.exec(replaced, steps(storage).length - 1);
      return thrownBy(() => migrateObject(storage, TERMINAL_MIGRATIONS));
    });
    expect(refusal).toMatch(/0005_of_other_code/);
  });
});

describe("an object that was rolled back", () => {
  it("sells with tables of further additive steps, losing no data", async () => {
    const here = await scene();
    const stub = () => env.TERMINAL.getByName(here.terminal.terminalId);
    await runInDurableObject(stub(), (_object, { storage }) => {
      migrateObject(storage, [...TERMINAL_MIGRATIONS, newer("9999_more", true)]);
      storage.sql.exec("UPDATE terminal SET colour = 'green'");
    });
    await abortAllDurableObjects();
    await approved(here, await here.connect());
    const [colour, positions] = await runInDurableObject(stub(), (_object, { storage }) => {
      // Rolled forward again: nothing is left to do.
      migrateObject(storage, [...TERMINAL_MIGRATIONS, newer("9999_more", true)]);
      return [storage.sql.exec("SELECT colour FROM terminal").one()["colour"], steps(storage).length] as const;
    });
    expect(colour).toBe("green");
    expect(positions).toBe(TERMINAL_MIGRATIONS.length + 1);
  });
});

/** A step of code that is newer than this. */
function newer(id: string, additive: boolean): Migration {
  const sql = `
    CREATE TABLE IF NOT EXISTS more (only INTEGER PRIMARY KEY) STRICT;
    ${id === "9999_more" && additive ? "ALTER TABLE terminal ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';" : ""}
    ${id === "9999_more" && additive ? "ALTER TABLE transactions ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';" : ""}`;
  return { id, additive, sql };
}

function thrownBy(work: () => void): string {
  try {
    work();
    return "nothing";
  } catch (error) {
    return String(error);
  }
}
