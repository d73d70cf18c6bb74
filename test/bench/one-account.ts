/** Whether one account, which is one object, keeps up with a thousand terminals that make a hundred sales a second. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { cpuPerThousand, pace } from "./measure.ts";
import { connectSlowly } from "./memory.ts";
import { quantile } from "./report.ts";
import { PER_ACCOUNT, type WorkerSubject } from "./subjects/subject.ts";
import { isObject } from "./workerd.ts";

export interface OneAccount {
  /** Sales a second that were answered, while PER_SECOND were sent. */
  perSecond: number;
  /** Sales that were not answered yet when the last one was sent. */
  behind: number;
  /** No more than KEPT_UP lagged. */
  keepsUp: boolean;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Seconds per 1,000 sales; null if the machine does not tell. */
  cpu: number | null;
  /** Milliseconds after the last answer until the account had recorded every sale; null: not within PATIENCE. */
  recordedAfter: number | null;
}

const TERMINALS = 1_000;
const PER_SECOND = 100;
const LASTS = 30_000;

/** Each terminal makes one sale before. */
const WARM_UP = (TERMINALS / PER_SECOND) * 1_000;

/** Sales that come within half a second: more that wait are a queue that grows. */
const KEPT_UP = PER_SECOND / 2;

const PATIENCE = 60_000;
const LOOK_EVERY = 100;

/** So long without a new event, none is on its way. */
const STILL = 2_000;

/** The same load on one account, and on as many as the other measurements have. */
export async function measureOneAccount(subject: WorkerSubject): Promise<{ one: OneAccount; many: OneAccount }> {
  return { many: await measure(subject, PER_ACCOUNT), one: await measure(subject, TERMINALS) };
}

async function measure(subject: WorkerSubject, perAccount: number): Promise<OneAccount> {
  const fleet = await connectSlowly(subject, await subject.enrol(TERMINALS, perAccount));
  await pace(subject, fleet, PER_SECOND, WARM_UP);
  const before = await eventsWhenStill(subject);
  const stretch = await pace(subject, fleet, PER_SECOND, LASTS);
  const recordedAfter = await until(async () => (await eventsOf(subject)) - before >= stretch.sent);
  for (const { terminal } of fleet) terminal.close();
  const { latencies, seconds, sent, behind } = stretch;
  const result: OneAccount = {
    perSecond: sent / seconds,
    behind,
    keepsUp: behind <= KEPT_UP,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpu: cpuPerThousand(stretch),
    recordedAfter,
  };
  print(subject, TERMINALS / perAccount, result);
  return result;
}

function print({ name }: WorkerSubject, accounts: number, result: OneAccount): void {
  const { perSecond, behind, keepsUp, p50, p99, cpu, recordedAfter } = result;
  const parts = [
    `${perSecond.toFixed(1)} answered, ${behind} behind at the end${keepsUp ? "" : ": does not keep up"}`,
    `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    ...(cpu === null ? [] : [`CPU ${cpu.toFixed(2)} s per 1,000`]),
    recordedAfter === null ? "not all recorded" : `all recorded after ${recordedAfter} ms`,
  ];
  const whose = accounts === 1 ? "one account" : `${accounts} accounts`;
  console.log(`${name}: ${PER_SECOND} sales a second of ${whose} with ${TERMINALS} terminals: ${parts.join("; ")}`);
}

/** How many there are when no more come. */
async function eventsWhenStill(subject: WorkerSubject): Promise<number> {
  for (let before = NaN, now = await eventsOf(subject); ; before = now, now = await eventsOf(subject)) {
    if (now === before) return now;
    await setTimeout(STILL);
  }
}

/** How many events all accounts' objects have recorded, read beside the process that writes them. */
async function eventsOf(subject: WorkerSubject): Promise<number> {
  const { DatabaseSync } = await import("node:sqlite");
  const folder = subject.databases("ACCOUNT");
  let events = 0;
  for (const path of (await readdir(folder)).map((name) => join(folder, name))) {
    if (!isObject(path)) continue;
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      events += Number(database.prepare("SELECT COUNT(*) AS count FROM events").get()?.["count"]);
    } finally {
      database.close();
    }
  }
  return events;
}

/** Milliseconds until it holds; null: not within PATIENCE. */
async function until(holds: () => Promise<boolean>): Promise<number | null> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE) {
    if (await holds()) return Math.round(performance.now() - started);
    await setTimeout(LOOK_EVERY);
  }
  return null;
}
