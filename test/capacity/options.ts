/** The words on the command line. */
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../../src/outcomes/result.ts";

export interface Options {
  terminals: number;
  /** Transfers of a terminal in a day. */
  perDay: number;
  /** Terminals of one account. */
  perAccount: number;
  /** Terminals that share one address. */
  perAddress: number;
  /** Percent of the accounts that have a webhook. */
  webhooks: number;
  /** Minutes that nobody can reach the gateway. */
  outage: number;
  seed: number;
  /** Leaves the simulations out. */
  quick: boolean;
  json: boolean;
  /** Writes the numbers of the documentation's page instead. */
  docs: boolean;
}

export const USAGE = `npm run capacity -- [flags]

Computes what a fleet does to each part of the platform, what ends first, what it costs in a month, and how long a sale
takes by region: from the operations that test/cost counts, and public prices and limits. Then it plays midnight, when
every till logs in, and an outage with the storm of reconnects after it, with the waits of the real clients.

  --terminals NUMBER    terminals of the fleet, up to 2,000,000 (1000000)
  --per-day NUMBER      transfers of each in a day (50)
  --per-account NUMBER  terminals of one account (1)
  --per-address NUMBER  terminals behind one address (1)
  --webhooks PERCENT    accounts that have a webhook (10)
  --outage MINUTES      how long nobody can reach the gateway, up to 60 (5)
  --seed NUMBER         of the simulations: the same seed gives the same numbers (1)
  --quick               leaves the simulations out; a million terminals take about a minute
  --json                prints everything as JSON
  --docs                writes the numbers of the page /docs/capacity
  --help                this text`;

/** A flag with a number: its lowest and highest value, and its default. */
const NUMBERS = {
  terminals: { from: 1, to: 2_000_000, otherwise: 1_000_000 },
  "per-day": { from: 1, to: 10_000, otherwise: 50 },
  "per-account": { from: 1, to: 100_000, otherwise: 1 },
  "per-address": { from: 1, to: 100_000, otherwise: 1 },
  webhooks: { from: 0, to: 100, otherwise: 10 },
  outage: { from: 1, to: 60, otherwise: 5 },
  seed: { from: 0, to: 4_294_967_295, otherwise: 1 },
};

type NumberFlag = keyof typeof NUMBERS;

/** Reads the command line. The error is one sentence. */
export function readOptions(words: string[]): Result<Options | "help", string> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const numbers = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, text])) as Record<
    NumberFlag,
    typeof text
  >;
  let values;
  try {
    ({ values } = parseArgs({
      args: words,
      options: { ...numbers, quick: flag, json: flag, docs: flag, help: flag },
    }));
  } catch (error) {
    // The first sentence: Node's own has the mistake in it, and explains itself in further ones.
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/\.?(?:\s*\n|\. )/u);
    return err(`${sentence}. See --help.`);
  }
  if (values.help) return ok("help");
  const read: Partial<Record<NumberFlag, number>> = {};
  for (const [name, { from, to, otherwise }] of Object.entries(NUMBERS) as [NumberFlag, (typeof NUMBERS)["seed"]][]) {
    const word = values[name];
    const number = word === undefined ? otherwise : /^\d{1,10}$/u.test(word) ? Number(word) : NaN;
    if (!(number >= from && number <= to)) {
      return err(`--${name} takes a whole number from ${from} to ${to}, not ${word}.`);
    }
    read[name] = number;
  }
  const of = (name: NumberFlag): number => read[name] ?? NUMBERS[name].otherwise;
  if (of("per-account") > of("terminals")) return err("--per-account must not be more than --terminals.");
  return ok({
    terminals: of("terminals"),
    perDay: of("per-day"),
    perAccount: of("per-account"),
    perAddress: of("per-address"),
    webhooks: of("webhooks"),
    outage: of("outage"),
    seed: of("seed"),
    quick: values.quick,
    json: values.json,
    docs: values.docs,
  });
}
