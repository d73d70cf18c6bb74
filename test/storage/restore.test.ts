/** D1 at an earlier time, as after a restore: the effects and the fixes that the page for operators describes. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import { bindTerminal, createAccount, enrolTerminal, operator, uniqueId } from "../support/gateway.ts";
import { useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const TABLES = ["accounts", "terminals", "bind_keys", "prebound_terminals", "channels", "shops", "audit_log"];

type Row = Record<string, string | number | null>;

/** Keeps what D1 holds now; the result takes it back to that. */
async function keepDatabase(): Promise<() => Promise<void>> {
  const kept: [table: string, rows: Row[]][] = [];
  for (const table of TABLES) {
    kept.push([table, (await env.DATABASE.prepare(`SELECT * FROM ${table}`).all<Row>()).results]);
  }
  return async () => {
    const inserts = kept.flatMap(([table, rows]) =>
      rows.map((row) => {
        const names = Object.keys(row);
        const values = names.map(() => "?").join(", ");
        const insert = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values})`;
        return env.DATABASE.prepare(insert).bind(...Object.values(row));
      }),
    );
    await env.DATABASE.batch([...TABLES.map((table) => env.DATABASE.prepare(`DELETE FROM ${table}`)), ...inserts]);
  };
}

async function read(path: string): Promise<Record<string, unknown>> {
  return (await operator("GET", `/operator${path}`)).body;
}

describe("after a restore of D1", () => {
  it("an account is listed as it was before, and correctly after its next change", async ({ expect }) => {
    const { posId } = await createAccount();
    const restore = await keepDatabase();
    await operator("PATCH", `/operator/accounts/${posId}`, { currency: "SGD" });
    await restore();
    expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "MYR" });
    await operator("PATCH", `/operator/accounts/${posId}`, { name: "Corrected" });
    expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "SGD", name: "Corrected" });
  });

  it("a terminal that was bound since then sells, and is listed correctly after its next change", async ({
    expect,
  }) => {
    const here = await scene();
    const other = await createAccount();
    const terminal = await enrolTerminal();
    const restore = await keepDatabase();
    await bindTerminal(other, terminal);
    await restore();
    expect(await read(`/terminals/${terminal.terminalId}`)).toMatchObject({ posId: null });
    await operator("POST", `/operator/terminals/${terminal.terminalId}/secret`);
    expect(await read(`/terminals/${terminal.terminalId}`)).toMatchObject({ posId: other.posId });
    // And what existed before continues.
    const connection = await here.connect();
    const answer = here.till.transfer(here.till.saleBody());
    connection.result(await connection.acceptNext(), "11");
    expect((await answer).body["statusCode"]).toBe("11");
  });

  it("a terminal that was retired since then is listed as enrolled until it is retired again", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const restore = await keepDatabase();
    await operator("DELETE", `/operator/terminals/${terminalId}`);
    await restore();
    expect(await read(`/terminals/${terminalId}`)).toMatchObject({ status: "enrolled" });
    expect((await operator("DELETE", `/operator/terminals/${terminalId}`)).status).toBe(200);
    expect(await read(`/terminals/${terminalId}`)).toMatchObject({ status: "retired" });
  });

  it("a posId that was created since then is taken, and not listed", async ({ expect }) => {
    const restore = await keepDatabase();
    const posId = uniqueId("pos");
    await createAccount({ posId });
    await restore();
    expect((await operator("GET", `/operator/accounts/${posId}`)).status).toBe(404);
    const terms = { posId, merchantId: "M-1", currency: "MYR", timezone: "UTC" };
    expect((await operator("POST", "/operator/accounts", terms)).status).toBe(409);
  });
});
