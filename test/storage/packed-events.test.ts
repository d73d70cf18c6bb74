/** Events are stored packed; those of before that are stored as texts. Both are delivered byte for byte (I7). */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { Events } from "../../src/account/storage/events.ts";
import { MIGRATIONS } from "../../src/account/storage/schema.ts";
import { migrate } from "../../src/objects/storage/migrate.ts";
import type { TransactionEvent } from "../../src/protocol/events.ts";
import { TABLES } from "../support/stored-rows.ts";

/** A body as only the gateway that recorded it would write it: readers compare bytes. */
function bodyOf(number: number): string {
  return `{"number":${number},"type":"transaction.settled","id":"evt_POS-1_${number}","data":{"transAmt":"12.50","cashAmt":null,"responseText":"\\u007fé"}}`;
}

/** The tables of an object that nothing else uses, as the steps before this one left them, with one event. */
function withOldEvent<Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  return runInDurableObject(env.ACCOUNT.getByName(crypto.randomUUID()), (_object, { storage }) => {
    const { sql } = storage;
    for (const { name } of sql.exec<{ name: string }>(TABLES).toArray()) sql.exec(`DROP TABLE ${name}`);
    const before = MIGRATIONS.findIndex(({ id }) => id === "0005_packed_events");
    migrate(storage, MIGRATIONS.slice(0, before));
    sql.exec("INSERT INTO events (number, at, type, body) VALUES (1, 0, 'transaction.settled', ?)", bodyOf(1));
    migrate(storage, MIGRATIONS);
    return work(storage);
  });
}

describe("an event from before bodies were packed", () => {
  it("is delivered with the same bytes, before new ones", async ({ expect }) => {
    const [one, page, read] = await withOldEvent(({ sql }) => {
      const events = new Events(sql);
      events.add(JSON.parse(bodyOf(2)) as TransactionEvent, 0, null);
      return [events.body(1), events.bodiesAfter(0, 10), events.after(0, 10)] as const;
    });
    expect(one).toBe(bodyOf(1));
    expect(page.map(({ number }) => number)).toEqual([1, 2]);
    expect(page[0]?.body).toBe(bodyOf(1));
    expect(page[1]?.body).toBe(JSON.stringify(JSON.parse(bodyOf(2))));
    expect(read.map(({ event }) => event)).toEqual([JSON.parse(bodyOf(1)), JSON.parse(bodyOf(2))]);
  });
});
