/**
 * `npm run bill`: what the operator pays for a million transfers and for a thousand connected terminals, by the public
 * price list, and where the first limit lies as the fleet grows. The operations are those that `counts.test.ts` counts.
 *
 * Each thing is priced as if what the plan includes were used up: the bill of the next million.
 */
import { MIGRATIONS } from "../../src/account/storage/schema.ts";
import { EVENTS_WAIT } from "../../src/protocol/limits/events.ts";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { NUMBER_BLOCK } from "../../src/terminal/limits.ts";
import { CONNECTION, type Counts, DELIVERY, JOURNAL_BYTES, POLL, REFRESH, SALE } from "./sale.ts";

/**
 * US dollars, Workers Paid plan, as the pages said on 20 November 2026:
 * https://developers.cloudflare.com/workers/platform/pricing/
 * https://developers.cloudflare.com/durable-objects/platform/pricing/
 * https://developers.cloudflare.com/d1/platform/pricing/
 * https://developers.cloudflare.com/observability/pricing/ (in force from 1 December 2026)
 */
const PRICES = {
  workerRequest: 0.3e-6,
  workerCpuMillisecond: 0.02e-6,
  objectRequest: 0.15e-6,
  /** An incoming WebSocket message counts as a twentieth of a request. */
  objectMessage: 0.15e-6 / 20,
  /** Per GB-second; an object is billed as 128 MB. Not while it could hibernate, whether it does yet or not. */
  objectGigabyteSecond: 12.5e-6,
  objectGigabytes: 0.128,
  /** Objects and D1 alike. `setAlarm` counts as one row written. */
  rowRead: 0.001e-6,
  rowWritten: 1e-6,
  objectGigabyteMonth: 0.2,
  logGigabyte: 0.25,
  logGigabyteMonth: 0.1,
};

/**
 * Limits: https://developers.cloudflare.com/d1/platform/limits/ (20 November 2026) for D1's one query at a time;
 * https://developers.cloudflare.com/durable-objects/platform/limits/ for an object's requests and size.
 */
const LIMITS = { objectRequestsPerSecond: 1_000, objectGigabytes: 10 };

/** What is not counted but assumed; each with what it would change. */
const ASSUMED = {
  /** CPU of the deployed Worker and object per transfer; ten times as much would add less than half a dollar. */
  cpuMilliseconds: 2,
  /** How long an object is awake for one event: JavaScript and the write it waits for. */
  awakeMilliseconds: 15,
  /** How long a webhook's endpoint takes to answer; its account's object is awake meanwhile. */
  endpointMilliseconds: 200,
  /** One log line, with what the platform adds to it. */
  logBytes: 1_000,
  /** Logs are kept for seven days. */
  logDays: 7,
  /** What a batch takes D1 when it writes a row, which makes it the measure of D1's rate. */
  d1BatchMilliseconds: 2,
  /** A busy terminal: transfers a day, and the share of them in its busiest hour. */
  transfersPerDay: 50,
  busiestHour: 0.15,
  /** Connections of a terminal in a month: one a day. */
  connectionsPerMonth: 30,
  /** A till's token has run out at every second transfer. */
  refreshesPerTransfer: 0.5,
};

const MILLION = 1e6;
const GIGABYTE = 1e9;
const MONTH = 30 * 86_400_000;

/** A row's texts, its key once more in the index, and what SQLite needs to find them. */
const JOURNAL_ROW_BYTES = JOURNAL_BYTES + 100;

export interface Term {
  name: string;
  dollars: number;
}

