/** How long a terminal's object keeps what it has stored: 400 days, and at most two days more (`retention.ts`). */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { Retention } from "../../../../src/gateway/terminal/retention.ts";
import { Meter } from "../../../cost/counting.ts";
import { alarmOf, skip, useFakeClock } from "../../../support/clock.ts";
import { approved, reportedOpen, type Scene, useAccount } from "../../../support/scene.ts";
import { JOURNAL_PRUNE_ROWS } from "../../../../src/gateway/terminal/storage/journal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;
const LIFE = 400 * DAY;

/** 400 days with 50 sales. */
const FULL = 20_000;

function within<Result>({ terminal }: Scene, work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => work(storage));
}

/** Adds completed sales before those that the journal has, 50 a day; the newest is this old. Takes effect at a new start. */
async function fill(here: Scene, rows: number, age: number): Promise<void> {
  await within(here, ({ sql }) => {
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO transactions (request_id, pos_id, reference_id, trans_type, state, attempt, reached, received_at, body,
         completed_at)
       SELECT i, 'FORMER', 'R-' || i, 'sale', 'completed', 1, 1, ?2 - (?1 - i) * ?3, '{"format":1,"stages":[]}',
         ?2 - (?1 - i) * ?3 FROM n`,
      rows,
      Date.now() - age,
      DAY / 50,
    );
    // As the first of them has set it.
    const due = "(SELECT MIN(completed_at) FROM transactions) + ?";
    sql.exec(`UPDATE terminal SET record = json_set(record, '$.pruneAt', ${due})`, LIFE + DAY);
  });
  await here.crash();
}

/** The numbers of the rows that are left. */
function left(here: Scene): Promise<number[]> {
  return within(here, ({ sql }) =>
    sql
      .exec<{ request_id: number }>("SELECT request_id FROM transactions ORDER BY request_id")
      .toArray()
      .map((row) => row.request_id),
  );
}

/** A terminal whose connection has ended, and that has told everything that it owes. */
async function offline(): Promise<Scene> {
  const here = await scene();
  const connection = await here.connect();
  await connection.lose();
  await here.pass(10 * MINUTE);
  return here;
}

describe("a transaction", () => {
  it("is kept for 400 days, including for inquiries about it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    await connection.lose();
    await here.pass(LIFE);
    const pos = await here.posOfNow();
    expect((await pos.inquiry({ transId: request.transId })).body.statusCode).toBe("00");
  });
});

describe("a journal that is older than 400 days", () => {
  it("is gone within a day, in bounded steps, except pending transactions", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const open = [await reportedOpen(here, connection), await reportedOpen(here, connection)];
    await connection.lose();
    await here.pass(10 * MINUTE);
    skip(LIFE + 10 * DAY);
    await fill(here, FULL, LIFE + 1);
    const meter = await Meter.start(here.terminal.terminalId);
    const begun = Date.now();
    // Any turn sets the alarm: here, that of a connection.
    const back = await here.connect({ open: open.map(({ request }) => request.requestId) });
    await back.lose();
    const steps: { read: number; written: number }[] = [];
    for (let at = await alarmOf(here.terminal); at !== null; at = await alarmOf(here.terminal)) {
      if (at > Date.now()) vi.setSystemTime(at);
      meter.restart();
      await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId));
      const { objectRowsRead, objectRowsWritten } = meter.read();
      steps.push({ read: objectRowsRead, written: objectRowsWritten });
    }
    expect(await left(here)).toEqual(open.map(({ request }) => Number(request.requestId)));
    expect(Date.now() - begun).toBeLessThan(DAY + 10 * MINUTE);
    expect(steps.filter(({ written }) => written >= JOURNAL_PRUNE_ROWS)).toHaveLength(FULL / JOURNAL_PRUNE_ROWS);
    for (const { read, written } of steps) {
      // A row is looked at, and found thrice to be deleted, also by its reference.
      expect(read).toBeLessThan(4 * JOURNAL_PRUNE_ROWS + 100);
      expect(written).toBeLessThan(JOURNAL_PRUNE_ROWS + 20);
    }
  });
});

describe("the alarm for what turns 400 days old", () => {
  it("comes within a day, deletes it, and is set again", async ({ expect }) => {
    const here = await offline();
    const received: number[] = [];
    for (let sale = 0; sale < 3; sale++) {
      const pos = await here.posOfNow();
      expect((await pos.sale()).body.responseCode).toBe("TERMINAL_OFFLINE");
      received.push(Date.now());
      await here.pass(6 * 3_600 * SECOND);
    }
    const [first = 0] = received;
    const alarm = (await alarmOf(here.terminal)) ?? 0;
    expect(alarm).toBeGreaterThan(first + LIFE);
    expect(alarm).toBeLessThanOrEqual(first + LIFE + DAY);
    await here.pass(first + LIFE - Date.now());
    expect(await left(here)).toHaveLength(3);
    // One alarm deletes what a day has brought.
    await here.pass(DAY);
    expect(await left(here)).toEqual([]);
    expect(await alarmOf(here.terminal)).toBeNull();
  });
});

/** The number under which the next sale, which finds the terminal offline, is journaled. */
async function offlineSale(here: Scene): Promise<number> {
  const pos = await here.posOfNow();
  const body = pos.saleBody();
  const { responseCode } = (await pos.transfer(body)).body;
  if (responseCode !== "TERMINAL_OFFLINE") throw new Error(responseCode);
  return Number((await here.row(body["referenceId"])).requestId);
}

describe("a journal that is deleted to its last row", () => {
  it("gives none of its numbers out again after a restart", async ({ expect }) => {
    const here = await offline();
    const used: number[] = [];
    for (let sale = 0; sale < 3; sale++) used.push(await offlineSale(here));
    const pos = await here.posOfNow();
    await pos.inquiry({ referenceId: pos.reference() });
    used.push(Number((await here.journal())[0]?.requestId));
    // Nothing writes the object's own row between the last number and the deletion.
    await here.pass(10 * MINUTE);
    await here.crash();
    await here.pass(LIFE + 3 * DAY);
    expect(await left(here)).toEqual([]);
    await here.crash();
    expect(await offlineSale(here)).toBeGreaterThan(Math.max(...used));
  });
});

describe("an orphan result with a valid signature", () => {
  it("is kept for 400 days, and wakes its object then", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const stored = vi.spyOn(Retention.prototype, "stored");
    onTestFinished(() => stored.mockRestore());
    connection.result({ requestId: "9100000000" }, "00");
    await connection.next("error");
    expect(stored).toHaveBeenCalledOnce();
    const received = Date.now();
    await connection.lose();
    await here.pass(10 * MINUTE);
    expect(await alarmOf(here.terminal)).toBe(received + LIFE + DAY);
    await here.pass(LIFE - 10 * MINUTE);
    expect(await here.orphanResults()).toHaveLength(1);
    await here.pass(2 * DAY);
    expect(await here.orphanResults()).toEqual([]);
    expect(await alarmOf(here.terminal)).toBeNull();
  });
});
