/** I7: every outcome is recorded at its account, whatever fails in between, and no till waits for it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { terminalStub } from "../../src/rpc/terminal.ts";
import { Journal } from "../../src/terminal/storage/journal.ts";
import { alarmOf, skip, useFakeClock } from "../support/clock.ts";
import { bind, accessToken, createAccount } from "../support/gateway.ts";
import { RecordCalls, recordedBy } from "../support/record-calls.ts";
import { approved, reportedOpen, type Scene, Till, useAccount } from "../support/scene.ts";
import { eventually } from "../support/patience.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;

/** Fires the object's alarm at its time, and waits until what it starts has come to rest. */
async function nextAlarm({ terminal }: Scene): Promise<number> {
  const alarm = (await alarmOf(terminal)) ?? 0;
  if (alarm > Date.now()) skip(alarm - Date.now());
  await runDurableObjectAlarm(env.TERMINAL.getByName(terminal.terminalId));
  await scheduler.wait(20);
  return alarm;
}

/** What the account has recorded: `number status`, in the order recorded. */
function recorded({ till }: Scene): Promise<string[]> {
  return recordedBy(till.account.posId);
}

/** How many earlier rows the newest one names. */
function namesOfNewest({ terminal }: Scene): Promise<number> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    const { open_before } = storage.sql
      .exec<{ open_before: string | null }>("SELECT open_before FROM transactions ORDER BY request_id DESC LIMIT 1")
      .one();
    return open_before === null ? 0 : (JSON.parse(open_before) as number[]).length;
  });
}

