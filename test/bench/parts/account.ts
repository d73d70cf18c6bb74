/** Whether one account, which is one object, keeps up with a thousand terminals that make a hundred sales a second. */
import { setTimeout } from "node:timers/promises";
import type { AccountFigures, PacedFigures } from "../figures.ts";
import { cpuPerThousand, pace, pooled, type PacedStretch } from "../measure.ts";
import { inRounds } from "../rounds.ts";
import { cpuRatio, quantile, shown } from "../spread.ts";
import { type Enrolled, PER_ACCOUNT, type Subject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./run.ts";

const TERMINALS = 1_000;
const PER_SECOND = 100;

/** Milliseconds of a turn, in which each terminal makes one sale. */
const LASTS = (TERMINALS / PER_SECOND) * 1_000;
const ROUNDS = 3;

/** Sales that come within half a second: more that wait are a queue that grows. */
const KEPT_UP = PER_SECOND / 2;

/** As fast for every subject, so that as many objects are in memory at a time. */
const CONNECT_AT_ONCE = 20;
const CONNECT_EVERY = 500;

/** The same load on one account, and on as many as the other parts have. */
export async function measureAccount(run: Run): Promise<AccountFigures> {
  const subjects = await run.both();
  const terminals = run.size(TERMINALS, 100);
  const milliseconds = run.size(LASTS, 1_000);
  const contenders = new Map<string, { subject: Subject; turn: () => Promise<PacedStretch> }>();
  const all: Enrolled[] = [];
  for (const [whose, perAccount] of Object.entries({ many: PER_ACCOUNT, one: terminals })) {
    await Promise.all(
      subjects.map(async (subject) => {
        const fleet = await connect(subject, terminals, perAccount);
        all.push(...fleet);
        const turn = () => pace(subject, fleet, PER_SECOND, milliseconds);
        contenders.set(`${subject.name}, ${whose}`, { subject, turn });
      }),
    );
  }
  const turns = await inRounds(contenders, { rounds: run.size(ROUNDS, 1), milliseconds });
  closeAll(all);
  const rows = subjects.map(({ name }) => {
    const [one = [], many = []] = ["one", "many"].map((whose) => turns.get(`${name}, ${whose}`));
    return { name, one: figuresOf(one), many: figuresOf(many), cpu: cpuRatio(one, many) };
  });
  const figures = { terminals, perSecond: PER_SECOND, accounts: Math.ceil(terminals / PER_ACCOUNT), rows };
  print(figures);
  return figures;
}

async function connect(subject: Subject, terminals: number, perAccount: number): Promise<Enrolled[]> {
  const pairs = await subject.enrol(terminals, perAccount);
  const connected: Enrolled[] = [];
  while (connected.length < pairs.length) {
    const next = pairs.slice(connected.length, connected.length + CONNECT_AT_ONCE);
    const [some] = await Promise.all([subject.connect(next), setTimeout(CONNECT_EVERY)]);
    connected.push(...some);
  }
  return connected;
}

function figuresOf(turns: readonly PacedStretch[]): PacedFigures {
  const together = pooled(turns);
  const behind = Math.max(...turns.map((turn) => turn.behind));
  const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
  return {
    perSecond: together.latencies.length / together.seconds,
    behind,
    refused,
    keepsUp: behind <= KEPT_UP && refused === 0,
    p50: quantile(together.latencies, 0.5),
    p99: quantile(together.latencies, 0.99),
    cpu: cpuPerThousand(together),
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

function shownPaced({ perSecond, behind, refused, keepsUp, p50, p99, cpu }: PacedFigures): string {
  return [
    `${perSecond.toFixed(1)} answered, ${behind} behind at the end, ${refused} refused${keepsUp ? "" : ": does not keep up"}`,
    `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    ...(cpu === null ? [] : [`CPU ${cpu.toFixed(2)} s per 1,000`]),
  ].join("; ");
}
