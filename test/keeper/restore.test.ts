/** D1 at an earlier time, as after a restore: the keeper notices, and every object tells D1 again what it knows. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, it, onTestFinished, vi } from "vitest";
import { keeperStub } from "../../src/rpc/keeper.ts";
import { skip, useFakeClock, waitForever } from "../support/clock.ts";
import { WALK_AGAIN, WALK_AT_ONCE } from "../../src/keeper/round.ts";
import { noteCreated } from "../../src/keeper/storage/tables.ts";
import type { Generation } from "../../src/storage/objects.ts";
import { bindTerminal, createAccount, enrolTerminal, operator, uniqueId } from "../support/gateway.ts";
import { lines, logged } from "../support/log-lines.ts";
import { reportedOpen, useAccount } from "../support/scene.ts";
import { eventually } from "../support/patience.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const HALF_A_MINUTE = 30 * SECOND;

const TABLES = [
  "accounts",
  "terminals",
  "bind_keys",
  "prebound_terminals",
  "channels",
  "shops",
  "audit_log",
  "unresolved",
  "number_blocks",
  "generation",
];

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

/** Whether the keeper's walk is not over. */
function isWalking(): Promise<boolean> {
  return runInDurableObject(
    env.KEEPER.getByName("keeper"),
    (_object, { storage }) => storage.sql.exec("SELECT kind FROM watch").one()["kind"] !== null,
  );
}

async function alarm(): Promise<number> {
  const stub = env.KEEPER.getByName("keeper");
  return runInDurableObject(stub, async (_object, { storage }) => (await storage.getAlarm()) ?? Infinity);
}

/** The keeper's alarm goes off at its time. */
async function wake(): Promise<void> {
  vi.setSystemTime(Math.max(await alarm(), Date.now()));
  await runDurableObjectAlarm(env.KEEPER.getByName("keeper"));
}

/** The keeper pauses: an alarm while a step goes on is only for a keeper that is reset meanwhile. */
function stepEnds(): Promise<void> {
  return eventually(() =>
    runInDurableObject(env.KEEPER.getByName("keeper"), (_object, { storage }) => {
      const { step_at: at } = storage.sql.exec<{ step_at: number }>("SELECT step_at FROM watch").one();
      if (at <= Date.now()) throw new Error("the step goes on");
    }),
  );
}

function generationInD1(): Promise<string | null> {
  return env.DATABASE.prepare("SELECT generation FROM generation").first<string>("generation");
}

/** Counts the steps through what D1 lists. */
function watchSteps() {
  const statements = Object.getPrototypeOf(env.DATABASE.prepare("SELECT 1")) as D1PreparedStatement;
  const all = vi.spyOn(statements, "all");
  onTestFinished(() => all.mockRestore());
  const asked = (): string[] => (all.mock.contexts as { statement: string }[]).map(({ statement }) => statement);
  return { all, steps: () => asked().filter((statement) => statement.includes("AS id, generation")).length };
}

/** The keeper looks at D1, as it does with each reservation and once a day, and walks through all objects. */
async function keep(): Promise<void> {
  await keeperStub(env).tick();
  const stub = env.KEEPER.getByName("keeper");
  // Each alarm is a step. Most objects tell D1 before the next walk begins.
  for (let steps = 0; steps < 100; steps++) {
    if (!(await isWalking())) return;
    skip(WALK_AGAIN);
    await runDurableObjectAlarm(stub);
    await scheduler.wait(10);
  }
}

// What the last restore has left undone must not happen in the tests of another file.
afterAll(keep);

