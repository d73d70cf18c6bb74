/** What an object still owes its receivers, and in what portions D1 gets it. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ROWS_AT_ONCE, SAFETY, TOLD_AT_ONCE, TOLD_LIFE } from "../../src/objects/limits.ts";
import { OWING, OWING_COLUMNS, Untold, UNTOLD_TABLE } from "../../src/objects/storage/untold.ts";
import { Database, Objects, type Paced } from "../../src/objects/untold/receivers.ts";
import { type Answer, D1, type Owing, type Source, Teller, type Waiting } from "../../src/objects/untold/teller.ts";
import type { Turns } from "../../src/objects/turns.ts";
import { memoryStorage } from "../support/memory-storage.ts";

const NOW = Date.parse("2031-05-10T12:00:00Z");

const OWN = `CREATE TABLE own (${OWING_COLUMNS.join(", ")}) STRICT;`;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

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
    untold.told(first);
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
    // Only the last state of it counts.
    untold.put(D1, "unresolved:1", "{}", NOW + 1);
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
function telling({ untold }: ReturnType<typeof object>, paced?: Paced, failing: object = {}) {
  const batches: string[][] = [];
  const database = {
    prepare: (sql: string) => ({ sql, values: [], bind: (...values: unknown[]) => ({ sql, values, ...failing }) }),
    batch: async (statements: Statement[]) => {
      batches.push(statements.slice(1).map(nameOf));
      return statements.map(() => ({ results: [] }));
    },
    ...failing,
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

const fails = () => Promise.reject(new Error("D1 fails"));

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

  it("that takes nothing at all is asked once, and one that takes a note of the failure is asked for each half", async ({
    expect,
  }) => {
    for (const [takesNotes, times] of [
      [false, 1],
      [true, 3],
    ] as const) {
      const here = object();
      for (const row of [0, 1]) here.audit(NOW + row);
      const asked = vi.fn(fails);
      const { tell } = telling(here, undefined, { batch: asked, run: takesNotes ? async () => ({}) : fails });
      await tell(NOW + 1);
      expect(asked).toHaveBeenCalledTimes(times);
      expect(here.untold.of(D1)).toHaveLength(2);
    }
  });

  it("that refuses one row gets the others, and that one only later", async ({ expect }) => {
    const here = object();
    for (const row of [0, 1, 2]) here.audit(NOW + row);
    const batch = async (statements: Statement[]) => {
      if (statements.some(({ values }) => values.at(-1) === NOW + 1)) throw new Error("no such row");
      return statements.map(() => ({ results: [] }));
    };
    await telling(here, undefined, { batch, run: async () => ({}) }).tell(NOW + 2);
    expect(vi.mocked(console.error).mock.calls).toEqual([[expect.stringContaining("telling-refused")]]);
    expect(here.untold.of(D1)).toMatchObject([{ version: NOW + 1 }]);
    expect(here.untold.of(D1)[0]?.notBefore).toBeGreaterThan(NOW + 2);
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

describe("another object", () => {
  it("is told its oldest row that is due, and only a refusal is logged", async ({ expect }) => {
    const { untold } = object();
    const told: string[] = [];
    let answer: Answer = "later";
    const source = new Objects({
      untold,
      kind: "account",
      about: () => ({ terminal: "T-1" }),
      tell: async (id, { topic }) => {
        told.push(`${id} ${topic}`);
        return () => answer;
      },
    });
    const tell = async (): Promise<void> => {
      const conclude = await source.tell("account:P1", NOW);
      conclude(NOW);
    };
    untold.put("account:P2", "binding", null, NOW);
    for (const topic of ["contrary:1", "contrary:2", "binding"]) untold.put("account:P1", topic, null, NOW);
    await tell();
    answer = "taken";
    await tell();
    answer = "refused";
    await tell();
    // Nothing is due any more.
    await tell();
    expect(told).toEqual(["P1 contrary:1", "P1 contrary:2", "P1 binding"]);
    // What is stored.
    untold.rollBack();
    expect(untold.of("account:").map(({ receiver, topic }) => `${receiver} ${topic}`)).toEqual([
      "account:P2 binding",
      "account:P1 contrary:1",
    ]);
    const lines = vi.mocked(console.log).mock.calls.map(([line]) => JSON.parse(String(line)) as object);
    expect(lines).toMatchObject([{ level: "warning", event: "binding-refused", terminal: "T-1", account: "P1" }]);
  });
});

/** Tells these receivers, and each never answers until the test says so. */
function tellerOf(waiting: ReadonlyMap<string, Waiting>) {
  const answers = new Map<string, () => void>();
  const source: Source = {
    name: "test",
    waiting: () => waiting,
    tell: (receiver) => new Promise((resolve) => void answers.set(receiver, () => resolve(() => undefined))),
  };
  const turns = { take: (work: (now: number) => void) => work(NOW) } as unknown as Turns;
  const teller = new Teller({ context: { waitUntil: () => undefined }, turns, sources: [source] });
  return { teller, source, answers };
}

describe("the alarm for a receiver", () => {
  it.for([
    [{ notBefore: NOW + 5 }, 5],
    [{ notBefore: NOW + 5, wakeAt: NOW + 9 }, 9],
    [{ notBefore: NOW + 5, wakeAt: NOW - 9 }, 1],
    [{ notBefore: NOW }, SAFETY],
    [{ notBefore: NOW, alarmBy: NOW }, SAFETY],
    [{ notBefore: NOW, alarmBy: NOW + 1 }, null],
  ])("is at its time, or a while after an attempt that may be lost: %j, %j", ([waiting, after], { expect }) => {
    const { teller } = tellerOf(new Map([["r", waiting as Waiting]]));
    expect(teller.nextDeadline(NOW)).toBe(after === null ? null : NOW + Number(after));
  });

  it("is a while after an attempt began, whenever the next one may be", ({ expect }) => {
    const waiting = new Map([["r", { notBefore: NOW }]]);
    const { teller } = tellerOf(waiting);
    teller.start(NOW);
    waiting.set("r", { notBefore: NOW + 5 });
    expect(teller.nextDeadline(NOW)).toBe(NOW + SAFETY);
  });
});

describe("who is told first", () => {
  it("is who has waited longest; one that has failed goes last", ({ expect }) => {
    const names = Array.from({ length: TOLD_AT_ONCE + 1 }, (_, index) => `r${index}`);
    const [failed, ...others] = names;
    const waiting = new Map(names.map((name) => [name, { notBefore: name === failed ? NOW : NOW - 1 }]));
    const { teller, answers } = tellerOf(waiting);
    teller.start(NOW);
    expect([...answers.keys()]).toEqual(others);
  });
});

describe("who waits until a change is told", () => {
  it("waits for no other receiver", async ({ expect }) => {
    const receivers = ["meant", "silent"];
    const { teller, source, answers } = tellerOf(new Map(receivers.map((name) => [name, { notBefore: NOW }])));
    teller.start(NOW);
    let isTold = false;
    const waits = teller.awaitTold(source, 3_600_000, () => isTold);
    isTold = true;
    answers.get("meant")?.();
    expect(await waits).toBeUndefined();
  });
});