describe("an outcome", () => {
  it("is reported again when the answer is lost, and is recorded once", async () => {
    const here = await scene();
    const records = new RecordCalls("lose");
    const { request } = await approved(here, await here.connect());
    await records.until(1);
    const first = Number(request.requestId);
    expect(await alarmOf(here.terminal)).toBeLessThanOrEqual(Date.now() + SECOND);
    records.become(null);
    await nextAlarm(here);
    await records.until(2);
    expect(records.told(first)).toEqual(["0 1 00", "0 1 00"]);
    expect((await recorded(here)).filter((event) => event.startsWith(request.requestId))).toHaveLength(1);
    await here.pass(10 * MINUTE);
    expect(records.calls).toHaveLength(2);
    expect(await alarmOf(here.terminal)).toBeNull();
  });

  it.each(["fail", "hang"] as const)("delays no answer while the account's object does %s", async (trouble) => {
    const here = await scene();
    const records = new RecordCalls(trouble);
    const connection = await here.connect();
    const began = performance.now();
    const answers = [await approved(here, connection), await approved(here, connection)];
    expect(performance.now() - began).toBeLessThan(9 * SECOND);
    expect(answers.map(({ answer }) => answer.body.statusCode)).toEqual(["00", "00"]);
    expect(await alarmOf(here.terminal)).toBeGreaterThan(Date.now());
    records.become(null);
    await here.pass(5 * MINUTE);
    await scheduler.wait(50);
    for (const { request } of answers) {
      const events = (await recorded(here)).filter((event) => event.startsWith(request.requestId));
      expect(events).toHaveLength(1);
    }
  });

  it("keeps an alarm while its call hangs, even after the lane's own alarms have fired", async () => {
    const here = await scene();
    const records = new RecordCalls("hang");
    await approved(here, await here.connect());
    await records.until(1);
    for (let alarms = 0; alarms < 4; alarms++) {
      await nextAlarm(here);
      expect(await alarmOf(here.terminal)).toBeGreaterThan(Date.now());
    }
    expect(records.calls).toHaveLength(1);
  });

  it("is reported without limit, after pauses that grow to five minutes", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    await approved(here, await here.connect());
    await records.until(1);
    for (let tries = 0; tries < 18; tries++) expect(await nextAlarm(here)).toBeGreaterThan(0);
    const pauses = records.calls.slice(1).map(({ at }, index) => (at - (records.calls[index]?.at ?? 0)) / SECOND);
    const tried = pauses.filter((pause) => pause > 0);
    expect(tried[0]).toBeLessThan(2);
    let age = 0;
    for (const pause of tried) {
      const bound = Math.min(Math.max(age, 1), 300);
      expect(pause).toBeGreaterThanOrEqual(bound / 2);
      expect(pause).toBeLessThanOrEqual(1.1 * bound);
      age += pause;
    }
    expect(age).toBeGreaterThan(1_000);
    // It sleeps in between, and forgets how often it has tried.
    await here.sleep();
    await nextAlarm(here);
    expect((await alarmOf(here.terminal)) ?? 0).toBeGreaterThan(Date.now() + 2 * MINUTE);
  });

  it("is reported by an object that was reset at its next alarm, and not before", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const { request } = await approved(here, await here.connect());
    await records.until(1);
    records.become(null);
    await here.crash();
    await terminalStub(env, here.terminal.terminalId).status();
    await here.pass(0);
    expect(records.calls).toHaveLength(1);
    await nextAlarm(here);
    await records.until(2);
    expect(records.told(Number(request.requestId))).toEqual(["0 1 00", "0 1 00"]);
    expect((await recorded(here)).filter((event) => event.startsWith(request.requestId))).toHaveLength(1);
  });

  it("is reported once if the object only sleeps, and the next row lists no earlier one", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    await records.until(1);
    for (let sale = 2; sale <= 4; sale++) {
      await here.sleep();
      await approved(here, connection);
      await records.until(sale);
      expect(await namesOfNewest(here)).toBe(0);
    }
    expect(records.told(Number(request.requestId))).toEqual(["0 1 00", "1 1 00", "2 1 00", "3 1 00"]);
  });

  it("is reported by an object that has slept, also if everything before it was recorded", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    await approved(here, connection);
    await records.until(1);
    records.become("fail");
    const { request } = await approved(here, connection);
    await records.until(2);
    await here.sleep();
    records.become(null);
    await nextAlarm(here);
    await eventually(async () => expect(await recorded(here)).toContain(`${request.requestId} 00`));
  });

  it("that an earlier instance left is reported although it could not be read at first", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    await records.until(1);
    await here.sleep();
    records.become(null);
    const tail = vi.spyOn(Journal.prototype, "tail").mockImplementationOnce(() => {
      throw new Error("the disk is broken");
    });
    onTestFinished(() => tail.mockRestore());
    await approved(here, connection);
    await records.until(2);
    expect(records.calls[1]?.entries).toHaveLength(1);
    await here.sleep();
    await nextAlarm(here);
    await eventually(async () => expect(await recorded(here)).toContain(`${request.requestId} 00`));
  });

  it("is reported again together with the next one by an object that was reset, which changes nothing", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const { request } = await approved(here, await here.connect());
    await records.until(1);
    await here.crash();
    await approved(here, await here.connect());
    await records.until(2);
    const first = Number(request.requestId);
    expect(records.told(first)).toEqual(["0 1 00", "0 1 00", "1 1 00"]);
    const events = await recorded(here);
    expect(events.filter((event) => event.startsWith(request.requestId))).toHaveLength(1);
  });

  it("is reported as soon as it changes, also while another one waits for the next attempt", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const connection = await here.connect();
    const { request } = await reportedOpen(here, connection);
    await records.until(1);
    await approved(here, connection);
    await records.until(2);
    records.become(null);
    await here.settle(connection, request);
    await records.until(3);
    expect(records.told(Number(request.requestId)).slice(-2)).toEqual(["0 2 00", "1 1 00"]);
  });

  it("that changed while its call failed is reported at once", async () => {
    const here = await scene();
    const records = new RecordCalls("hang");
    const connection = await here.connect();
    const { request } = await reportedOpen(here, connection);
    await records.until(1);
    await here.settle(connection, request);
    expect(records.calls).toHaveLength(1);
    records.become("fail");
    await records.until(2);
    expect(records.told(Number(request.requestId))).toEqual(["0 1 22", "0 2 00"]);
  });

  it("is not reported any more once its account may have forgotten it, a day before the journal does", async () => {
    const records = new RecordCalls();
    for (const [age, reported] of [
      [JOURNAL_LIFE - DAY, 2],
      [JOURNAL_LIFE - DAY + 1, 1],
    ] as const) {
      const here = await scene();
      const before = records.calls.length;
      await here.till.sale();
      await records.until(before + 1);
      skip(age);
      await here.crash();
      await (await here.tillOfNow()).sale();
      await records.until(before + 2);
      expect(records.calls.at(-1)?.entries).toHaveLength(reported);
    }
  });

  it("that the account cannot record delays no other", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const first = Number((await approved(here, connection)).request.requestId);
    await records.until(1);
    records.refuses = ({ requestId }) => requestId === first + 1;
    await approved(here, connection);
    await records.until(2);
    await approved(here, connection);
    await records.until(3);
    expect(records.told(first)).toEqual(["0 1 00", "1 1 00", "2 1 00"]);
    records.refuses = () => false;
    await nextAlarm(here);
    await records.until(4);
    expect(records.told(first).slice(3)).toEqual(["1 1 00"]);
    // Also by an object that has slept since.
    records.refuses = () => true;
    await approved(here, connection);
    await records.until(5);
    await here.sleep();
    records.refuses = () => false;
    await nextAlarm(here);
    await records.until(6);
    expect(records.told(first).slice(4)).toEqual(["3 1 00", "3 1 00"]);
  });
});

