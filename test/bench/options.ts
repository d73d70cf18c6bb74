import { join } from "node:path";
import { number, text, textLike, toggle } from "../../src/command-line/flags.ts";
import { UsageError } from "../../src/command-line/invocation.ts";
import { readTool, whole } from "../support/tool.ts";
import type { PartName } from "./figures.ts";
import { PARTS } from "./parts/parts.ts";

const ABOUT = `npm run bench -- [flags]

Measures the gateway's Worker in local workerd, beside a baseline that makes the gateway's calls to the platform and decides
nothing. What is compared takes turns in many short rounds. Each ratio is the median of the rounds' ratios, and half of them
lie between the two numbers in parentheses. Tells whether the goals are met, which are for databases on disk. The first flags
name parts; --load unless others are named.`;

const PART_NAMES = Object.keys(PARTS) as PartName[];

const PART_FLAGS = Object.fromEntries(PART_NAMES.map((name) => [name, toggle(PARTS[name].what)]));

const FLAGS = {
  all: toggle("all of them, in about a quarter of an hour"),
  terminals: textLike(
    /^[1-9]\d*(?:,[1-9]\d*)*$/u,
    "numbers above 0",
    "1,50",
    "terminals that work at a time, one row each",
  ),
  rounds: whole("turns of each (20)"),
  seconds: number(/^(?:[1-9]\d*|0\.[1-9])$/u, "a number above 0", "NUMBER", "length of one turn (1)"),
  quick: toggle("everything small and short: shows that it runs, measures nothing well"),
  save: toggle("writes the results to src/docs/speed.json, which /docs/speed shows; other parts' stay"),
  folder: text("DIR", "where databases are made; one in memory (/dev/shm) leaves out what the disk takes"),
  json: text("FILE", "where results are written (.wrangler/bench.json)"),
};

export interface Options {
  parts: readonly PartName[];
  /** Numbers of terminals that work at a time. */
  terminals: number[];
  rounds: number;
  /** Of a turn. */
  milliseconds: number;
  /** Little is measured, and nothing is warmed up. */
  quick: boolean;
  save: boolean;
  /** For databases; null: among the temporary files. */
  folder: string | null;
  json: string;
}

export function readOptions(args: string[]): Options {
  const { values } = readTool(args, ABOUT, { ...PART_FLAGS, ...FLAGS });
  const { quick = false, save = false, all = false, folder = null } = values;
  if (quick && save) throw new UsageError("--quick measures nothing that is worth to --save.");
  const named = PART_NAMES.filter((name) => all || name in values);
  return {
    parts: named.length === 0 ? ["load"] : named,
    terminals: (values.terminals ?? (quick ? "1,10" : "1,50")).split(",").map(Number),
    rounds: values.rounds ?? (quick ? 2 : 20),
    milliseconds: (values.seconds ?? (quick ? 0.5 : 1)) * 1_000,
    quick,
    save,
    folder,
    json: values.json ?? join(import.meta.dirname, "../../.wrangler/bench.json"),
  };
}
