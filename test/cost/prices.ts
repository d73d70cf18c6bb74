/** The public price list, and what counted operations cost by it. */
import type { Counts } from "./sale.ts";

/**
 * US dollars, Workers Paid plan, as the pages said on 20 November 2026:
 * https://developers.cloudflare.com/workers/platform/pricing/
 * https://developers.cloudflare.com/durable-objects/platform/pricing/
 * https://developers.cloudflare.com/d1/platform/pricing/
 * https://developers.cloudflare.com/observability/pricing/ (in force from 1 December 2026)
 */
export const PRICES = {
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

/** What is not counted but assumed; each with what it would change. */
export const ASSUMED = {
  /** CPU of Worker and objects per transfer, as `npm run bench` measures it. Each millisecond is 0.02 dollars a million. */
  cpuMilliseconds: 4,
  /** How long an object is awake for one event: JavaScript and the write it waits for. */
  awakeMilliseconds: 15,
  /** How long a webhook's endpoint takes to answer; its account's object is awake meanwhile. */
  endpointMilliseconds: 200,
  /** One log line, with what the platform adds to it. */
  logBytes: 1_000,
  /** Logs are kept for seven days. */
  logDays: 7,
};

export const MILLION = 1e6;
export const GIGABYTE = 1e9;
export const MONTH = 30 * 86_400_000;

/** One line of a bill, in US dollars. */
export interface Term {
  name: string;
  dollars: number;
}

/**
 * What the counted operations cost, once each.
 *
 * @param workerRequests requests to the Worker among them
 */
export function operations(counts: Counts, workerRequests: number): Term[] {
  const { alarms, objectRequests, framesFromTerminal, socketsEnded, logLines } = counts;
  const events = objectRequests + framesFromTerminal + socketsEnded + alarms;
  const awake = (events * ASSUMED.awakeMilliseconds) / 1_000;
  // No invocation logs: wrangler.toml turns them off, as they would hold whole URLs. They would be a line for each event.
  const logGigabytes = (logLines * ASSUMED.logBytes) / GIGABYTE;
  return [
    { name: "Worker requests", dollars: workerRequests * PRICES.workerRequest },
    { name: "Worker CPU", dollars: workerRequests * ASSUMED.cpuMilliseconds * PRICES.workerCpuMillisecond },
    {
      name: "object requests, messages and alarms",
      dollars: (objectRequests + alarms) * PRICES.objectRequest + framesFromTerminal * PRICES.objectMessage,
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

export function times(terms: Term[], factor: number): Term[] {
  return terms.map(({ name, dollars }) => ({ name, dollars: dollars * factor }));
}

/** In US dollars. */
export function total(terms: Term[]): number {
  return terms.reduce((sum, { dollars }) => sum + dollars, 0);
}
