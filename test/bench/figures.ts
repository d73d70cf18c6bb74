/** What `npm run bench` measures, as `--save` writes it to `src/docs/speed.json`, and the gateway's goals. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { LOGINS, PROMPT } from "../../src/docs/build/speed.ts";
import type { PARTS } from "./parts/parts.ts";
import type { Spread } from "./spread.ts";
import { ROOT } from "./workerd.ts";

export type PartName = keyof typeof PARTS;

/** A part that is measured again replaces the one before. Times are in milliseconds. */
export type SpeedFigures = { [Name in PartName]?: Measured<Awaited<ReturnType<(typeof PARTS)[Name]["measure"]>>> };

export interface Measured<Figures> {
  /** ISO 8601. */
  at: string;
  machine: string;
  onDisk: boolean;
  /** The share of the machine that other work took just before. */
  othersPercent: number;
  seconds: number;
  figures: Figures;
}

/** Null if it was not measured, or the machine does not tell. */
type Found = { value: number; rounds: Spread | null } | null;

type Goal = [what: string, atMost: number, measured: (figures: SpeedFigures) => Found];

const GOALS: readonly Goal[] = [
  ["CPU of a sale at 50 terminals, × the baseline's", 1.3, (figures) => median(loadOf(figures, 50)?.cpu)],
  ["median at 1 terminal, ms above the baseline's", 0.9, (figures) => median(loadOf(figures, 1)?.addedMedian)],
  [
    "first sale, cold, median × the baseline's",
    2,
    (figures) => {
      const cold = onDisk(figures.cold);
      return cold === null ? null : { value: cold.ratio, rounds: cold.ratios };
    },
  ],
  ...Object.entries(LOGINS).map(([kind, logins]): Goal => [
    `p99 next to 30 ${logins} at once, × that without`,
    3,
    (figures) => median(onDisk(figures.logins)?.find((one) => one.kind === kind)?.ratios),
  ]),
  [
    "p99 at 100 sales a second of one account, ms",
    PROMPT,
    (figures) => {
      const rate = onDisk(figures.account)?.rates.find(({ perSecond }) => perSecond === 100);
      return rate === undefined ? null : { value: rate.p99, rounds: null };
    },
  ],
];

/** `met` and `measured` are null if the goal's figures were not measured. */
export function judge(figures: SpeedFigures) {
  return GOALS.map(([goal, atMost, measured]) => {
    const { value = null, rounds = null } = measured(figures) ?? {};
    return { goal, atMost, measured: value, rounds, met: value === null ? null : value <= atMost };
  });
}

function loadOf(figures: SpeedFigures, many: number) {
  return onDisk(figures.load)?.find(({ terminals }) => terminals === many);
}

function onDisk<Figures>(part: Measured<Figures> | undefined): Figures | null {
  return part?.onDisk ? part.figures : null;
}

function median(rounds: Spread | null | undefined): Found {
  return rounds ? { value: rounds.median, rounds } : null;
}

export const SPEED_FILE = join(ROOT, "src", "docs", "speed.json");

/** Puts the parts that were measured in the place of those before; others stay. */
export async function saveFigures(figures: SpeedFigures, path = SPEED_FILE): Promise<void> {
  const before = JSON.parse(await readFile(path, "utf8")) as SpeedFigures;
  await writeFile(path, await format(jsonOf({ ...before, ...figures }), { parser: "json", printWidth: 120 }));
}

/** With four digits of each number: more would be noise. */
export function jsonOf(figures: unknown): string {
  return JSON.stringify(figures, (_, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value,
  );
}
