/**
 * Code that was rolled back, on storage that newer code has migrated: D1 and the account's object with additive steps
 * that this code does not know. For the terminal's object see test/workerd/gateway/terminal/schema.test.ts.
 */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { migrateObject, type Migration } from "../../../../src/gateway/durable/storage/migrate.ts";
import { createAccount, enrolTerminal, operator } from "../../../support/gateway.ts";
import { approved, useAccount } from "../../../support/scene.ts";
import { TABLES } from "../../../support/stored-rows.ts";

const scene = useAccount();

/**
 * A migration of D1 that this code does not know: in every table a column with a default, one that is null, an index.
 */
async function migrateD1Further(): Promise<string[]> {
  const { results } = await env.DATABASE.prepare(`${TABLES} AND name <> 'd1_migrations'`).all<{ name: string }>();
  const names = results.map(({ name }) => name);
  await env.DATABASE.batch(
    [
      "CREATE TABLE newer (only INTEGER PRIMARY KEY) STRICT",
      ...names.flatMap((name) => [
        `ALTER TABLE ${name} ADD COLUMN newer_mark TEXT NOT NULL DEFAULT 'kept'`,
        `ALTER TABLE ${name} ADD COLUMN newer_note INTEGER`,
        `CREATE INDEX newer_${name} ON ${name} (newer_mark, newer_note)`,
      ]),
    ].map((sql) => env.DATABASE.prepare(sql)),
  );
  return names;
}

/** A newer additive step of the account's object, with the same changes in each of its tables. */
function newerStep({ sql }: DurableObjectStorage): Migration {
  const names = sql.exec<{ name: string }>(`${TABLES} AND name <> 'migrations'`).toArray();
  const changes = names.flatMap(({ name }) => [
    `ALTER TABLE ${name} ADD COLUMN newer_mark TEXT NOT NULL DEFAULT 'kept';`,
    `ALTER TABLE ${name} ADD COLUMN newer_note INTEGER;`,
  ]);
  return {
    id: "9999_newer",
    additive: true,
    sql: ["CREATE TABLE newer (only INTEGER PRIMARY KEY) STRICT;", ...changes].join("\n"),
  };
}

describe("code that was rolled back", () => {
  it("works with a newer D1, and overwrites nothing unknown to it", async ({ expect }) => {
    const here = await scene();
    const { posId } = here.pos.account;
    const { terminalId } = here.terminal;
    const names = await migrateD1Further();
    expect(names).toEqual(
      expect.arrayContaining(["accounts", "terminals", "bind_keys", "audit_log", "channels", "shops"]),
    );
    await env.DATABASE.prepare("UPDATE accounts SET newer_mark = 'mine' WHERE pos_id = ?").bind(posId).run();
    await env.DATABASE.prepare("UPDATE terminals SET newer_mark = 'mine' WHERE terminal_id = ?").bind(terminalId).run();
    await approved(here, await here.connect());
    // Every kind of row is written and read: accounts, terminals, keys and lists for binding, channels, shops, audit rows.
    const changes = { name: "Rolled back" };
    expect((await operator("PATCH", `/operator/accounts/${posId}`, changes)).status).toBe(200);
    expect((await operator("PATCH", `/operator/terminals/${terminalId}`, changes)).status).toBe(200);
    const other = await createAccount();
    const prebound = await enrolTerminal();
    expect(prebound.terminalId).not.toBe(terminalId);
    const channel = { status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" };
    expect((await operator("PUT", "/operator/channels/Newer", channel)).status).toBe(201);
    expect((await operator("PUT", "/operator/shops/M-NEWER", { name: "Newer", timezone: "UTC" })).status).toBe(201);
    for (const path of ["accounts", "terminals", "channels", "shops", "audit"]) {
      const { status, body } = await operator("GET", `/operator/${path}`);
      expect([path, status, JSON.stringify(body).includes("newer_")]).toEqual([path, 200, false]);
    }
    expect((await operator("DELETE", `/operator/accounts/${other.posId}`)).status).toBe(200);
    const marks = await env.DATABASE.batch<{ newer_mark: string; name: string }>([
      env.DATABASE.prepare("SELECT newer_mark, name FROM accounts WHERE pos_id = ?").bind(posId),
      env.DATABASE.prepare("SELECT newer_mark, name FROM terminals WHERE terminal_id = ?").bind(terminalId),
    ]);
    const kept = { newer_mark: "mine", name: "Rolled back" };
    expect(marks.map(({ results }) => results)).toEqual([[kept], [kept]]);
  });

  it("sells at a newer account's object, and rolls forward again", async ({ expect }) => {
    const here = await scene();
    const stub = () => env.ACCOUNT.getByName(here.pos.account.posId);
    const connection = await here.connect();
    await approved(here, connection);
    const newer = await runInDurableObject(stub(), (_object, { storage }) => {
      const step = newerStep(storage);
      migrateObject(storage, [...ACCOUNT_MIGRATIONS, step]);
      storage.sql.exec("UPDATE events SET newer_mark = 'mine'");
      return step;
    });
    await abortAllDurableObjects();
    await approved(here, await here.connect());
    expect(
      (await operator("PATCH", `/operator/accounts/${here.pos.account.posId}`, { name: "Rolled back" })).status,
    ).toBe(200);
    const [marks, steps] = await runInDurableObject(stub(), (_object, { storage }) => {
      migrateObject(storage, [...ACCOUNT_MIGRATIONS, newer]);
      const { sql } = storage;
      return [
        sql.exec<{ newer_mark: string }>("SELECT newer_mark FROM events ORDER BY number").toArray(),
        sql.exec("SELECT id FROM migrations").toArray().length,
      ] as const;
    });
    expect(marks.slice(-2).map(({ newer_mark: mark }) => mark)).toEqual(["mine", "kept"]);
    expect(steps).toBe(ACCOUNT_MIGRATIONS.length + 1);
  });

  it("is refused by an object with a migration that is not additive", async ({ expect }) => {
    const { posId } = await createAccount();
    const refusal = await runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => {
      migrateObject(storage, [
        ...ACCOUNT_MIGRATIONS,
        { id: "9999_other", additive: false, sql: "CREATE TABLE other (only INTEGER);" },
      ]);
      try {
        migrateObject(storage, ACCOUNT_MIGRATIONS);
        return "works";
      } catch (error) {
        return String(error);
      }
    });
    expect(refusal).toContain("(9999_other), which the code does not know and which is not additive");
  });
});
