/**
 * The first sale where nothing has run yet. Each round begins with a new process on a copy of prepared data: an account with
 * a session, and its terminal. The terminal connects. Then everything is left alone until both objects have been evicted.
 *
 * Cold in the sale that follows: the till's connection; the Worker's isolate, a second one in the process, whose modules
 * are loaded, as the platform does before it hands over a request, and which has run nothing; the account's and the
 * terminal's object, which are made, and whose databases are opened and read; in their isolate, all code of a sale. Not
 * cold: the files in the operating system's memory, and the terminal's connection, which is a sleeping socket.
 */
import { sell } from "../measure.ts";
import type { Pair } from "../parties.ts";
import { spreadOf, spreadOfPairs } from "../spread.ts";
import { BASELINE } from "../subjects/baseline.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import type { Caller } from "../http.ts";
import type { Enrolled, Kind, Subject } from "../subjects/subject.ts";
import { type Run, untilAsleep } from "./run.ts";

const ROUNDS = 20;

/** Rounds that wait at the same time until their objects are evicted, to do nothing for less time. */
const AT_ONCE = 5;

/** Milliseconds. */
interface Round {
  /** From the start of the process until it listens. */
  start: number;
  /** Until a terminal is ready. */
  connection: number;
  sale: number;
}

/** Stopped, with the data that each round begins with. */
interface Prepared {
  subject: Subject;
  pair: Pair;
}

export async function measureCold(run: Run) {
  const prepared = [await prepare(run, GATEWAY), await prepare(run, BASELINE)];
  const count = run.size(ROUNDS, 1);
  const rounds = await coldRounds(run, prepared, count, (till, { pair }) => sell(till, pair));
  const [gateway = [], baseline = []] = rounds;
  const rows = prepared.map(({ subject }, index) => rowOf(subject.name, rounds[index] ?? []));
  const [own, other] = rows.map(({ sale }) => sale.median);
  const ratios = spreadOfPairs(gateway, baseline, (one, beside) => one.sale / beside.sale);
  return { rounds: count, rows, ratio: (own ?? NaN) / (other ?? NaN), ratios };
}

/** A kind with one account, one terminal, and databases to begin with. */
export async function prepare(run: Run, kind: Kind): Promise<Prepared> {
  const subject = await run.start(kind, { otherIsolate: true });
  const [pair] = await subject.enrol(1);
  if (pair === undefined) throw new Error("no terminal was enrolled");
  await subject.stop();
  return { subject, pair };
}

/** Sells by the isolate that has answered nothing yet. Returns how many milliseconds it takes. */
type Sell = (till: Caller, own: Enrolled) => Promise<number>;

/** So many rounds of all that are prepared, in the same order. */
export async function coldRounds(
  run: Run,
  prepared: readonly Prepared[],
  count: number,
  firstSale: Sell,
): Promise<Round[][]> {
  const rounds = prepared.map((): Round[] => []);
  for (let done = 0; done < count; done += AT_ONCE) {
    const some = await batch(run, prepared, Math.min(AT_ONCE, count - done), firstSale);
    for (const [index, found] of some.entries()) rounds[index]?.push(...found);
  }
  return rounds;
}

/** One process at a time does something. */
async function batch(run: Run, prepared: readonly Prepared[], count: number, firstSale: Sell): Promise<Round[][]> {
  const connected = [];
  for (let number = 0; number < count * prepared.length; number++) {
    const index = inTurn(number, prepared.length);
    const { subject, pair } = prepared[index] ?? prepared[0]!;
    const startCopy = await subject.copyTo(`${await run.folder()}/data`);
    const starts = performance.now();
    const copy = run.add(await startCopy());
    const connects = performance.now();
    const [own] = await copy.connect([pair]);
    if (own === undefined) throw new Error("no terminal is connected");
    const start = connects - starts;
    connected.push({ index, copy, own, start, connection: performance.now() - connects });
  }
  await untilAsleep(connected.map(({ copy }) => copy));
  const rounds = prepared.map((): Round[] => []);
  for (const { index, copy, own, start, connection } of connected) {
    const till = copy.otherIsolate();
    rounds[index]?.push({ start, connection, sale: await firstSale(till, own) });
    till.close();
    own.terminal.drop();
  }
  await Promise.all(connected.map(({ copy }) => copy.stop()));
  return rounds;
}

/** 0, 1, then 1, 0: so each is as often the first. */
function inTurn(number: number, count: number): number {
  const round = Math.floor(number / count);
  return (number + round) % count;
}

function rowOf(name: string, rounds: readonly Round[]) {
  return {
    name,
    start: spreadOf(rounds.map(({ start }) => start)),
    connection: spreadOf(rounds.map(({ connection }) => connection)),
    sale: spreadOf(rounds.map(({ sale }) => sale)),
  };
}
