/**
 * A new instance of the object, over the same storage and without anything that was in memory, at each state that a row
 * may have: it finds the row by the indexes, goes on with it, and its account records it. `sleeps` keeps the sockets,
 * `crashes` does not.
 *
 * What this does not prove: that every order of events is safe (`test/model` plays random ones).
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, type ExpectStatic } from "vitest";
import { alarmOf, skip, useFakeClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/patience.ts";
import { RecordCalls, recordedBy } from "../../../support/record-calls.ts";
import { type Scene, useAccount } from "../../../support/scene.ts";
import type { RequestFrame, ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { journalIn } from "../../../support/stored-rows.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

interface Reached {
  here: Scene;
  referenceId: string;
  /** Of a terminal that has the request; null: it has not got it yet. */
  held: RequestFrame | null;
  connection: ScriptedTerminal;
}

/** How a sale gets into each state, on a connection of its own. */
const STATES: Record<string, (here: Scene) => Promise<Reached>> = {
  async queued(here) {
    const connection = await here.connect();
    await connection.lose();
    const { referenceId } = await here.queued();
    return { here, referenceId, held: null, connection };
  },
  async sent(here) {
    const { referenceId, connection, request } = await here.sent();
    return { here, referenceId, held: request, connection };
  },
  async accepted(here) {
    const { referenceId, connection, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    return { here, referenceId, held: request, connection };
  },
  async "past its end"(here) {
    const reached = await STATES["accepted"]?.(here);
    if (reached === undefined) throw new Error("there is such a state");
    await here.pass(91 * SECOND);
    return reached;
  },
  async pending(here) {
    const { referenceId, connection, request, answer } = await here.accepted();
    connection.result(request, "22");
    await answer;
    return { here, referenceId, held: request, connection };
  },
};

type End = "sleeps" | "crashes";

async function newInstance(here: Scene, end: End): Promise<void> {
  await (end === "sleeps" ? here.sleep() : here.crash());
}

/** The terminal goes on: on its connection, or on a new one that lists what it holds. */
async function goOn({ here, held, connection }: Reached, end: End): Promise<[ScriptedTerminal, RequestFrame]> {
  const isOpen = end === "sleeps" && held !== null;
  const now = isOpen ? connection : await here.connect({ open: held === null ? [] : [held.requestId] });
  return [now, held ?? (await now.acceptNext())];
}

interface Stored {
  /** Numbers that the indexes find: open rows, and the account's newest that reached the terminal. */
  found: unknown;
  /** The same, by a search through every row. */
  searched: unknown;
  /** Outcomes that the account lacks. */
  outcomes: number;
}

function storedBy({ terminal, pos }: Scene): Promise<Stored> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    const { sql } = storage;
    const open =
      "SELECT request_id FROM transactions INDEXED BY transactions_open WHERE completed_at IS NULL ORDER BY 1";
    const reached = `SELECT MAX(request_id) AS newest FROM transactions INDEXED BY transactions_reached
      WHERE pos_id = ? AND reached = 1 AND trans_type IS NOT NULL`;
    const rows = journalIn(storage);
    const those = rows.filter((row) => row.reached && row.transType !== null && row.posId === pos.account.posId);
    return {
      found: [
        sql
          .exec(open)
          .toArray()
          .map((row) => row["request_id"]),
        sql.exec(reached, pos.account.posId).one()["newest"],
      ],
      searched: [
        rows
          .filter(({ state }) => state !== "completed")
          .map(({ requestId }) => requestId)
          .toSorted((one, other) => one - other),
        those[0]?.requestId ?? null,
      ],
      outcomes: Number(sql.exec("SELECT COUNT(*) AS count FROM outbox WHERE kind = 'outcome'").one()["count"]),
    };
  });
}

async function mustAgree(here: Scene, expect: ExpectStatic): Promise<void> {
  const { found, searched } = await storedBy(here);
  expect(found).toEqual(searched);
}

describe.for(["sleeps", "crashes"] as const)("an object that %s", (end) => {
  it.for(Object.keys(STATES))("goes on with a sale that is %s, once", async (state, { expect }) => {
    const reached = await STATES[state]?.(await scene());
    if (reached === undefined) throw new Error("there is such a state");
    const { here, referenceId } = reached;
    await newInstance(here, end);
    await mustAgree(here, expect);
    const [connection, request] = await goOn(reached, end);
    await newInstance(here, "sleeps");
    await here.settle(connection, request);
    await newInstance(here, end);
    await mustAgree(here, expect);
    const pos = await here.posOfNow();
    expect((await pos.inquiry({ referenceId })).body.statusCode).toBe("00");
    const last = await pos.getLast();
    expect(last.body).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
    await here.pass(600 * SECOND);
    await eventually(async () => expect((await storedBy(here)).outcomes).toBe(0));
    const own = (await recordedBy(here.pos.account.posId)).filter((event) => event.startsWith(request.requestId));
    expect(own.filter((event) => event.endsWith("00"))).toHaveLength(1);
    expect(own.length).toBe(state === "past its end" || state === "pending" ? 2 : 1);
  });

  it("reports a completed sale that its account lacks", async ({ expect }) => {
    const here = await scene();
    const records = new RecordCalls("fail");
    const { connection, request } = await here.accepted();
    await here.settle(connection, request);
    await records.until(1);
    for (let times = 0; times < 3; times++) {
      await newInstance(here, end);
      expect(await storedBy(here)).toMatchObject({ outcomes: 1 });
      const alarm = await alarmOf(here.terminal);
      expect(alarm).not.toBeNull();
      if (times === 2) records.become(null);
      skip(Math.max((alarm ?? 0) - Date.now(), 0));
      await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId));
    }
    await eventually(async () => expect((await storedBy(here)).outcomes).toBe(0));
    const events = await recordedBy(here.pos.account.posId);
    expect(events.filter((event) => event.startsWith(request.requestId))).toEqual([`${request.requestId} 00`]);
  });
});
