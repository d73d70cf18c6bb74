/** The words on the command line. */
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../../src/outcomes/result.ts";

/** What is computed for. All may be averages. */
export interface Fleet {
  terminals: number;
  /** Transfers of a terminal in a day. */
  perDay: number;
  /** Terminals of one account. */
  perAccount: number;
  /** Percent of the accounts that have a webhook. */
  webhooks: number;
}

export interface Options extends Fleet {
  json: boolean;
  /** Writes the numbers of the documentation's page instead. */
  docs: boolean;
}

export const DEFAULT_FLEET: Fleet = { terminals: 1_000_000, perDay: 50, perAccount: 1, webhooks: 10 };

export const USAGE = `npm run capacity -- [flags]

Computes what a fleet does to each part of the platform, what ends first, what it costs in a month, how long a sale takes by
region, and how long D1 works for a fleet that comes back after an outage: from the operations that test/cost counts, the waits
of the real clients, and public prices and limits.

  --terminals NUMBER    terminals of the fleet (1000000)
  --per-day NUMBER      transfers of each in a day (50)
  --per-account NUMBER  terminals of one account (1)
  --webhooks PERCENT    accounts that have a webhook (10)
  --json                prints everything as JSON
  --docs                writes the numbers of the page /docs/capacity
  --help                this text`;

/** Each number's flag, and its lowest and highest value. */
const NUMBERS = {
  terminals: { flag: "terminals", from: 1, to: 10_000_000 },
  perDay: { flag: "per-day", from: 1, to: 10_000 },
  perAccount: { flag: "per-account", from: 1, to: 100_000 },
  webhooks: { flag: "webhooks", from: 0, to: 100 },
} as const;

/** Reads the command line. The error is one sentence. */
export function readOptions(words: string[]): Result<Options | "help", string> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const numbers = { terminals: text, "per-day": text, "per-account": text, webhooks: text };
  let values;
  try {
    ({ values } = parseArgs({ args: words, options: { ...numbers, json: flag, docs: flag, help: flag } }));
  } catch (error) {
    // The first sentence: Node's own has the mistake in it, and explains itself in further ones.
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/\.?(?:\s*\n|\. )/u);
    return err(`${sentence}. See --help.`);
  }
  if (values.help) return ok("help");
  const fleet = { ...DEFAULT_FLEET };
  for (const name of Object.keys(NUMBERS) as (keyof Fleet)[]) {
    const { flag: option, from, to } = NUMBERS[name];
    const word = values[option];
    if (word === undefined) continue;
    const number = /^\d+(?:\.\d+)?$/u.test(word) ? Number(word) : NaN;
    if (!(number >= from && number <= to)) return err(`--${option} takes a number from ${from} to ${to}, not ${word}.`);
    fleet[name] = number;
  }
  if (fleet.perAccount > fleet.terminals) return err("--per-account must not be more than --terminals.");
  return ok({ ...fleet, json: values.json, docs: values.docs });
}
