/** Gives the tests the code with its mutants, and `every-mutant.ts` the tests and the list of mutants. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { mutantsOf, type Mutant } from "./mutants.ts";
import { withCountedLoops, withMutants } from "./schemata.ts";

export interface Numbered extends Mutant {
  number: number;
}

export interface Selected {
  root: string;
  /** Every mutant of the files; those with `chosen` numbers are run. */
  mutants: readonly Numbered[];
  chosen: ReadonlySet<number>;
  tests: readonly string[];
}

/** All mutants of these files, numbered from 1. */
export function numberedMutants(root: string, files: readonly string[]): Numbered[] {
  return files
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")))
    .map((mutant, index) => ({ ...mutant, number: index + 1 }));
}

export function mutantsPlugin({ root, mutants, chosen, tests }: Selected): Plugin {
  const here = join(root, "test/mutants");
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  return {
    name: "mutants",
    enforce: "pre",
    resolveId: (source) => (source === "virtual:mutants" ? "\0virtual:mutants" : undefined),
    load(id) {
      if (id !== "\0virtual:mutants") return undefined;
      const list = mutants
        .filter(({ number }) => chosen.has(number))
        .map(({ number, file, lineNumber, change }) => ({
          number,
          name: `${file}:${lineNumber} ${change}`,
        }));
      const files = tests.map((path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(join(root, path))})`);
      return `export const mutants = ${JSON.stringify(list)};\nexport const files = { ${files.join(", ")} };`;
    },
    transform(code, id) {
      const path = relative(root, id.replace(/\?.*$/u, ""));
      if (!path.endsWith(".ts") || path.startsWith("..") || path.startsWith("node_modules")) return undefined;
      if (path.startsWith("test/mutants/") && !path.endsWith(".test.ts")) return undefined;
      const own = byFile.get(path);
      const changed = own === undefined ? code : withMutants(code, own, own[0]?.number ?? 1);
      const collected = `from ${JSON.stringify(join(here, "collected.ts"))}`;
      return { code: withCountedLoops(changed).replaceAll(/from "vitest"/gu, collected), map: null };
    },
  };
}
