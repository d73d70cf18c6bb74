/** D1 at an earlier time, as after a restore: an operator has every object write what it knows again. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, assert, describe, it, onTestFinished, vi } from "vitest";
import { coordinatorStub } from "../../../../src/gateway/coordinator/rpc.ts";
import { useFakeClock, waitForever } from "../../../support/clock.ts";
import { STEP_OBJECTS, STEP_RETRY } from "../../../../src/gateway/coordinator/sweep.ts";
import { noteCreated } from "../../../../src/gateway/coordinator/storage/tables.ts";
import { bindTerminal, createAccount, enrolTerminal, operator, uniqueId } from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { reportedOpen, useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

const TABLES = [
  "accounts",
  "terminals",
  "bind_keys",
  "activation_codes",
  "prebound_terminals",
  "channels",
  "shops",
  "audit_log",
  "pending",
  "number_blocks",
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

async function alarm(): Promise<number> {
  const stub = env.COORDINATOR.getByName("coordinator");
  return runInDurableObject(stub, async (_object, { storage }) => (await storage.getAlarm()) ?? Infinity);
}

/** The coordinator's alarm goes off at its time. */
async function wake(): Promise<void> {
  vi.setSystemTime(Math.max(await alarm(), Date.now()));
  await runDurableObjectAlarm(env.COORDINATOR.getByName("coordinator"));
}

/** The coordinator pauses: an alarm while a step goes on is only for a coordinator that is reset meanwhile. */
function stepEnds(): Promise<void> {
  return eventually(() =>
    runInDurableObject(env.COORDINATOR.getByName("coordinator"), (_object, { storage }) => {
      const { step_at: at } = storage.sql
        .exec<{ step_at: number }>("SELECT json_extract(record, '$.stepAt') AS step_at FROM watch")
        .one();
      if (at <= Date.now()) throw new Error("the step goes on");
    }),
  );
}

/** Counts the steps through what D1 lists. */
function watchSteps() {
  const statements = Object.getPrototypeOf(env.DATABASE.prepare("SELECT 1")) as D1PreparedStatement;
  const all = vi.spyOn(statements, "all");
  onTestFinished(() => all.mockRestore());
  const asked = (): string[] => (all.mock.contexts as { statement: string }[]).map(({ statement }) => statement);
  return {
    all,
    steps: () => asked().filter((statement) => /AS id FROM (?:accounts|terminals)/u.test(statement)).length,
  };
}

/** Every step of the resync that is running, and then what the objects have enqueued. */
async function finish(): Promise<void> {
  for (let steps = 0; steps < 100; steps++) {
    if ((await coordinatorStub(env).resyncProgress()).phase === null) return;
    await wake();
    await scheduler.wait(10);
  }
}

async function resync(): Promise<void> {
  assert.equal((await operator("POST", "/operator/resync")).status, 200);
  await finish();
}

// What is left undone must not happen in the tests of another file.
afterAll(finish);