/** What the counted operations cost, once each. */
function operations(counts: Counts, workerRequests: number): Term[] {
  const { alarms, objectRequests, framesFromTerminal, ticks, socketsEnded, logLines } = counts;
  const events = objectRequests + framesFromTerminal + ticks + socketsEnded + alarms;
  const awake = (events * ASSUMED.awakeMilliseconds) / 1_000;
  // No invocation logs: wrangler.toml turns them off, as they would hold whole URLs. They would be a line for each event.
  const logGigabytes = (logLines * ASSUMED.logBytes) / GIGABYTE;
  return [
    { name: "Worker requests", dollars: workerRequests * PRICES.workerRequest },
    { name: "Worker CPU", dollars: workerRequests * ASSUMED.cpuMilliseconds * PRICES.workerCpuMillisecond },
    {
      name: "object requests, messages and alarms",
      dollars: (objectRequests + alarms) * PRICES.objectRequest + (framesFromTerminal + ticks) * PRICES.objectMessage,
    },
    { name: "object duration", dollars: awake * PRICES.objectGigabytes * PRICES.objectGigabyteSecond },
    { name: "rows written in objects", dollars: counts.objectRowsWritten * PRICES.rowWritten },
    { name: "alarms set", dollars: counts.alarmsSet * PRICES.rowWritten },
    { name: "rows written in D1", dollars: counts.d1RowsWritten * PRICES.rowWritten },
    { name: "rows read", dollars: (counts.objectRowsRead + counts.d1RowsRead) * PRICES.rowRead },
    {
      name: "logs",
      dollars:
        logGigabytes * PRICES.logGigabyte +
        ((logGigabytes * ASSUMED.logDays * 86_400_000) / MONTH) * PRICES.logGigabyteMonth,
    },
  ];
}

function times(terms: Term[], factor: number): Term[] {
  return terms.map(({ name, dollars }) => ({ name, dollars: dollars * factor }));
}

export function total(terms: Term[]): number {
  return terms.reduce((sum, { dollars }) => sum + dollars, 0);
}

/** An event's body, the text that is delivered: so many bytes on average at most. */
const EVENT_BYTES = 800;

/**
 * Bytes that an account's object keeps of one settled sale, as SQLite stores them: the claim of its reference, and its
 * event. A hundred thousand of them, weighed.
 */