describe("after a restore of D1", () => {
  it("an account is listed as it is now", async ({ expect }) => {
    const { posId } = await createAccount();
    await keep();
    const restore = await keepDatabase();
    await operator("PATCH", `/operator/accounts/${posId}`, { currency: "SGD" });
    await keep();
    await restore();
    // It was made so long ago that only D1 lists it.
    await runInDurableObject(env.KEEPER.getByName("keeper"), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM created");
    });
    expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "MYR" });
    await keep();
    await eventually(async () => expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "SGD" }));
  });

  it("an account that was deleted since then is listed as deleted, and a call about it says so", async ({ expect }) => {
    const { posId } = await createAccount();
    await keep();
    const restore = await keepDatabase();
    await operator("DELETE", `/operator/accounts/${posId}`);
    await keep();
    await restore();
    expect(await read(`/accounts/${posId}`)).toMatchObject({ status: "active" });
    await keep();
    await eventually(async () => expect(await read(`/accounts/${posId}`)).toMatchObject({ status: "deleted" }));
  });

  it("a payment that was completed since then is not listed as open, and one that is open stays", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    const [ended, open] = [await reportedOpen(here, connection), await reportedOpen(here, connection)];
    const listed = async (): Promise<string[]> => {
      const path = `/operator/unresolved?posId=${here.till.account.posId}`;
      const { body } = await operator<{ data: { requestId: string }[] }>("GET", path);
      return body.data.map(({ requestId }) => requestId);
    };
    await eventually(async () => expect(await listed()).toHaveLength(2));
    await keep();
    const restore = await keepDatabase();
    await here.resolve(ended.request.requestId, "11", "Not taken.");
    await eventually(async () => expect(await listed()).toEqual([open.request.requestId]));
    await keep();
    await restore();
    expect(await listed()).toHaveLength(2);
    await keep();
    await eventually(async () => expect(await listed()).toEqual([open.request.requestId]));
  });

  it("a terminal that was bound, or retired, since then is listed correctly", async ({ expect }) => {
    const other = await createAccount();
    const [bound, retired] = [await enrolTerminal(), await enrolTerminal()];
    await keep();
    const restore = await keepDatabase();
    await bindTerminal(other, bound);
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    await keep();
    await restore();
    expect(await read(`/terminals/${retired.terminalId}`)).toMatchObject({ status: "enrolled" });
    await keep();
    await eventually(async () => {
      expect(await read(`/terminals/${bound.terminalId}`)).toMatchObject({ posId: other.posId });
      expect(await read(`/terminals/${retired.terminalId}`)).toMatchObject({ status: "retired" });
    });
  });

  it("audit rows and blocks of numbers that objects have told since then are back, each once", async ({ expect }) => {
    await keep();
    const restore = await keepDatabase();
    const here = await scene();
    await here.unbind();
    const { terminalId } = here.terminal;
    const rows = async (): Promise<number[]> => {
      const [audit, blocks] = await env.DATABASE.batch<{ rows: number }>([
        env.DATABASE.prepare("SELECT COUNT(*) AS rows FROM audit_log WHERE target = ? AND object IS NOT NULL").bind(
          terminalId,
        ),
        env.DATABASE.prepare("SELECT COUNT(*) AS rows FROM number_blocks WHERE terminal_id = ?").bind(terminalId),
      ]);
      return [audit?.results[0]?.rows ?? 0, blocks?.results[0]?.rows ?? 0];
    };
    const before = await rows();
    expect(before).toEqual([2, 1]);
    await keep();
    const listed = await env.DATABASE.prepare("SELECT * FROM terminals WHERE terminal_id = ?").bind(terminalId).first();
    await restore();
    expect(await rows()).toEqual([0, 0]);
    // The restored D1 lists the terminal.
    const names = Object.keys(listed ?? {});
    await env.DATABASE.prepare(`INSERT INTO terminals (${names.join()}) VALUES (${names.map(() => "?").join()})`)
      .bind(...Object.values(listed ?? {}))
      .run();
    await keep();
    await eventually(async () => expect(await rows()).toEqual(before));
  });

  it("the walk ends when every listed object has told D1 everything, also one whose object knows nothing", async ({
    expect,
  }) => {
    const { terminalId } = await enrolTerminal();
    // More than a page.
    await env.DATABASE.prepare(
      `WITH RECURSIVE ghosts (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM ghosts WHERE number < ?1)
       INSERT INTO terminals SELECT ?2 || number, is_vt, merchant_id, name, status, created_at, sealed_under,
         version, generation, bound_pos_id, connected, silent, offline_since, last_heartbeat
       FROM terminals, ghosts WHERE terminal_id = ?3`,
    )
      .bind(WALK_AT_ONCE, uniqueId("ghost"), terminalId)
      .run();
    await keep();
    await env.DATABASE.prepare("UPDATE generation SET tick = 0").run();
    await eventually(async () => {
      await keep();
      const { results } = await env.DATABASE.prepare(
        `SELECT pos_id AS id FROM accounts, generation g WHERE accounts.generation <> g.generation
         UNION ALL SELECT terminal_id FROM terminals, generation g WHERE terminals.generation <> g.generation`,
      ).all();
      expect(results).toEqual([]);
      expect(await isWalking()).toBe(false);
    });
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id LIKE 'ghost%'").run();
  });

  it("an object that cannot be called is called again in the next walk", async ({ expect }) => {
    await keep();
    const restore = await keepDatabase();
    const { terminalId } = await enrolTerminal();
    await keep();
    await restore();
    const prototype = await runInDurableObject(env.TERMINAL.getByName(terminalId), (object) =>
      Object.getPrototypeOf(object),
    );
    const silent = vi.spyOn(prototype as { retell: () => Promise<boolean> }, "retell");
    silent.mockRejectedValue(new Error("no object answers"));
    onTestFinished(() => silent.mockRestore());
    const from = lines.length;
    await keeperStub(env).tick();
    await eventually(async () => {
      await wake();
      expect(logged("object-not-called", from)).toContainEqual(expect.objectContaining({ terminal: terminalId }));
    });
    silent.mockRestore();
    await keep();
    await eventually(async () => expect(await read(`/terminals/${terminalId}`)).toMatchObject({ status: "enrolled" }));
  });

  it("a step is taken every second, and the next walk begins ten minutes later", async ({ expect }) => {
    await keep();
    const { steps } = watchSteps();
    const from = Date.now();
    await keeperStub(env).retell(null);
    const until = (many: number) =>
      eventually(async () => {
        await stepEnds();
        if (steps() < many) await wake();
        expect(steps()).toBe(many);
      });
    // Accounts, then terminals.
    await until(2);
    expect(Date.now() - from).toBeLessThan(10 * SECOND);
    await until(3);
    expect(Date.now() - from).toBeGreaterThanOrEqual(WALK_AGAIN);
    expect(Date.now() - from).toBeLessThan(WALK_AGAIN + 20 * SECOND);
    await keep();
  });

  it("a step that D1 does not answer is repeated after half a minute, one at a time", async ({ expect }) => {
    waitForever();
    await keep();
    await keeperStub(env).retell(null);
    const { all, steps } = watchSteps();
    const { promise: slow, reject } = Promise.withResolvers<never>();
    slow.catch(() => undefined);
    all.mockReturnValue(slow);
    await eventually(async () => {
      await wake();
      expect(steps()).toBe(1);
    });
    // For a keeper that is reset meanwhile.
    expect(await alarm()).toBeGreaterThanOrEqual(Date.now() + SECOND);
    expect(await alarm()).toBeLessThanOrEqual(Date.now() + HALF_A_MINUTE);
    await wake();
    expect(steps()).toBe(1);
    const from = Date.now();
    all.mockRejectedValue(new Error("D1 does not answer"));
    reject(new Error("D1 does not answer"));
    await eventually(async () => {
      await stepEnds();
      if (steps() < 5) await wake();
      expect(steps()).toBe(5);
    });
    expect(Date.now() - from).toBe(4 * HALF_A_MINUTE);
    all.mockRestore();
    await keep();
    expect(await isWalking()).toBe(false);
  });

  it("a walk begins anew if D1 is restored again during it", async ({ expect }) => {
    waitForever();
    await keep();
    await keeperStub(env).retell(null);
    const { all, steps } = watchSteps();
    const { promise: slow, resolve } = Promise.withResolvers<{ results: [] }>();
    all.mockReturnValue(slow as Promise<never>);
    await eventually(async () => {
      await wake();
      expect(steps()).toBe(1);
    });
    await keeperStub(env).retell(null);
    all.mockRestore();
    resolve({ results: [] });
    await stepEnds();
    const at = await runInDurableObject(env.KEEPER.getByName("keeper"), (_object, { storage }) =>
      storage.sql.exec("SELECT kind, after, missed FROM watch").one(),
    );
    // It has looked at what was made lately.
    expect(at).toMatchObject({ kind: "account" });
    await keep();
  });

  it("an account and a terminal that were made since then are listed again, with merchant and name", async ({
    expect,
  }) => {
    await keep();
    const restore = await keepDatabase();
    // A page of others that were made, and whose objects know nothing.
    await runInDurableObject(env.KEEPER.getByName("keeper"), (_object, { storage }) => {
      for (let other = 0; other < WALK_AT_ONCE; other++) noteCreated(storage.sql, `account:- ${other}`, Date.now());
    });
    const { posId } = await createAccount();
    const { terminalId } = await enrolTerminal();
    const path = `/operator/terminals/${terminalId}`;
    await operator("PATCH", path, { merchantId: "M-new", name: "Counter 9" });
    const { createdAt, isVT } = await read(`/terminals/${terminalId}`);
    await keep();
    await restore();
    expect((await operator("GET", path)).status).toBe(404);
    await keep();
    await eventually(async () => {
      expect(await read(`/accounts/${posId}`)).toMatchObject({ status: "active" });
      expect(await read(`/terminals/${terminalId}`)).toMatchObject({
        merchantId: "M-new",
        name: "Counter 9",
        status: "enrolled",
        createdAt,
        isVT,
      });
    });
  });

  it("that nobody has noticed, an object finds that D1 lacks what it had confirmed, and all tell D1 again", async ({
    expect,
  }) => {
    const [found, other] = [await createAccount(), await createAccount()];
    await keep();
    const restore = await keepDatabase();
    for (const { posId } of [found, other]) await operator("PATCH", `/operator/accounts/${posId}`, { currency: "SGD" });
    await restore();
    // Its change names it only: the currency comes with all that it tells.
    await operator("PATCH", `/operator/accounts/${found.posId}`, { name: "Found" });
    await eventually(async () => {
      for (let steps = 0; (await isWalking()) && steps < 100; steps++) {
        skip(WALK_AGAIN);
        await runDurableObjectAlarm(env.KEEPER.getByName("keeper"));
      }
      expect(await read(`/accounts/${other.posId}`)).toMatchObject({ currency: "SGD" });
    });
  });

  it("a posId that was created since then is taken, and not listed until its object tells D1 again", async ({
    expect,
  }) => {
    const restore = await keepDatabase();
    const posId = uniqueId("pos");
    await createAccount({ posId });
    await restore();
    expect((await operator("GET", `/operator/accounts/${posId}`)).status).toBe(404);
    const terms = { posId, merchantId: "M-1", currency: "MYR", timezone: "UTC" };
    expect((await operator("POST", "/operator/accounts", terms)).status).toBe(409);
  });
});

