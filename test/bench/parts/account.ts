/** Whether one account, which is one object, keeps up with a thousand terminals that make a hundred sales a second. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { AccountFigures, PacedFigures } from "../../../src/docs/build/speed-figures.ts";
import { cpuPerThousand, pace, pooled, type PacedStretch } from "../measure.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { cpuRatio, quantile, shown } from "../spread.ts";
import { ACCOUNT_BASELINE } from "../subjects/baselines.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import { type Enrolled, PER_ACCOUNT, type WorkerSubject } from "../subjects/subject.ts";
import { isObject } from "../workerd.ts";
import { closeAll, connectSlowly, type Run } from "./part.ts";

const TERMINALS = 1_000;
const PER_SECOND = 100;

/** Milliseconds of a turn, in which each terminal makes one sale. */
const LASTS = (TERMINALS / PER_SECOND) * 1_000;
const ROUNDS = 3;

/** Sales that come within half a second: more that wait are a queue that grows. */
const KEPT_UP = PER_SECOND / 2;

const PATIENCE = 60_000;
const LOOK_EVERY = 100;

/** So long without a new event, none is on its way. */
const STILL = 2_000;

/** A turn, and when all of it was recorded. */
interface Turn extends PacedStretch {
  recordedAfter: number | null;
}

/** The same load on one account, and on as many as the other parts have. */
export async function measureAccount(run: Run): Promise<AccountFigures> {
  const subjects = [await run.start(GATEWAY), await run.start(ACCOUNT_BASELINE)];
  const terminals = run.size(TERMINALS, 100);
  const milliseconds = run.size(LASTS, 1_000);
  const contenders = new Map<string, Contender>();
  const all: Enrolled[] = [];
  for (const [whose, perAccount] of [
    ["many", PER_ACCOUNT],
    ["one", terminals],
  ] as const) {
    await Promise.all(
      subjects.map(async (subject) => {
        const fleet = await connectSlowly(subject, await subject.enrol(terminals, perAccount));
        all.push(...fleet);
        const turn = async (): Promise<Turn> => {
          const before = await eventsWhenStill(subject);
          const stretch = await pace(subject, fleet, PER_SECOND, milliseconds);
          const recordedAfter = await until(
            async () => (await eventsOf(subject)) - before >= stretch.sent - stretch.refused,
          );
          return { ...stretch, recordedAfter };
        };
        contenders.set(`${subject.name}, ${whose}`, { subject, turn });
      }),
    );
  }
  const turns = await inRounds(contenders, { rounds: run.size(ROUNDS, 1), milliseconds });
  closeAll(all);
  const rows = subjects.map(({ name }) => {
    const [one = [], many = []] = ["one", "many"].map((whose) => turns.get(`${name}, ${whose}`) as Turn[]);
    return { name, one: figuresOf(one), many: figuresOf(many), cpu: cpuRatio(one, many) };
  });
  const figures = { terminals, perSecond: PER_SECOND, accounts: Math.ceil(terminals / PER_ACCOUNT), rows };
  print(figures);
  return figures;
}

function figuresOf(turns: readonly Turn[]): PacedFigures {
  const together = pooled(turns);
  const behind = Math.max(...turns.map((turn) => turn.behind));
  const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
  const recorded = turns.map(({ recordedAfter }) => recordedAfter);
  return {
    perSecond: together.latencies.length / together.seconds,
    behind,
    refused,
    keepsUp: behind <= KEPT_UP && refused === 0,
    p50: quantile(together.latencies, 0.5),
    p99: quantile(together.latencies, 0.99),
    cpu: cpuPerThousand(together),
    recordedAfter: recorded.includes(null) ? null : Math.max(...recorded.map(Number)),
  };
}

function print({ terminals, perSecond, accounts, rows }: AccountFigures): void {
  console.log(`\n${perSecond} sales a second at ${terminals} terminals`);
  for (const { name, one, many, cpu } of rows) {
    console.log(`  ${name}, one account: ${shownPaced(one)}`);
    console.log(`  ${name}, ${accounts} accounts: ${shownPaced(many)}`);
    if (cpu !== null) console.log(`  ${name}: CPU at one account × ${shown(cpu)}`);
  }
}

function shownPaced({ perSecond, behind, refused, keepsUp, p50, p99, cpu, recordedAfter }: PacedFigures): string {
  return [
    `${perSecond.toFixed(1)} answered, ${behind} behind at the end, ${refused} refused${keepsUp ? "" : ": does not keep up"}`,
    `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    ...(cpu === null ? [] : [`CPU ${cpu.toFixed(2)} s per 1,000`]),
    recordedAfter === null ? "not all recorded" : `all recorded after ${recordedAfter} ms`,
  ].join("; ");
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
  for (const path of (await readdir(folder)).map((name) => join(folder, name)).filter(isObject)) {
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