describe("a transaction whose end passes while it is open", () => {
  it("is recorded as 22 at its end, and as 00 days later", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const { connection, answer, request } = await here.accepted();
    await here.pass(91 * SECOND);
    expect((await answer).body.statusCode).toBe("22");
    await records.until(1);
    await connection.lose();
    skip(3 * DAY);
    const back = await here.connect({ open: [request.requestId] });
    await here.settle(back, request);
    await eventually(() => expect(records.told(Number(request.requestId))).toContain("0 2 00"));
    expect(new Set(records.told(Number(request.requestId)))).toEqual(new Set(["0 1 22", "0 2 00"]));
    const events = (await recorded(here)).filter((event) => event.startsWith(request.requestId));
    expect(events).toEqual([`${request.requestId} 22`, `${request.requestId} 00`]);
  });

  it("makes no new event each time it is asked about", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const { body, request } = await reportedOpen(here, connection);
    await records.until(1);
    skip(6 * SECOND);
    const asked = here.till.transfer(body);
    await connection.next("ask");
    connection.result(request, "22");
    expect((await asked).body.statusCode).toBe("22");
    await here.pass(5 * MINUTE);
    expect(records.told(Number(request.requestId))).toEqual(["0 1 22"]);
  });
});

describe("transactions of two accounts at one terminal", () => {
  it("are each recorded at the account that made them", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const { request } = await reportedOpen(here, connection);
    const other = await createAccount();
    const token = await accessToken(other);
    await bind(token, here.terminal);
    const there = new Till(other, here.terminal, token, here.books);
    const answer = there.sale();
    const second = await connection.acceptNext();
    here.approve(connection, second);
    expect((await answer).body.statusCode).toBe("00");
    await here.settle(connection, request);
    await records.until(3);
    const { posId } = here.till.account;
    expect((await recordedBy(posId)).filter((event) => event.startsWith(request.requestId))).toHaveLength(2);
    expect(await recordedBy(other.posId)).toEqual([`${second.requestId} 00`]);
  });

  it("are never told to the other one, also if both wait", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const connection = await here.connect();
    const { request: first } = await approved(here, connection);
    const other = await createAccount();
    const token = await accessToken(other);
    await bind(token, here.terminal);
    const answer = new Till(other, here.terminal, token, here.books).sale();
    const second = await connection.acceptNext();
    here.approve(connection, second);
    await answer;
    await records.until(2);
    await here.pass(5 * MINUTE);
    records.become(null);
    await here.pass(5 * MINUTE);
    await eventually(async () => expect(await recordedBy(other.posId)).toEqual([`${second.requestId} 00`]));
    await eventually(async () => expect(await recorded(here)).toContain(`${first.requestId} 00`));
    const { posId } = here.till.account;
    for (const call of records.calls) {
      const own = call.posId === posId ? first : second;
      expect(call.entries.map(({ requestId }) => String(requestId))).toEqual([own.requestId]);
    }
  });
});

describe("the journal", () => {
  it("forgets no transaction that is not recorded, however old it is", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const { request } = await approved(here, await here.connect());
    skip(JOURNAL_LIFE + 2 * DAY);
    await here.pass(2 * DAY);
    expect((await here.journal()).map(({ requestId }) => requestId)).toEqual([request.requestId]);
    records.become(null);
    await here.pass(10 * MINUTE);
    await eventually(async () => expect(await recorded(here)).toContain(`${request.requestId} 00`));
    await here.pass(DAY);
    expect(await here.journal()).toEqual([]);
  });

  it("lists few rows unnecessarily, however often the object is reset", async () => {
    const here = await scene();
    const most: number[] = [];
    for (let sale = 0; sale < 30; sale++) {
      const { body } = await here.till.sale();
      expect(body.responseCode).toBe("TERMINAL_OFFLINE");
      await scheduler.wait(5);
      most.push(await namesOfNewest(here));
      await here.crash();
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(25);
  });
});

describe("a reference that was cancelled before its request arrived", () => {
  it("is not recorded", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    expect((await here.till.cancel(here.till.reference())).body.responseCode).toBe("CANCELLED");
    await approved(here, connection);
    await records.until(1);
    expect(records.calls.flatMap(({ entries }) => entries)).toHaveLength(1);
  });
});

describe("a void", () => {
  it("is recorded with the sale that it reversed", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    await records.until(1);
    const answer = here.till.transfer(here.till.body("void", { transData: { transId: sale.request.requestId } }));
    const request = await connection.acceptNext();
    here.approve(connection, request, { transData: { paymentChannel: "VISA" } });
    expect((await answer).body.statusCode).toBe("00");
    await records.until(2);
    expect(records.calls[1]?.entries).toMatchObject([
      {
        requestId: Number(request.requestId),
        transaction: { transType: "void", statusCode: "00", transId: sale.request.requestId, transAmt: "12.50" },
        voids: { requestId: Number(sale.request.requestId), referenceId: sale.referenceId },
      },
    ]);
  });
});
