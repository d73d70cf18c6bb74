/** I7: every outcome is recorded at its account, whatever fails in between, and no POS waits for it. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { alarmOf, skip, useFakeClock } from "../../../support/clock.ts";
import { bind, accessToken, createAccount } from "../../../support/gateway.ts";
import { RecordCalls, recordedBy } from "../../../support/record-calls.ts";
import { approved, reportedOpen, type Scene, ScenePos, useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;

/** Fires the object's alarm at its time. */
async function nextAlarm({ terminal }: Scene): Promise<number> {
  const alarm = (await alarmOf(terminal)) ?? 0;
  if (alarm > Date.now()) skip(alarm - Date.now());
  await runDurableObjectAlarm(env.TERMINAL.getByName(terminal.terminalId));
  return alarm;
}

/** What the account has recorded: `number status`, in the order recorded. */
function recorded({ pos }: Scene): Promise<string[]> {
  return recordedBy(pos.account.posId);
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

  it("is reported after a reset by the next alarm, not before", async () => {
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
});

describe("a transaction whose end passes while it is pending", () => {
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
    const there = new ScenePos(other, here.terminal, token, here.books);
    const answer = there.sale();
    const second = await connection.acceptNext();
    here.approve(connection, second);
    expect((await answer).body.statusCode).toBe("00");
    await here.settle(connection, request);
    await records.until(3);
    const { posId } = here.pos.account;
    expect((await recordedBy(posId)).filter((event) => event.startsWith(request.requestId))).toHaveLength(2);
    expect(await recordedBy(other.posId)).toEqual([`${second.requestId} 00`]);
  });
});