describe("the keeper", () => {
  it("notices a restore once, when it looks or gives out numbers, and nothing otherwise", async ({ expect }) => {
    await keep();
    const [before, from] = [await generationInD1(), lines.length];
    const noticed = () => logged("database-restored", from).length;
    await keeperStub(env).tick();
    expect([await generationInD1(), noticed()]).toEqual([before, 0]);
    await env.DATABASE.prepare("UPDATE generation SET tick = 0").run();
    await Promise.all([keeperStub(env).tick(), keeperStub(env).tick(), keeperStub(env).tick()]);
    expect(noticed()).toBe(1);
    await env.DATABASE.prepare("UPDATE generation SET generation = 'of a copy'").run();
    await keeperStub(env).reserveNumbers(1, 0);
    await eventually(() => expect(noticed()).toBe(2));
    await keep();
  });
});

describe("objects that find a restore at the same time", () => {
  it("start one walk through all objects", async ({ expect }) => {
    await keep();
    const inD1 = await env.DATABASE.prepare("SELECT tick, generation FROM generation").first<Generation>();
    const found = inD1?.generation ?? "";
    const from = lines.length;
    await Promise.all([found, found, found].map((generation) => keeperStub(env).retell(generation)));
    expect(logged("database-restored", from)).toHaveLength(1);
  });
});

