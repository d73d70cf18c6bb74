/** The bench's words on the command line. */
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** Numbers of terminals that work at a time. */
  terminals: number[];
  rounds: number;
  /** Of one subject's turn. */
  milliseconds: number;
  /** Shows that it runs: nothing is warmed up. */
  quick: boolean;
  /** Measures what grows with the fleet and the journal instead. */
  scale: boolean;
  /** Measures sales while tills log in instead. */
  logins: boolean;
  /** Where databases are made; the machine's folder for temporary files unless given. */
  folder: string | null;
  json: string;
}

const HELP = `npm run bench -- [options]

Measures transfers through the gateway's Worker in local workerd, next to a plain Node process and to two floors, which make
calls to the platform and decide nothing: the account floor those that the gateway makes, the D1 floor those that it would
make if an account were rows of D1. Says whether the goals are met, which are for databases on disk.

  --terminals 1,50,200   terminals that work at a time, one table each
  --rounds 20            turns of each: many short ones share what else the machine does fairly
  --seconds 1            length of one turn
  --quick                two rounds of half a second with 1 and 10 terminals: shows that it runs, measures nothing well
  --scale                cost per transfer with 50 and 1,000 terminals, with an empty journal and one of a million rows;
                         100 sales a second of one account with 1,000 terminals; memory per idle terminal
  --logins               a sale while 30 tills log in at once, again and again, next to a sale without: signed, with a password
                         that the gateway drew, with a chosen one
  --folder DIR           where databases are made; one in memory (/dev/shm) leaves out what the disk takes
  --json FILE            where results are written (.wrangler/bench.json)
`;

export function readOptions(words: string[]): Options {
  const { values } = parseArgs({
    args: words,
    options: {
      terminals: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      scale: { type: "boolean", default: false },
      logins: { type: "boolean", default: false },
      folder: { type: "string" },
      json: { type: "string", default: join(import.meta.dirname, "../../.wrangler/bench.json") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const { quick, scale, logins } = values;
  return {
    terminals: (values.terminals ?? (quick ? "1,10" : "1,50,200")).split(",").map(positive),
    rounds: positive(values.rounds ?? (quick ? "2" : "20")),
    milliseconds: Math.round(positive(values.seconds ?? (quick ? "0.5" : "1")) * 1_000),
    quick,
    scale,
    logins,
    folder: values.folder ?? null,
    json: values.json,
  };
}

function positive(word: string): number {
  const number = Number(word);
  if (!(number > 0)) throw new Error(`${word} is not a positive number`);
  return number;
}