async function recordedBytes(): Promise<number> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE migrations (id TEXT PRIMARY KEY)");
  for (const { sql } of MIGRATIONS) database.exec(sql);
  const size = (): number => {
    const { bytes } = database
      .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get() as { bytes: number };
    return bytes;
  };
  const empty = size();
  const rows = 100_000;
  // References as tills count them, of three terminals in turns.
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})`;
  database.exec(`
    INSERT INTO claims (reference_id, device_id, admitted_at, request_id, revision, event, settled_at)
    ${numbers} SELECT printf('20261120-%08d', n), printf('term-%06d', n % 3), 1790000000000 + n, 1000000000 + n, 4, n,
      1790000015000 + n FROM numbers`);
  database.exec(`
    INSERT INTO events (number, at, day, type, trans_amt, body)
    ${numbers} SELECT n, 1790000015000 + n, '2026-11-20', 'transaction.settled', 1250, printf('%${EVENT_BYTES}d', n)
    FROM numbers`);
  return (size() - empty) / rows;
}

/** What the README says. */
export interface Bill {
  /** US dollars for a million transfers, for a thousand connected terminals and a month, for a reader that waits a month. */
  transfers: Term[];
  terminals: Term[];
  reader: Term[];
  /** Bytes that an account's object keeps of one settled sale. */
  recorded: number;
  /** US dollars for a million deliveries to webhooks. */
  deliveries: Term[];
}

export async function bill(): Promise<Bill> {
  const recorded = await recordedBytes();
  const kept = JOURNAL_LIFE / MONTH;
  const transfers = [
    ...times(operations(SALE, 1), MILLION),
    {
      name: `journal, kept for ${Math.round(kept)} months`,
      dollars: ((MILLION * JOURNAL_ROW_BYTES) / GIGABYTE) * kept * PRICES.objectGigabyteMonth,
    },
    {
      name: `references and events, kept for ${Math.round(kept)} months`,
      dollars: ((MILLION * recorded) / GIGABYTE) * kept * PRICES.objectGigabyteMonth,
    },
    { name: "blocks of numbers", dollars: (MILLION / NUMBER_BLOCK) * 2 * PRICES.rowWritten },
  ];
  return {
    transfers,
    terminals: times(operations(CONNECTION, 2), 1_000 * ASSUMED.connectionsPerMonth),
    reader: times(operations(POLL, 1), MONTH / EVENTS_WAIT),
    deliveries: [
      ...times(operations(DELIVERY, 0), MILLION),
      {
        name: "objects awake while endpoints answer",
        dollars:
          ((MILLION * ASSUMED.endpointMilliseconds) / 1_000) * PRICES.objectGigabytes * PRICES.objectGigabyteSecond,
      },
    ],
    recorded,
  };
}

function printList(title: string, terms: Term[]): void {
  const sum = total(terms);
  console.log(`\n${title}: ${sum.toFixed(2)} USD`);
  for (const { name, dollars } of terms.toSorted((one, other) => other.dollars - one.dollars)) {
    console.log(
      `  ${name.padEnd(44)}${dollars.toFixed(2).padStart(8)}${`${((dollars / sum) * 100).toFixed(0)} %`.padStart(7)}`,
    );
  }
}

/** Prints the bill and the limits. */
async function print(): Promise<void> {
  const { transfers, terminals, reader, deliveries, recorded } = await bill();
  printList("A million transfers", transfers);
  const refreshes = total(times(operations(REFRESH, 1), MILLION * ASSUMED.refreshesPerTransfer));
  console.log(`  and ${refreshes.toFixed(2)} USD for the tokens of their tills, renewed at every second transfer`);
  const held = MILLION * 15 * PRICES.objectGigabytes * PRICES.objectGigabyteSecond;
  console.log(`  (objects held awake while customers pay, 15 s each, would add ${held.toFixed(2)} USD)`);
  printList(`A thousand connected terminals for a month, connecting once a day`, terminals);
  console.log("  Heartbeats are answered by the platform: no request, no duration, no row.");
  printList("A reader of events that waits for a month", reader);
  printList("A million deliveries to webhooks, each long after the one before", deliveries);

  const perSecond = (ASSUMED.transfersPerDay * ASSUMED.busiestHour) / 3_600;
  const limits = [
    {
      name: `blocks of numbers: one row of D1 that every ${NUMBER_BLOCK}th transfer writes`,
      transfersPerDay: ((1_000 / ASSUMED.d1BatchMilliseconds) * NUMBER_BLOCK * 3_600) / ASSUMED.busiestHour,
      way: "larger blocks",
    },
  ];
  console.log(
    `\nLimits, for terminals with ${ASSUMED.transfersPerDay} transfers a day, ${ASSUMED.busiestHour * 100} % of them in one hour`,
  );
  for (const { name, transfersPerDay, way } of limits.toSorted(
    (one, other) => one.transfersPerDay - other.transfersPerDay,
  )) {
    const fleet = transfersPerDay / ASSUMED.transfersPerDay;
    console.log(`  ${round(transfersPerDay)} transfers a day, ${round(fleet)} terminals: ${name}. Way past: ${way}.`);
  }
  const ofAccount = (LIMITS.objectGigabytes * GIGABYTE) / recorded / (JOURNAL_LIFE / 86_400_000);
  console.log(
    `  One account: ${round(ofAccount)} transfers a day, ${round(ofAccount / ASSUMED.transfersPerDay)} terminals, fill its ` +
      `object's ${LIMITS.objectGigabytes} GB with ${recorded.toFixed(0)} bytes each. Way past: more accounts.`,
  );
  const ofOne = (LIMITS.objectGigabytes * GIGABYTE) / JOURNAL_ROW_BYTES / (JOURNAL_LIFE / 86_400_000);
  console.log(
    `  One terminal: ${round(ofOne)} transfers a day fill its object's ${LIMITS.objectGigabytes} GB; its rate, ` +
      `${perSecond.toFixed(4)} transfers a second, is far from the object's ${LIMITS.objectRequestsPerSecond} requests.`,
  );
}

function round(value: number): string {
  return Math.round(Number(value.toPrecision(2))).toLocaleString("en");
}

if (process.argv[1] === import.meta.filename) await print();
