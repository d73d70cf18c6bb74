/** What a transfer takes, next to two baselines and to a plain Node process. */
import type { LoadFigures } from "../../../src/docs/build/speed-figures.ts";
import { drive } from "../measure.ts";
import { printTable, summarise } from "../report.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { AccountBaseline, D1Baseline } from "../subjects/baselines.ts";
import { Gateway } from "../subjects/gateway.ts";
import { startPlainNode } from "../subjects/plain-node.ts";
import type { Enrolled, Name, Subject } from "../subjects/subject.ts";
import { type Run, withStopped } from "./part.ts";

/** Everything runs unmeasured for this many milliseconds first: compilers and caches take thousands of transfers to complete. */
const FIRST_WARM_UP = 20_000;

/** Terminals that are connected at least: one that works all the time would work faster than any customer pays. */
const FLEET = 50;

export async function measureLoad(run: Run): Promise<LoadFigures[]> {
  return withStopped(async (add) => {
    const subjects: Subject[] = [
      add(await Gateway.start(await run.folder("gateway"))),
      add(await AccountBaseline.start(await run.folder("account-baseline"))),
      add(await D1Baseline.start(await run.folder("d1-baseline"))),
      add(await startPlainNode(await run.folder("plain-node"))),
    ];
    return load(run, subjects);
  });
}

async function load({ options }: Run, subjects: readonly Subject[]): Promise<LoadFigures[]> {
  const most = Math.max(FLEET, ...options.terminals);
  const fleets = new Map<Subject, Enrolled[]>();
  for (const subject of subjects) fleets.set(subject, await subject.connect(await subject.enrol(most)));
  if (!options.quick) {
    for (const [subject, fleet] of fleets) await drive(subject, fleet, FIRST_WARM_UP, FLEET);
  }
  const figures: LoadFigures[] = [];
  for (const terminals of options.terminals) {
    const contenders = new Map<Name, Contender>(
      [...fleets].map(([subject, fleet]) => [
        subject.name,
        { subject, turn: (milliseconds) => drive(subject, fleet, milliseconds, terminals) },
      ]),
    );
    const found = summarise(terminals, await inRounds(contenders, options));
    printTable(found);
    figures.push(found);
  }
  for (const { terminal } of [...fleets.values()].flat()) terminal.close();
  return figures;
}
