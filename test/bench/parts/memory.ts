/**
 * Memory of what is idle: how much a process grows with each connected terminal whose object sleeps, with each account
 * whose object is in memory, and with each whose object was. In separate processes, which collect all garbage each time
 * that they collect any: what waits to be collected would be most of what is seen.
 */
import { setTimeout } from "node:timers/promises";
import type { MemoryFigures } from "../../../src/docs/build/speed-figures.ts";
import { residentBytes } from "../measure.ts";
import type { Pair } from "../parties.ts";
import { AccountBaseline } from "../subjects/baselines.ts";
import { quantile } from "../spread.ts";
import { Gateway } from "../subjects/gateway.ts";
import { type Enrolled, eightAtOnce, type Till, type WorkerSubject } from "../subjects/subject.ts";
import { awakeObjects, UNTIL_ASLEEP } from "./objects.ts";
import { type Run, withStopped } from "./part.ts";

/** What the first step leaves (compiled code, memory that the process keeps) is there for the others. */
const STEPS = 5;
const TERMINALS_PER_STEP = 500;
const ACCOUNTS_PER_STEP = 100;

const AT_ONCE = 20;
const BETWEEN = 500;

/** An object that is called this often stays in memory: it would be evicted after 10 s. */
const CALL_EVERY = 5_000;

type Kind = typeof Gateway | typeof AccountBaseline;
const KINDS: readonly Kind[] = [Gateway, AccountBaseline];

/** As fast for every subject, so that as many objects are in memory at a time. */
export async function connectSlowly(subject: WorkerSubject, pairs: readonly Pair[]): Promise<Enrolled[]> {
  const connected: Enrolled[] = [];
  await slowly(pairs, async (some) => void connected.push(...(await subject.connect(some))));
  return connected;
}

async function slowly<Item>(items: readonly Item[], work: (some: readonly Item[]) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    await Promise.all([work(items.slice(first, first + AT_ONCE)), setTimeout(BETWEEN)]);
  }
}

export async function measureMemory(run: Run): Promise<MemoryFigures> {
  const rows = await Promise.all(
    KINDS.map(async (kind) => {
      const [terminals, accounts] = await Promise.all([ofTerminals(run, kind), ofAccounts(run, kind)]);
      return { ...terminals, ...accounts };
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

function ofTerminals(run: Run, kind: Kind): Promise<Pick<Row, "name" | "terminal">> {
  return withStopped(async (add) => {
    const subject = add(await kind.start(await run.folder("memory"), { v8Flags: ["--gc-global"] }));
    const perStep = run.size(TERMINALS_PER_STEP, 20);
    const pairs = await subject.enrol(run.size(STEPS, 2) * perStep);
    // To enrol them woke many objects at once, whose memory the process would keep.
    await subject.restart();
    const fleet: Enrolled[] = [];
    const terminal = await bytesPerStep(run, subject, perStep, async () => {
      fleet.push(...(await connectSlowly(subject, pairs.slice(fleet.length, fleet.length + perStep))));
      await setTimeout(UNTIL_ASLEEP);
    });
    for (const { terminal: connected } of fleet) connected.close();
    return { name: subject.name, terminal };
  });
}

/** First those that are evicted: what they leave in the process does not grow with those that stay. */
function ofAccounts(run: Run, kind: Kind): Promise<Pick<Row, "awakeAccount" | "evictedAccount">> {
  return withStopped(async (add) => {
    const subject = add(await kind.start(await run.folder("memory"), { v8Flags: ["--gc-global"] }));
    const perStep = run.size(ACCOUNTS_PER_STEP, 20);
    const count = run.size(STEPS, 2) * perStep;
    const tills = await subject.tills(2 * count);
    await subject.restart();
    const wake = (some: readonly Till[]): Promise<unknown> => eightAtOnce(some, (till) => subject.wake(till));
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
  });
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
