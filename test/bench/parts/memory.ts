/**
 * Memory of what is idle: how much a process grows with each connected terminal whose object sleeps, with each account
 * whose object is in memory, and with each whose object was. In separate processes, which collect all garbage each time
 * that they collect any: what waits to be collected would be most of what is seen.
 */
import { setTimeout } from "node:timers/promises";
import type { MemoryFigures } from "../../../src/docs/build/speed-figures.ts";
import { residentBytes } from "../machine.ts";
import { quantile } from "../spread.ts";
import { ACCOUNT_BASELINE } from "../subjects/baselines.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import { type AccountKind, type Enrolled, eightAtOnce, type Till, type WorkerSubject } from "../subjects/subject.ts";
import { awakeObjects, closeAll, connectSlowly, type Run, slowly, UNTIL_ASLEEP } from "./part.ts";

/** What the first step leaves (compiled code, memory that the process keeps) is there for the others. */
const STEPS = 5;
const TERMINALS_PER_STEP = 500;
const ACCOUNTS_PER_STEP = 100;

/** An object that is called this often stays in memory: it would be evicted after 10 s. */
const CALL_EVERY = 5_000;

const COLLECTING = { v8Flags: ["--gc-global"] };

export async function measureMemory(run: Run): Promise<MemoryFigures> {
  const rows = await Promise.all(
    [GATEWAY, ACCOUNT_BASELINE].map(async (kind) => {
      const [terminal, accounts] = await Promise.all([ofTerminals(run, kind), ofAccounts(run, kind)]);
      return { name: kind.name, terminal, ...accounts };
    }),
  );
  for (const { name, terminal, awakeAccount, evictedAccount } of rows) {
    const accounts = `account ${shown(awakeAccount)} in memory and ${shown(evictedAccount)} evicted`;
    console.log(`${name}: idle terminal ${shown(terminal)}, ${accounts}`);
  }
  return { rows };
}

function shown(bytes: number | null): string {
  return bytes === null ? "unknown" : `${Math.round(bytes / 1_000)} kB`;
}

type Row = MemoryFigures["rows"][number];

async function ofTerminals(run: Run, kind: AccountKind): Promise<Row["terminal"]> {
  const subject = await run.start(kind, COLLECTING);
  const perStep = run.size(TERMINALS_PER_STEP, 20);
  const pairs = await subject.enrol(run.size(STEPS, 2) * perStep);
  // To enrol them woke many objects at once, whose memory the process would keep.
  await subject.restart();
  const fleet: Enrolled[] = [];
  const bytes = await bytesPerStep(run, subject, perStep, async () => {
    fleet.push(...(await connectSlowly(subject, pairs.slice(fleet.length, fleet.length + perStep))));
    await setTimeout(UNTIL_ASLEEP);
  });
  closeAll(fleet);
  return bytes;
}

/** First those that are evicted: what they leave in the process does not grow with those that stay. */
async function ofAccounts(run: Run, kind: AccountKind): Promise<Pick<Row, "awakeAccount" | "evictedAccount">> {
  const subject = await run.start(kind, COLLECTING);
  const perStep = run.size(ACCOUNTS_PER_STEP, 20);
  const count = run.size(STEPS, 2) * perStep;
  const tills = await kind.tills(subject, 2 * count);
  await subject.restart();
  const wake = (some: readonly Till[]): Promise<unknown> => eightAtOnce(some, (till) => kind.wake(subject, till));
  let first = 0;
  const evictedAccount = await bytesPerStep(run, subject, perStep, async () => {
    await slowly(tills.slice(first, (first += perStep)), async (some) => void (await wake(some)));
    await setTimeout(UNTIL_ASLEEP);
  });
  const awakeAccount = await bytesPerStep(run, subject, perStep, async () => {
    first += perStep;
    const awake = tills.slice(count, first);
    for (let call = 0; call < 2; call++) await Promise.all([wake(awake), setTimeout(CALL_EVERY)]);
    const found = await awakeObjects(subject);
    if (found !== null && found < awake.length) throw new Error(`${found} of ${awake.length} objects are in memory`);
  });
  return { awakeAccount, evictedAccount };
}

/**
 * How much the process grows with each of so many that a step adds: the median of the steps, as a process returns memory
 * to the system now and then.
 */
async function bytesPerStep(
  run: Run,
  { pid }: WorkerSubject,
  perStep: number,
  step: () => Promise<void>,
): Promise<number | null> {
  const bytes: (number | null)[] = [];
  for (let number = 0; number < run.size(STEPS, 2); number++) {
    await step();
    bytes.push(await residentBytes(pid));
  }
  const known = bytes.filter((one) => one !== null);
  const grown = known.slice(1).map((one, before) => (one - (known[before] ?? one)) / perStep);
  return grown.length === 0 ? null : Math.round(quantile(grown, 0.5));
}