describe("a resync after a restore of D1", () => {
  it("lists an account as it is now", async ({ expect }) => {
    const { posId } = await createAccount();
    const restore = await keepDatabase();
    await operator("PATCH", `/operator/accounts/${posId}`, { currency: "SGD" });
    await restore();
    // It was made so long ago that only D1 lists it.
    await runInDurableObject(env.COORDINATOR.getByName("coordinator"), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM created");
    });
    expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "MYR" });
    await resync();
    await eventually(async () => expect(await read(`/accounts/${posId}`)).toMatchObject({ currency: "SGD" }));
  });

  it("lists an account deleted since then as deleted", async ({ expect }) => {
    const { posId } = await createAccount();
    const restore = await keepDatabase();
    await operator("DELETE", `/operator/accounts/${posId}`);
    await restore();
    expect(await read(`/accounts/${posId}`)).toMatchObject({ status: "active" });
    await resync();
    await eventually(async () => expect(await read(`/accounts/${posId}`)).toMatchObject({ status: "deleted" }));
  });

  it("lists payments that are still pending, and no completed one", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const [ended, open] = [await reportedOpen(here, connection), await reportedOpen(here, connection)];
    const listed = async (): Promise<string[]> => {
      const path = `/operator/pending?posId=${here.pos.account.posId}`;
      const { body } = await operator<{ data: { requestId: string }[] }>("GET", path);
      return body.data.map(({ requestId }) => requestId);
    };
    await eventually(async () => expect(await listed()).toHaveLength(2));
    const restore = await keepDatabase();
    await here.resolve(ended.request.requestId, "11", "Not taken.");
    await eventually(async () => expect(await listed()).toEqual([open.request.requestId]));
    await restore();
    expect(await listed()).toHaveLength(2);
    await resync();
    await eventually(async () => expect(await listed()).toEqual([open.request.requestId]));
  });

  it("lists a terminal correctly that was bound or retired since then", async ({ expect }) => {
    const other = await createAccount();
    const [bound, retired] = [await enrolTerminal(), await enrolTerminal()];
    const restore = await keepDatabase();
    await bindTerminal(other, bound);
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    await restore();
    expect(await read(`/terminals/${retired.terminalId}`)).toMatchObject({ status: "enrolled" });
    await resync();
    await eventually(async () => {
      expect(await read(`/terminals/${bound.terminalId}`)).toMatchObject({ posId: other.posId });
      expect(await read(`/terminals/${retired.terminalId}`)).toMatchObject({ status: "retired" });
    });
  });

  it("restores audit rows and blocks of numbers, each once", async ({ expect }) => {
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
    const listed = await env.DATABASE.prepare("SELECT * FROM terminals WHERE terminal_id = ?").bind(terminalId).first();
    await restore();
    expect(await rows()).toEqual([0, 0]);
    // The restored D1 lists the terminal.
    const names = Object.keys(listed ?? {});
    await env.DATABASE.prepare(`INSERT INTO terminals (${names.join()}) VALUES (${names.map(() => "?").join()})`)
      .bind(...Object.values(listed ?? {}))
      .run();
    await resync();
    await eventually(async () => expect(await rows()).toEqual(before));
  });

  it("ends a row that no object confirms, unless it is new", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const [ghost, young] = [uniqueId("ghost"), uniqueId("young")];
    const copy = `INSERT INTO terminals SELECT ?1, is_vt, merchant_id, name, status, ?2, sealed_under,
      version, bound_pos_id, connected, silent, offline_since, last_heartbeat FROM terminals WHERE terminal_id = ?3`;
    await env.DATABASE.batch([
      env.DATABASE.prepare(copy).bind(ghost, Date.now() - DAY, terminalId),
      env.DATABASE.prepare(copy).bind(young, Date.now(), terminalId),
    ]);
    const from = lines.length;
    await resync();
    expect(await read(`/terminals/${ghost}`)).toMatchObject({ status: "retired" });
    for (const id of [young, terminalId]) expect(await read(`/terminals/${id}`)).toMatchObject({ status: "enrolled" });
    expect(logged("object_missing", from)).toContainEqual(expect.objectContaining({ terminal: ghost }));
    expect(await read("/resync")).toMatchObject({ running: null, missing: 2, failed: 0 });
    const { data } = await read(`/audit?target=${ghost}`);
    expect(data).toMatchObject([{ actor: "resync", action: "terminal.retire" }]);
    const again = await operator("POST", "/operator/terminals", { terminalId: ghost.toUpperCase(), isVT: 0 });
    expect(again.status).toBe(201);
    expect(await read(`/terminals/${ghost.toUpperCase()}`)).toMatchObject({ status: "enrolled" });
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id IN (?, ?)").bind(ghost, young).run();
  });

  it("counts an object that fails, and reaches it when repeated", async ({ expect }) => {
    const restore = await keepDatabase();
    const { terminalId } = await enrolTerminal();
    await restore();
    const prototype = await runInDurableObject(env.TERMINAL.getByName(terminalId), (object) =>
      Object.getPrototypeOf(object),
    );
    const silent = vi.spyOn(prototype as { resync: () => Promise<boolean> }, "resync");
    silent.mockRejectedValue(new Error("no object answers"));
    onTestFinished(() => silent.mockRestore());
    const from = lines.length;
    await resync();
    expect(logged("object_not_called", from)).toContainEqual(expect.objectContaining({ terminal: terminalId }));
    expect(Number((await read("/resync"))["failed"])).toBeGreaterThan(0);
    silent.mockRestore();
    await resync();
    await eventually(async () => expect(await read(`/terminals/${terminalId}`)).toMatchObject({ status: "enrolled" }));
  });

  it("takes a step every second, and ends", async ({ expect }) => {
    const { steps } = watchSteps();
    const { startedAt: before } = await coordinatorStub(env).resyncProgress();
    const from = Date.now();
    await resync();
    // Those made lately, accounts, terminals.
    expect(steps()).toBe(2);
    expect(Date.now() - from).toBeLessThan(10 * SECOND);
    const progress = await coordinatorStub(env).resyncProgress();
    expect(progress.phase).toBeNull();
    expect(progress.startedAt).toBeGreaterThan(before ?? 0);
    expect(progress.endedAt).toBeGreaterThan(from);
    expect(progress.resynced).toBeGreaterThan(0);
  });

  it("stops where it is", async ({ expect }) => {
    await operator("POST", "/operator/resync");
    expect((await read("/resync"))["running"]).not.toBeNull();
    const { body } = await operator("DELETE", "/operator/resync");
    expect(body).toMatchObject({ running: null, objects: null });
    expect(body["endedAt"]).not.toBeNull();
    const { steps } = watchSteps();
    vi.setSystemTime(Date.now() + 10 * SECOND);
    await runDurableObjectAlarm(env.COORDINATOR.getByName("coordinator"));
    expect(steps()).toBe(0);
  });

  it("repeats a step after half a minute if D1 does not answer", async ({ expect }) => {
    waitForever();
    await coordinatorStub(env).startResync();
    const { all, steps } = watchSteps();
    const { promise: slow, reject } = Promise.withResolvers<never>();
    slow.catch(() => undefined);
    all.mockReturnValue(slow);
    await eventually(async () => {
      await wake();
      expect(steps()).toBe(1);
    });
    // For a coordinator that is reset meanwhile.
    expect(await alarm()).toBeLessThanOrEqual(Date.now() + STEP_RETRY);
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
    expect(Date.now() - from).toBe(4 * STEP_RETRY);
    all.mockRestore();
    await finish();
  });

  it("begins again if it is started while it runs", async ({ expect }) => {
    waitForever();
    await coordinatorStub(env).startResync();
    const { all, steps } = watchSteps();
    const { promise: slow, resolve } = Promise.withResolvers<{ results: [] }>();
    all.mockReturnValue(slow as Promise<never>);
    await eventually(async () => {
      await wake();
      expect(steps()).toBe(1);
    });
    await coordinatorStub(env).startResync();
    all.mockRestore();
    resolve({ results: [] });
    await eventually(async () => expect((await coordinatorStub(env).resyncProgress()).phase).not.toBe("terminal"));
    await finish();
  });

  it("lists again what was made since then, with merchant and name", async ({ expect }) => {
    const restore = await keepDatabase();
    // A page of others that were made, and whose objects know nothing.
    await runInDurableObject(env.COORDINATOR.getByName("coordinator"), (_object, { storage }) => {
      for (let other = 0; other < STEP_OBJECTS; other++) noteCreated(storage.sql, `account:- ${other}`, Date.now());
    });
    const { posId } = await createAccount();
    const { terminalId } = await enrolTerminal();
    const path = `/operator/terminals/${terminalId}`;
    await operator("PATCH", path, { merchantId: "M-new", name: "Counter 9" });
    const { createdAt, isVT } = await read(`/terminals/${terminalId}`);
    await restore();
    expect((await operator("GET", path)).status).toBe(404);
    await resync();
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

  it("keeps a new posId taken until its object reports it", async ({ expect }) => {
    const restore = await keepDatabase();
    const posId = uniqueId("pos");
    await createAccount({ posId });
    await restore();
    expect((await operator("GET", `/operator/accounts/${posId}`)).status).toBe(404);
    const terms = { posId, merchantId: "M-1", currency: "MYR", timezone: "UTC" };
    expect((await operator("POST", "/operator/accounts", terms)).status).toBe(409);
  });
});

describe("an operator's resync after a doubt about a list", () => {
  it("makes an account, a terminal, or all of them write again", async ({ expect }) => {
    const [{ posId }, { terminalId }] = [await createAccount(), await enrolTerminal()];
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
    const { body: first } = await operator("POST", "/operator/resync", { id: posId });
    expect(first).toMatchObject({ objects: [`account:${posId}`], running: null });
    const one = await operator("POST", "/operator/resync", { id: terminalId });
    expect(one.body).toMatchObject({ objects: [`terminal:${terminalId}`] });
    await eventually(areRight);
    await spoil();
    expect((await operator("POST", "/operator/resync")).body).toMatchObject({ objects: null, running: "created" });
    await finish();
    await eventually(areRight);
    expect((await operator("POST", "/operator/resync", { id: "nobody" })).status).toBe(404);
    const { body } = await operator<{ data: { target: string }[] }>("GET", "/operator/audit?action=resync");
    expect(body.data.map(({ target }) => target)).toEqual(expect.arrayContaining(["all", terminalId, posId]));
  });
});
