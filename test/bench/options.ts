/** The bench's words on the command line. */
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** The parts that run: all, or those that are named. */
  parts: readonly string[] | "all";
  /** Numbers of terminals that work at a time. */
  terminals: number[];
  rounds: number;
  /** Of a turn. */
  milliseconds: number;
  /** Shows that it runs: little is measured, and nothing is warmed up. */
  quick: boolean;
  /** Whether the documentation gets the results. */
  save: boolean;
  /** Where databases are made; the machine's folder for temporary files unless given. */
  folder: string | null;
  json: string;
}

/** @param parts what each part measures, by its name */
function helpOf(parts: Record<string, string>): string {
  const flags = Object.entries(parts).map(([name, what]) => `  ${`--${name}`.padEnd(21)}  ${what}`);
  return `npm run bench -- [options]

Measures the gateway's Worker in local workerd, beside a baseline that makes the gateway's calls to the platform and decides
nothing. What is compared takes turns in many short rounds. Each ratio is the median of the rounds' ratios, and half of them
lie between the two numbers in parentheses. Tells whether the goals are met, which are for databases on disk.

Parts; --load unless others are named:
${flags.join("\n")}
  --all                  all of them, in about a quarter of an hour

  --terminals 1,50       terminals that work at a time, one row each
  --rounds 20            turns of each
  --seconds 1            length of one turn
  --quick                everything small and short: shows that it runs, measures nothing well
  --save                 writes the results to src/docs/speed.json, which /docs/speed shows; other parts' stay
  --folder DIR           where databases are made; one in memory (/dev/shm) leaves out what the disk takes
  --json FILE            where results are written (.wrangler/bench.json)
`;
}

/** Ends the process if help is wanted. Throws if a word is wrong. */
export function readOptions(words: string[], parts: Record<string, string>): Options {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: words,
    options: {
      ...Object.fromEntries(Object.keys(parts).map((name) => [name, flag])),
      all: flag,
      terminals: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: flag,
      save: flag,
      folder: { type: "string" },
      json: { type: "string", default: join(import.meta.dirname, "../../.wrangler/bench.json") },
      help: flag,
    },
  });
  if (values.help) {
    console.log(helpOf(parts));
    process.exit(0);
  }
  const { quick, save } = values;
  if (quick && save) throw new Error("--quick measures nothing that is worth to --save");
  const named = Object.keys(parts).filter((name) => (values as Record<string, unknown>)[name] === true);
  return {
    parts: values.all ? "all" : named.length === 0 ? ["load"] : named,
    terminals: (values.terminals ?? (quick ? "1,10" : "1,50")).split(",").map(positive),
    rounds: positive(values.rounds ?? (quick ? "2" : "20")),
    milliseconds: Math.round(positive(values.seconds ?? (quick ? "0.5" : "1")) * 1_000),
    quick,
    save,
    folder: values.folder ?? null,
    json: values.json,
  };
}

function positive(word: string): number {
  const number = Number(word);
  if (!(number > 0)) throw new Error(`${word} is not a positive number`);
  return number;
}
