/**
 * What the gateway relies on of an object's storage, and of D1. Tried on the local runtime: these tests do not prove
 * that the deployed platform does the same, nor that what is written survives the loss of a machine.
 */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { uniqueId } from "../../support/gateway.ts";

/** An object of its own, with a table to try things on. A new stub each time: an abort breaks those that there are. */
async function object() {
  const name = uniqueId("try");
  const stub = () => env.TERMINAL.getByName(name);
  await runInDurableObject(stub(), (_object, { storage }) => {
    storage.sql.exec("CREATE TABLE tried (id INTEGER PRIMARY KEY, value TEXT, number INTEGER) STRICT");
  });
  return stub;
}

function values({ sql }: DurableObjectStorage): unknown[] {
  return sql
    .exec<{ value: string | null }>("SELECT value FROM tried ORDER BY id")
    .toArray()
    .map(({ value }) => value);
}

describe("an object's SQL", () => {
  it("rolls back what transactionSync wrote before it threw", async ({ expect }) => {
    await runInDurableObject((await object())(), (_object, { storage }) => {
      const write = (): void => {
        storage.transactionSync(() => {
          storage.sql.exec("INSERT INTO tried (value) VALUES ('lost')");
          throw new RangeError("on purpose");
        });
      };
      expect(write).toThrow(RangeError);
      expect(values(storage)).toEqual([]);
    });
  });

  it("rolls back an inner transactionSync alone, if the outer one catches", async ({ expect }) => {
    await runInDurableObject((await object())(), (_object, { storage }) => {
      storage.transactionSync(() => {
        storage.sql.exec("INSERT INTO tried (value) VALUES ('outer')");
        try {
          storage.transactionSync(() => {
            storage.sql.exec("INSERT INTO tried (value) VALUES ('inner')");
            throw new Error("on purpose");
          });
        } catch {
          // Only the inner one's write is undone.
        }
      });
      expect(values(storage)).toEqual(["outer"]);
    });
  });

  it("reads members of JSON, by which the journal is pruned", async ({ expect }) => {
    await runInDurableObject((await object())(), (_object, { storage }) => {
      storage.sql.exec("INSERT INTO tried (value) VALUES (?)", JSON.stringify({ completedAt: 1_800_000_000_000 }));
      const { at } = storage.sql
        .exec<{ at: number }>("SELECT json_extract(value, '$.completedAt') AS at FROM tried")
        .one();
      expect(at).toBe(1_800_000_000_000);
    });
  });
});

describe("an object's alarm", () => {
  const HOUR = 3_600_000;

  it("is unique, moves when set again, and survives an eviction", async ({ expect }) => {
    const stub = await object();
    const at = Date.now() + 2 * HOUR;
    await runInDurableObject(stub(), async (_object, { storage }) => {
      await storage.setAlarm(at + HOUR);
      await storage.setAlarm(at);
    });
    await evictDurableObject(stub());
    await abortAllDurableObjects();
    await runInDurableObject(stub(), async (_object, { storage }) => expect(await storage.getAlarm()).toBe(at));
  });

  it("is gone while its handler runs, which may set another", async ({ expect }) => {
    const stub = await object();
    let seen: Promise<number | null> | undefined;
    await runInDurableObject(stub(), async (terminal, { storage }) => {
      await storage.setAlarm(Date.now() + HOUR);
      terminal.alarm = () => {
        seen = storage.getAlarm();
      };
    });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect(await seen).toBeNull();
    expect(await runDurableObjectAlarm(stub())).toBe(false);
  });
});

describe("D1", () => {
  it("undoes a batch in which one statement fails", async ({ expect }) => {
    const posId = uniqueId("pos");
    const insert = (position: number | null): D1PreparedStatement =>
      env.DATABASE.prepare("INSERT INTO prebound_terminals (pos_id, terminal_id, position) VALUES (?, ?, ?)").bind(
        posId,
        uniqueId("term"),
        position,
      );
    await expect(env.DATABASE.batch([insert(1), insert(null)])).rejects.toThrow(/NOT NULL/);
    const { results } = await env.DATABASE.prepare("SELECT 1 FROM prebound_terminals WHERE pos_id = ?")
      .bind(posId)
      .all();
    expect(results).toEqual([]);
  });
});
