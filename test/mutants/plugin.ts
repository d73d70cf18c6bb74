/** Gives the tests the code with its mutants, and `every-mutant.ts` the tests and the list of mutants. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { mutantsOf, type Mutant } from "./mutants.ts";
import type { TestFiles } from "./rooms.ts";
import { withCountedLoops, withMutants } from "./schemata.ts";

export interface Numbered extends Mutant {
  number: number;
  room: string;
}

/** How many files of tests that come to a mutant are asked. With five, a quarter of those that survived were noticed by others. */
const TRIED = 30;

/** All mutants of these files, numbered from 1. */
export function numberedMutants(
  root: string,
  rooms: readonly { name: string; files: readonly string[] }[],
): Numbered[] {
  return rooms
    .flatMap(({ name: room, files }) =>
      files.flatMap((file) =>
        mutantsOf(file, readFileSync(join(root, file), "utf8")).map((mutant) => ({ ...mutant, room })),
      ),
    )
    .map((mutant, index) => ({ ...mutant, number: index + 1 }));
}

/** @param mutants the mutants to run */
export function mutantsPlugin(root: string, mutants: readonly Numbered[], testFiles: TestFiles): Plugin {
  const here = join(root, "test/mutants");
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const testsAbout = new Map([...byFile.keys()].map((file) => [file, testFiles.about(file)]));
  return {
    name: "mutants",
    enforce: "pre",
    resolveId: (source) => (source === "virtual:mutants" ? "\0virtual:mutants" : undefined),
    load(id) {
      if (id !== "\0virtual:mutants") return undefined;
      const list = mutants.map(({ number, file, lineNumber, change }) => ({
        number,
        name: `${file}:${lineNumber} ${change}`,
        tests: testsAbout.get(file) ?? [],
      }));
      const files = [...new Set([...testsAbout.values()].flat())].map(
        (path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(join(root, path))})`,
      );
      return (
        `export const mutants = ${JSON.stringify(list)};\nexport const files = { ${files.join(", ")} };\n` +
        `export const triedFiles = ${TRIED};`
      );
    },
    transform(code, id) {
      const path = relative(root, id.replace(/\?.*$/u, ""));
      if (!path.endsWith(".ts") || path.startsWith("..") || path.startsWith("node_modules")) return undefined;
      if (path.startsWith("test/mutants/") && !path.endsWith(".test.ts")) return undefined;
      const collected = `from ${JSON.stringify(join(here, "collected.ts"))}`;
      const changed = withMutants(code, byFile.get(path) ?? []);
      return { code: withCountedLoops(changed).replaceAll(/from "vitest"/gu, collected), map: null };
    },
  };
}