describe("an operator who doubts a list", () => {
  it("lets an account, a terminal, or all of them write what they know again", async ({ expect }) => {
    const [{ posId }, { terminalId }] = [await createAccount(), await enrolTerminal()];
    await keep();
    const spoil = () =>
      env.DATABASE.batch([
        env.DATABASE.prepare("UPDATE accounts SET currency = 'XXX' WHERE pos_id = ?").bind(posId),
        env.DATABASE.prepare("UPDATE terminals SET bound_pos_id = 'nobody' WHERE terminal_id = ?").bind(terminalId),
      ]);
    const areRight = async (): Promise<void> => {
      expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "MYR" });
      expect(await read(`/terminals/${terminalId}`)).toMatchObject({ posId: null });
    };
    await spoil();
    expect((await operator("POST", "/operator/retell", { id: posId })).body).toEqual({ objects: [`account:${posId}`] });
    const one = await operator("POST", "/operator/retell", { id: terminalId });
    expect(one.body).toEqual({ objects: [`terminal:${terminalId}`] });
    await eventually(areRight);
    await spoil();
    expect((await operator("POST", "/operator/retell")).body).toEqual({ objects: null });
    await keep();
    await eventually(areRight);
    expect((await operator("POST", "/operator/retell", { id: "nobody" })).status).toBe(404);
    const { body } = await operator<{ data: { target: string }[] }>("GET", "/operator/audit?action=retell");
    expect(body.data.slice(0, 3).map(({ target }) => target)).toEqual(["all", terminalId, posId]);
  });
});
