/** I7: every outcome is recorded at its account, whatever fails in between, and no till waits for it. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { terminalStub } from "../../src/rpc/terminal.ts";
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
    await here.pass(10 * MINUTE);
    for (const { request } of answers) {
      await eventually(async () => {
        const events = (await recorded(here)).filter((event) => event.startsWith(request.requestId));
        expect(events).toHaveLength(1);
      });
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

  it("is reported without limit, after pauses of ten minutes at most", async () => {
    const here = await scene();
    const records = new RecordCalls("fail");
    await approved(here, await here.connect());
    await records.until(1);
    for (let tries = 0; tries < 18; tries++) expect(await nextAlarm(here)).toBeGreaterThan(0);
    const pauses = records.calls.slice(1).map(({ at }, index) => at - (records.calls[index]?.at ?? 0));
    expect(pauses.length).toBeGreaterThan(10);
    for (const pause of pauses) expect(pause).toBeLessThanOrEqual(10 * MINUTE);
    // It sleeps in between, and knows when it has tried.
    await here.sleep();
    const { length } = records.calls;
    await nextAlarm(here);
    expect(records.calls).toHaveLength(length + 1);
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

  it("is reported once, whether the object sleeps or is reset", async () => {
    const here = await scene();
    const records = new RecordCalls();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    await records.until(1);
    for (let sale = 2; sale <= 3; sale++) {
      await here.sleep();
      await approved(here, connection);
      await records.until(sale);
    }
    await here.crash();
    await approved(here, await here.connect());
    await records.until(4);
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

  it("is reported once more by an object that was reset before the answer, which changes nothing", async () => {
    const here = await scene();
    const records = new RecordCalls("lose");
    const { request } = await approved(here, await here.connect());
    await records.until(1);
    records.become(null);
    await here.crash();
    await approved(here, await here.connect());
    await eventually(() => expect(records.told(Number(request.requestId))).toContain("1 1 00"));
    await nextAlarm(here);
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
    expect(records.told(Number(request.requestId)).at(-1)).toBe("0 2 00");
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
