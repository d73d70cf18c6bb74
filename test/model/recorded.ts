/** I7, after a history: what the terminal's journal holds, against what its accounts have recorded. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { isAboutTransaction, type TransactionEvent } from "../../src/protocol/events.ts";
import { eventsIn, journalIn } from "../support/stored-rows.ts";
import { Violation } from "./oracle.ts";

/** Rounds in which everything must be reported once nothing fails anymore. In each some minutes pass. */
const ROUNDS = 40;
const MINUTES = 6 * 60_000;

interface Row {
  requestId: string;
  posId: string;
  statusCode: string;
}

/** Throws a Violation unless every status comes to be recorded, once and without a gap. */
export async function judgeRecorded(terminalId: string): Promise<void> {
  for (let round = 0; ; round++) {
    const missing = await firstMissing(terminalId);
    if (missing === null) return;
    if (round === ROUNDS) throw new Violation("I7", missing);
    vi.setSystemTime(Date.now() + MINUTES);
    await runDurableObjectAlarm(env.TERMINAL.getByName(terminalId));
    await scheduler.wait(1);
  }
}

/** What is not recorded as it should be yet; null: everything is. */
async function firstMissing(terminalId: string): Promise<string | null> {
  const rows = await rowsOf(terminalId);
  for (const posId of new Set(rows.map((row) => row.posId))) {
    const told = await eventsOf(posId, terminalId);
    for (const { requestId, statusCode } of rows.filter((row) => row.posId === posId)) {
      const own = told.filter(({ data }) => data.requestId === requestId);
      if (own.filter(({ type }) => type === "transaction.completed").length > 1) {
        throw new Violation("I7", `${requestId} is completed twice`);
      }
      const newest = own.at(-1)?.data.statusCode ?? "nothing";
      if (newest !== statusCode) return `${requestId} is ${statusCode}, and recorded is ${newest}`;
    }
  }
  return null;
}

/** Transactions that have had a status to tell of. */
function rowsOf(terminalId: string): Promise<Row[]> {
  return runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, { storage }) =>
    journalIn(storage).flatMap(({ requestId, posId, transType, state, revision, outcome }) => {
      const statusCode = state === "completed" ? (outcome?.statusCode ?? "nothing") : "22";
      return transType === null || revision === 0 ? [] : [{ requestId: String(requestId), posId, statusCode }];
    }),
  );
}

/** The account's events of one terminal, in their order; the numbers of all its events have no gap. */
function eventsOf(posId: string, terminalId: string): Promise<TransactionEvent[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => {
    const { events, newest } = storage.sql
      .exec<{ events: number; newest: number | null }>("SELECT COUNT(*) AS events, MAX(number) AS newest FROM events")
      .one();
    if (events !== (newest ?? 0)) throw new Violation("I7", `${posId} has ${events} events, the newest is ${newest}`);
    return eventsIn(storage).filter(
      (event): event is TransactionEvent => isAboutTransaction(event) && event.data.deviceId === terminalId,
    );
  });
}
