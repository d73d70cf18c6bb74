/** Webhook endpoints: what a restart leaves of them, and how often what they have taken is written. */
import { describe, it } from "vitest";
import { CURSOR_EVERY } from "../../../src/account/limits.ts";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import { type Endpoint, Webhooks } from "../../../src/account/storage/webhooks.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { newEndpoint } from "../samples.ts";

const NOW = 1_000_000;

const ENDPOINT = newEndpoint({ generation: 2, cursor: 3, skipped: 4 });

const FAILED: Endpoint = {
  ...ENDPOINT,
  id: 2,
  previousSecret: "sealed previous secret",
  previousSecretUntil: 11,
  failures: 5,
  failingSince: 12,
  retryAt: 13,
  attempts: [{ number: 4, at: 14, status: null, milliseconds: 15 }],
  disabledBy: "gone",
  disabledAt: 16,
};

function withEndpoints(...endpoints: Endpoint[]): { sql: SqlStorage; webhooks: Webhooks } {
  const sql = memoryStorage(MIGRATIONS);
  const webhooks = new Webhooks(sql);
  for (const endpoint of endpoints) webhooks.save(endpoint, NOW);
  return { sql, webhooks };
}

/** The cursors of the endpoints that an object would start with. */
function written(sql: SqlStorage): number[] {
  return new Webhooks(sql).all.map(({ cursor }) => cursor);
}

describe("an endpoint", () => {
  it("is there at once and after a restart, in the order of the numbers", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(FAILED, ENDPOINT);
    expect(webhooks.find(2)).toBe(FAILED);
    const restarted = new Webhooks(sql);
    expect(restarted.all).toEqual([ENDPOINT, FAILED]);
    expect(restarted.find(1)).toEqual(ENDPOINT);
    expect(restarted.find(3)).toBeNull();
  });

  it("that is removed is gone, also after a restart, and has nothing to write", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT, FAILED);
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    webhooks.remove(1);
    expect([webhooks.all, webhooks.nextSave]).toEqual([[FAILED], null]);
    expect(new Webhooks(sql).all).toEqual([FAILED]);
  });

  it("is as it was when its turn is undone", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT);
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    sql.exec("BEGIN");
    webhooks.save(FAILED, NOW);
    sql.exec("ROLLBACK");
    webhooks.rollBack();
    expect([webhooks.all, webhooks.nextSave]).toEqual([[ENDPOINT], null]);
  });
});

describe("what an endpoint has taken", () => {
  it("is known at once, and written at most every five seconds", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT);
    expect(webhooks.nextSave).toBeNull();
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW + CURSOR_EVERY - 1);
    expect(webhooks.find(1)?.cursor).toBe(4);
    expect(written(sql)).toEqual([3]);
    expect(webhooks.nextSave).toBe(NOW + CURSOR_EVERY);
    webhooks.note({ ...ENDPOINT, cursor: 5 }, NOW + CURSOR_EVERY);
    expect(written(sql)).toEqual([5]);
    expect(webhooks.nextSave).toBeNull();
  });

  it("is written when it is due, and then not again", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT);
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    webhooks.saveDue(NOW + CURSOR_EVERY - 1);
    expect(written(sql)).toEqual([3]);
    webhooks.saveDue(NOW + CURSOR_EVERY);
    expect(written(sql)).toEqual([4]);
    expect(webhooks.nextSave).toBeNull();
    webhooks.note({ ...ENDPOINT, cursor: 5 }, NOW + CURSOR_EVERY);
    expect(webhooks.nextSave).toBe(NOW + 2 * CURSOR_EVERY);
  });

  it("is written by a change, too", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT);
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    webhooks.save({ ...ENDPOINT, cursor: 4, host: "other.example.com" }, NOW + 1);
    expect(written(sql)).toEqual([4]);
    expect(webhooks.nextSave).toBeNull();
  });

  it("is written for each endpoint at its own time", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT);
    webhooks.save(FAILED, NOW + 1);
    webhooks.note({ ...FAILED, cursor: 4 }, NOW + 1);
    webhooks.note({ ...ENDPOINT, cursor: 5 }, NOW + 1);
    expect(webhooks.nextSave).toBe(NOW + CURSOR_EVERY);
    webhooks.saveDue(NOW + CURSOR_EVERY);
    expect(written(sql)).toEqual([5, 3]);
    expect(webhooks.nextSave).toBe(NOW + 1 + CURSOR_EVERY);
  });

  it("is written at once by an object that has started again", ({ expect }) => {
    const { sql } = withEndpoints(ENDPOINT);
    const webhooks = new Webhooks(sql);
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    expect(written(sql)).toEqual([4]);
  });

  it("costs no row where nothing is noted", ({ expect }) => {
    const { sql, webhooks } = withEndpoints(ENDPOINT, FAILED);
    sql.exec("UPDATE webhooks SET cursor = 9");
    webhooks.note({ ...ENDPOINT, cursor: 4 }, NOW);
    webhooks.saveDue(NOW + CURSOR_EVERY);
    expect(written(sql)).toEqual([4, 9]);
  });
});
