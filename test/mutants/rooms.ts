/** Which code is mutated, and in which order the files of tests are asked whether they notice. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Mutant, mutantsOf } from "./mutants.ts";

/** The folders of `src` with decisions. */
const ROOMS = [
  "account",
  "binding",
  "bounds",
  "card-data",
  "client",
  "conformance",
  "enrolment",
  "http",
  "keeper",
  "keys",
  "objects",
  "outcomes",
  "protocol",
  "rpc",
  "signing",
  "simulator",
  "statistics",
  "storage",
  "terminal",
  "time",
  "validation",
];

/** Descriptions for people, which test/contracts compares with what the gateway does, and what needs a machine of its own. */
const WITHOUT = [
  "src/client/dist/**",
  "src/http/openapi/**",
  "src/protocol/schemas/**",
  "src/http/**/{components,contract,responses,examples}.ts",
  "src/conformance/{listen,tester}.ts",
];

/** Tests that run in one process of Node: `test/workers-on-node` stands in for the Workers runtime. */
const TESTS = [
  "test/{account,bounds,client,contracts,http,keeper,keys,objects,outcomes,protocol,rpc,signing}/**/*.test.ts",
  "test/{statistics,storage,terminal,time,transfer,validation,simulator}/**/*.test.ts",
  "test/model/{regressions.test.ts,untold/*.test.ts}",
  "test/mutants/*.test.ts",
  "test/node/{deadline,file-store,ledger-file,login-after-midnight,operator-csv}.test.ts",
  "test/console/operator/enrolment.test.ts",
  "test/node/contracts/{agreement,examples,fields}.test.ts",
  "test/node/conformance/terminals/*.test.ts",
  "test/node/conformance/{credentials,judges,pos,pos-counterpart,pos-drivers,steps}.test.ts",
];

/** Tests of objects of full size and of running times. */
const TESTS_WITHOUT = ["test/terminal/{open-rows,any-moment}.test.ts"];

export interface Numbered extends Mutant {
  number: number;
  room: string;
}

/** All mutants of the rooms' files, numbered from 1. @param wanted from the project's root; null: all */
export function numberedMutants(root: string, wanted: ReadonlySet<string> | null): Numbered[] {
  return ROOMS.flatMap((room) =>
    globSync(`src/${room}/**/*.ts`, { cwd: root, exclude: WITHOUT })
      .filter((file) => wanted?.has(file) ?? true)
      .toSorted()
      .flatMap((file) =>
        mutantsOf(file, readFileSync(join(root, file), "utf8")).map((mutant) => ({ ...mutant, room })),
      ),
  ).map((mutant, index) => ({ ...mutant, number: index + 1 }));
}

/** The files that a file loads, from the project's root. What the Workers runtime has is in `test/workers-on-node`. */
function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const imports = [...text.matchAll(/(?:from|import|import\() ?"((?:\.|cloudflare:)[^"]+)"/gu)];
  return imports.map(([, path = ""]) => {
    if (path === "cloudflare:workers") return "test/workers-on-node/workers.ts";
    return path === "cloudflare:test" ? "test/workers-on-node/control.ts" : join(dirname(file), path);
  });
}

const wordsOf = (path: string): string[] =>
  path
    .replace(/(?:\.test)?\.ts$/u, "")
    .split(/[/-]/u)
    .slice(1);

/** The terminal's object does what a transfer asks for. */
const ALSO: Readonly<Record<string, string>> = { terminal: "transfer" };

/** How many steps nearer a file of tests counts for each word that its path shares with the code's. */
const WORD = 3;

/** Also if one is in the plural, or in another form. */
const isAlike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

export class TestFiles {
  readonly #tests: string[];
  /** Who loads a file. */
  readonly #loaders = new Map<string, string[]>();

  constructor(root: string) {
    this.#tests = globSync(TESTS, { cwd: root, exclude: TESTS_WITHOUT }).toSorted();
    const seen = new Set(this.#tests);
    for (const file of seen) {
      for (const loaded of importsOf(root, file).filter((path) => path.endsWith(".ts"))) {
        this.#loaders.set(loaded, [...(this.#loaders.get(loaded) ?? []), file]);
        seen.add(loaded);
      }
    }
  }

  /** The files of tests that load some code, those first that are most likely about it: by their names, and by how directly. */
  about(code: string): string[] {
    const distances = new Map([[code, 0]]);
    for (const [file, distance] of distances) {
      for (const loader of this.#loaders.get(file) ?? []) {
        if (!distances.has(loader)) distances.set(loader, distance + 1);
      }
    }
    const words = wordsOf(code).flatMap((word) => [word, ALSO[word] ?? word]);
    const shared = (test: string): string[] => wordsOf(test).filter((word) => words.some((own) => isAlike(own, word)));
    const rank = (test: string): number => (distances.get(test) ?? Infinity) - WORD * shared(test).length;
    return this.#tests.filter((test) => distances.has(test)).toSorted((a, b) => rank(a) - rank(b));
  }
}
