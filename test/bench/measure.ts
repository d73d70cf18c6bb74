/** One stretch of load on one subject, and what it took. */
import { setTimeout } from "node:timers/promises";
import { APPROVED } from "../../src/docs/build/speed.ts";
import type { Caller } from "./http.ts";
import { type Pair, saleOf } from "./parties.ts";
import type { Enrolled, Subject } from "./subjects/subject.ts";

export interface Stretch {
  /** Milliseconds from a till's request to its answer, of every transfer. */
  latencies: number[];
  seconds: number;
  /** User and system time of the subject's process; null if it was not measured. */
  cpuSeconds: number | null;
  /** The same of the tills and terminals, which are this process. */
  loadSeconds: number;
}

/**
 * No terminal gets more than twenty sales a second: with `accepted` and `result` that is nearly as many frames as the
 * gateway accepts from one, and a hundred times what a shop makes.
 */
const BETWEEN_SALES = 50;

/**
 * Sale after sale at each of `atOnce` places, each when the one before is answered; a place goes round its own share of
 * the terminals.
 */
export function drive(
  { caller }: Subject,
  enrolled: readonly Enrolled[],
  milliseconds: number,
  atOnce: number = enrolled.length,
): Promise<Stretch> {
  return measured(async (latencies, started) => {
    const places = Object.values(Object.groupBy(enrolled, (_, index) => index % atOnce));
    const work = async (place: readonly Enrolled[]): Promise<void> => {
      const lastSale = new Map<Pair, number>();
      for (;;) {
        for (const { pair } of place) {
          const early = (lastSale.get(pair) ?? 0) + BETWEEN_SALES - performance.now();
          if (early > 0) await setTimeout(early);
          if (performance.now() >= started + milliseconds) return;
          lastSale.set(pair, performance.now());
          latencies.push(await sell(caller, pair));
        }
      }
    };
    await Promise.all(places.map((place = []) => work(place)));
  });
}

export interface Answered {
  pair: Pair;
  sale: string;
  /** A status of HTTP, `statusCode` and `responseCode`, or `no answer` and why. */
  kind: string;
  milliseconds: number;
}

/**
 * So many sales a second, evenly, whether those before are answered or not; each at the next of the terminals. Ends
 * when all are answered.
 */
export async function pace(
  { caller }: Subject,
  enrolled: readonly Enrolled[],
  perSecond: number,
  milliseconds: number,
): Promise<Stretch & { answers: Answered[] }> {
  const sent = Math.round((milliseconds / 1_000) * perSecond);
  let answers: Answered[] = [];
  const stretch = await measured(async (latencies, started) => {
    const sales: Promise<Answered>[] = [];
    for (let number = 0; number < sent; number++) {
      const early = started + (number / perSecond) * 1_000 - performance.now();
      if (early > 0) await setTimeout(early);
      const next = enrolled[number % enrolled.length];
      if (next !== undefined) sales.push(send(caller, next.pair, saleOf(next.pair)));
    }
    answers = await Promise.all(sales);
    for (const { kind, milliseconds: took } of answers) if (kind === APPROVED) latencies.push(took);
  });
  return { ...stretch, answers };
}

/** @param work puts a latency there for each transfer; it gets the time at which it started, as `performance.now()` tells it */
async function measured(work: (latencies: number[], started: number) => Promise<void>): Promise<Stretch> {
  const latencies: number[] = [];
  const before = process.cpuUsage();
  const started = performance.now();
  await work(latencies, started);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { latencies, seconds, cpuSeconds: null, loadSeconds: (user + system) / 1e6 };
}

/** Sends a sale, maybe again. */
export async function send(caller: Caller, pair: Pair, sale: string): Promise<Answered> {
  const sent = performance.now();
  const kind = await caller
    .exchange("POST", "/api/transfer", { token: pair.accessToken, body: sale })
    .then(kindOf, ({ code }: NodeJS.ErrnoException) => `no answer: ${code}`);
  return { pair, sale, kind, milliseconds: performance.now() - sent };
}

function kindOf({ status, text }: { status: number; text: string }): string {
  if (status !== 200) return String(status);
  const { statusCode = "", responseCode = "" } = JSON.parse(text) as { statusCode?: string; responseCode?: string };
  return statusCode === APPROVED ? APPROVED : `${statusCode} ${responseCode}`;
}

/** Makes a new sale. Returns how many milliseconds it took; throws if it is not approved. */
export async function sell(caller: Caller, pair: Pair): Promise<number> {
  const { kind, milliseconds } = await send(caller, pair, saleOf(pair));
  if (kind !== APPROVED) throw new Error(`a sale was not approved: ${kind}`);
  return milliseconds;
}
