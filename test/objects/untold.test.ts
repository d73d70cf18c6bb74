/** What an object still owes its receivers, and in what portions D1 gets it. */
import { describe, it } from "vitest";
import { ROWS_AT_ONCE, TOLD_LIFE } from "../../src/objects/limits.ts";
import { OWING, OWING_COLUMNS, Untold, UNTOLD_TABLE } from "../../src/objects/storage/untold.ts";
import { Database, type Paced } from "../../src/objects/untold/receivers.ts";
import { D1, type Owing } from "../../src/objects/untold/teller.ts";
import { memoryStorage } from "../support/memory-storage.ts";

const NOW = Date.parse("2031-05-10T12:00:00Z");

const OWN = `CREATE TABLE own (${OWING_COLUMNS.join(", ")}) STRICT;`;

/** An object that owes nothing yet. */
function object() {
  const sql = memoryStorage([{ id: "0001_test", additive: false, sql: OWN + UNTOLD_TABLE }]);
  const owner = {
    target: "T-1",
    owing: OWING.initial,
    update: (members: { owing: Owing }) => void Object.assign(owner, members),
    defer: (members: { owing: Owing }) => void Object.assign(owner, members),
  };
  const untold = new Untold(sql, owner);
  const audit = (at: number) => untold.audit({ at, actor: "tester", action: "terminal.secret", details: {} });
  return { sql, owner, untold, audit };
}

describe("a receiver", () => {
  it("has a version once it lacks nothing up to it, whatever is newer or of others", ({ expect }) => {
    const { untold } = object();
    const first = untold.put("account:P10", "binding", null, NOW);
    const second = untold.put("account:P10", "contrary:1", "{}", NOW);
    const has = (receiver: string, version: number) => untold.isTold(receiver, version);
    expect([has("account:P10", first - 1), has("account:P10", first), has("account:P10", second)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([has("account:P1", second), has(D1, second)]).toEqual([true, true]);
  });

  it("that is D1 has a version of the state only with the state", ({ expect }) => {
    const { untold } = object();
    const first = untold.owe(NOW);
    expect(untold.isTold(D1, first)).toBe(false);
    untold.told(first, false);
    const second = untold.owe(NOW);
    expect([untold.isTold(D1, first), untold.isTold(D1, second)]).toEqual([true, false]);
    expect(untold.isTold("account:P1", second)).toBe(true);
  });
});

describe("rows that D1 has", () => {
  it("are told again after a restore for as long as D1 can be restored to before them", ({ expect }) => {
    const { untold, audit } = object();
    const takeAll = (now: number) => {
      for (const row of untold.of(D1)) untold.answered(row, "taken", now);
    };
    for (const at of [NOW, NOW + 1]) audit(at);
    takeAll(NOW + 1);
    audit(NOW + 1 + TOLD_LIFE);
    takeAll(NOW + 1 + TOLD_LIFE);
    expect(untold.of(D1)).toEqual([]);
    expect(untold.retell("after", NOW + 1 + TOLD_LIFE)).toBe(true);
    expect(untold.of(D1).map(({ version }) => version - NOW)).toEqual([1, 1 + TOLD_LIFE]);
  });
});

interface Statement {
  sql: string;
  values: unknown[];
}

/** Of a row: the milliseconds since `NOW`. */
function nameOf({ sql, values }: Statement): string {
  if (sql.startsWith("DELETE FROM untold")) return "all told";
  return sql.includes("audit_log") ? String(Number(values.at(-1)) - NOW) : sql;
}

const FIGURES = { sql: "figures", values: [] } as unknown as D1PreparedStatement;

/** The object's way to a D1 that takes everything, and what each batch to it had. */
function telling({ untold }: ReturnType<typeof object>, paced?: Paced) {
  const batches: string[][] = [];
  const database = {
    prepare: (sql: string) => ({ sql, values: [], bind: (...values: unknown[]) => ({ sql, values }) }),
    batch: async (statements: Statement[]) => {
      batches.push(statements.slice(1).map(nameOf));
      return statements.map(() => ({ results: [] }));
    },
  } as unknown as D1Database;
  const source = new Database({
    context: { waitUntil: () => undefined },
    database,
    untold,
    kind: "terminal",
    id: () => "T-1",
    state: () => [database.prepare("state")],
    restored: async () => undefined,
    ...(paced === undefined ? {} : { paced }),
  });
  const tell = async (now: number): Promise<string[] | undefined> => {
    const conclude = await source.tell(D1, now);
    conclude(now);
    return batches.shift();
  };
  return { tell };
}

const upTo = (count: number, from = 0): string[] =>
  Array.from({ length: count - from }, (_, index) => String(from + index));

describe("D1", () => {
  it("gets so many rows at once, then the state, and with the last of all its note of the object is deleted", async ({
    expect,
  }) => {
    for (const [rows, batches] of [
      [0, [["state", "all told"]]],
      [ROWS_AT_ONCE, [[...upTo(ROWS_AT_ONCE), "state", "all told"]]],
      [ROWS_AT_ONCE + 1, [upTo(ROWS_AT_ONCE), [String(ROWS_AT_ONCE), "state", "all told"]]],
    ] as const) {
      const here = object();
      for (let row = 0; row < rows; row++) here.audit(NOW + row);
      here.untold.owe(NOW + rows);
      const { tell } = telling(here);
      for (const batch of batches) expect(await tell(NOW + rows)).toEqual(batch);
    }
  });

  it("keeps its note while a row waits for its next attempt, and gets no row before that", async ({ expect }) => {
    const here = object();
    here.audit(NOW);
    const [row] = here.untold.of(D1);
    if (row === undefined) throw new Error("no row");
    here.untold.answered(row, "failed", NOW);
    const due = here.untold.of(D1)[0]?.notBefore ?? 0;
    expect(due).toBeGreaterThan(NOW);
    here.untold.owe(NOW);
    const { tell } = telling(here);
    expect(await tell(due - 1)).toEqual(["state"]);
    expect(await tell(due)).toEqual(["0", "all told"]);
  });

  it("keeps its note when it only gets figures, which come in their own time", async ({ expect }) => {
    const here = object();
    const paced: Paced = {
      waiting: () => ({ notBefore: NOW }),
      telling: () => ({ since: NOW, statements: [FIGURES], taken: () => {}, failed: () => {} }),
    };
    const { tell } = telling(here, paced);
    expect(await tell(NOW)).toEqual(["figures"]);
    expect(await tell(NOW - 1)).toBeUndefined();
  });
});
