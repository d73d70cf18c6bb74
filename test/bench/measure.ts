/** One stretch of load on one subject, and what it took. */
import { setTimeout } from "node:timers/promises";
import { APPROVED } from "../../src/docs/build/speed.ts";
import { type Pair, mustBeApproved, saleOf } from "./parties.ts";
import { cpuSecondsOf } from "./machine.ts";
import type { Enrolled, Subject } from "./subjects/subject.ts";

export interface Stretch {
  /** Milliseconds from a till's request to its answer, of every transfer. */
  latencies: number[];
  seconds: number;
  /** User and system time of the subject's process; null if the machine does not tell. */
  cpuSeconds: number | null;
  /** The same of the tills and terminals, which are this process. */
  loadSeconds: number;
}

/**
 * Sale after sale at each of `atOnce` places, each when the one before is answered; a place goes round its own share of
 * the terminals.
 */
export function drive(
  subject: Subject,
  enrolled: readonly Enrolled[],
  milliseconds: number,
  atOnce: number = enrolled.length,
): Promise<Stretch> {
  const places = Array.from({ length: atOnce }, (_, place) =>
    enrolled.filter((_terminal, index) => index % atOnce === place).map(({ pair }) => pair),
  );
  return measured(subject, async (latencies, started) => {
    await Promise.all(places.map((pairs) => sell(subject, pairs, started + milliseconds, latencies)));
  });
}

/** What a till got for a sale. */
export interface Answered {
  pair: Pair;
  /** As it was sent. */
  sale: string;
  /** A key of `RateFigures.answers`. */
  kind: string;
  milliseconds: number;
}

export interface PacedStretch extends Stretch {
  answers: Answered[];
}

/**
 * So many sales a second, evenly, whether those before are answered or not; each at the next of the terminals. Ends
 * when all are answered.
 */
export async function pace(
  subject: Subject,
  enrolled: readonly Enrolled[],
  perSecond: number,
  milliseconds: number,
): Promise<PacedStretch> {
  const sent = Math.round((milliseconds / 1_000) * perSecond);
  let answers: Answered[] = [];
  const stretch = await measured(subject, async (latencies, started) => {
    const sales: Promise<Answered>[] = [];
    for (let number = 0; number < sent; number++) {
      const early = started + (number / perSecond) * 1_000 - performance.now();
      if (early > 0) await setTimeout(early);
      const next = enrolled[number % enrolled.length];
      if (next !== undefined) sales.push(send(subject, next.pair, saleOf(next.pair)));
    }
    answers = await Promise.all(sales);
    for (const { kind, milliseconds: took } of answers) if (kind === APPROVED) latencies.push(took);
  });
  return { ...stretch, answers };
}

/** Sends a sale, maybe again. */
export async function send({ caller }: Subject, pair: Pair, sale: string): Promise<Answered> {
  const sent = performance.now();
  const kind = await caller
    .exchange("POST", "/api/transfer", { token: pair.accessToken, body: sale })
    .then(kindOf, () => "no answer");
  return { pair, sale, kind, milliseconds: performance.now() - sent };
}

function kindOf({ status, text }: { status: number; text: string }): string {
  if (status !== 200) return String(status);
  const { statusCode = "", responseCode = "" } = JSON.parse(text) as { statusCode?: string; responseCode?: string };
  return statusCode === APPROVED ? APPROVED : `${statusCode} ${responseCode}`;
}

/** @param work puts a latency there for each transfer; it gets the time at which it started, as `performance.now()` tells it */
async function measured(
  subject: Subject,
  work: (latencies: number[], started: number) => Promise<void>,
): Promise<Stretch> {
  const latencies: number[] = [];
  const cpuBefore = await cpuSecondsOf(subject.pid);
  const loadBefore = process.cpuUsage();
  const started = performance.now();
  await work(latencies, started);
  const seconds = (performance.now() - started) / 1_000;
  const load = process.cpuUsage(loadBefore);
  const cpuAfter = await cpuSecondsOf(subject.pid);
  return {
    latencies,
    seconds,
    cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    loadSeconds: (load.user + load.system) / 1e6,
  };
}

/** Several stretches as one. */
export function pooled(turns: readonly Stretch[]): Stretch {
  const sum = (of: (turn: Stretch) => number): number => turns.reduce((before, turn) => before + of(turn), 0);
  const knowsCpu = turns.every(({ cpuSeconds }) => cpuSeconds !== null);
  return {
    latencies: turns.flatMap(({ latencies }) => latencies),
    seconds: sum(({ seconds }) => seconds),
    cpuSeconds: knowsCpu ? sum(({ cpuSeconds }) => cpuSeconds ?? 0) : null,
    loadSeconds: sum(({ loadSeconds }) => loadSeconds),
  };
}

/** CPU seconds for a thousand transfers. */
export function cpuPerThousand({ cpuSeconds, latencies }: Stretch): number | null {
  return cpuSeconds === null ? null : (cpuSeconds / latencies.length) * 1_000;
}

/**
 * No terminal gets more than twenty sales a second: with `accepted` and `result` that is nearly as many frames as the
 * gateway accepts from one, and a hundred times what a shop makes.
 */
const BETWEEN_SALES = 50;

async function sell(subject: Subject, pairs: readonly Pair[], until: number, latencies: number[]): Promise<void> {
  const lastSale = new Map<Pair, number>();
  for (let turn = 0; performance.now() < until; turn++) {
    const pair = pairs[turn % pairs.length];
    if (pair === undefined) return;
    const early = (lastSale.get(pair) ?? 0) + BETWEEN_SALES - performance.now();
    if (early > 0) await setTimeout(early);
    lastSale.set(pair, performance.now());
    await sellOne(subject, pair, latencies);
  }
}

async function sellOne({ caller }: Subject, pair: Pair, latencies: number[]): Promise<void> {
  const sale = saleOf(pair);
  const sent = performance.now();
  const { text } = await caller.exchange("POST", "/api/transfer", { token: pair.accessToken, body: sale });
  const milliseconds = performance.now() - sent;
  mustBeApproved(text);
  latencies.push(milliseconds);
}
