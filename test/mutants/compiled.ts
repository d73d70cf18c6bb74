/**
 * Which mutants compile. The types notice the others as soon as they are written, so they are no mutants of the tests: they are
 * neither killed nor survivors.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Numbered } from "./rooms.ts";

/** The rooms that run on Node and in browsers, which have other types than the Worker. */
const OF_CLIENTS: ReadonlySet<string> = new Set(["client", "conformance", "simulator"]);

/** How code is compiled, and the declarations it needs beside what it imports. */
const WORKER = { config: "tsconfig.json", declarations: ["src/env.d.ts"] };
const CLIENTS: typeof WORKER = { config: "src/client/tsconfig.json", declarations: [] };

/** How many are compiled at once. */
const PORTION = 1_000;

/** The mutants that compile, in their order. */
export function compiling(root: string, mutants: readonly Numbered[]): Numbered[] {
  const good = new Set<Numbered>();
  for (let from = 0; from < mutants.length; from += PORTION) {
    const portion = mutants.slice(from, from + PORTION);
    for (const isOfClients of [false, true]) {
      const own = portion.filter(({ room }) => OF_CLIENTS.has(room) === isOfClients);
      if (own.length > 0) addCompiling(root, isOfClients ? CLIENTS : WORKER, own, good);
    }
  }
  return mutants.filter((mutant) => good.has(mutant));
}

const copyOf = (file: string, number: number): string => `${file.slice(0, -".ts".length)}.${number}.ts`;

/** Compiles a copy of the file for each mutant, and one without a fault: what does not depend on the fault does not count. */
function addCompiling(root: string, as: typeof WORKER, mutants: readonly Numbered[], good: Set<Numbered>): void {
  // Where packages are found. `rootDirs` has a copy import what the file imports.
  const folder = join(root, "node_modules/.cache/mutants");
  rmSync(folder, { recursive: true, force: true });
  const copies: string[] = [];
  const copy = (file: string, number: number, text: string): void => {
    const path = join(folder, copyOf(file, number));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    copies.push(path);
  };
  for (const [file, own] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const source = readFileSync(join(root, file), "utf8");
    copy(file, 0, source);
    for (const { number, start, end, instead } of own) {
      copy(file, number, source.slice(0, start) + instead + source.slice(end));
    }
  }
  const errors = errorsOf(root, folder, { as, copies });
  for (const mutant of mutants) {
    const errorsIn = (number: number): string[] => errors.get(copyOf(mutant.file, number)) ?? [];
    const usual = errorsIn(0);
    const own = errorsIn(mutant.number);
    if (own.every((error) => usual.includes(error))) good.add(mutant);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** What the compiler says about each copy, without the places. */
function errorsOf(
  root: string,
  folder: string,
  { as, copies }: { as: typeof WORKER; copies: string[] },
): Map<string, string[]> {
  const path = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: true,
    rootDir: root,
    rootDirs: [root, folder],
    // A fault may leave a name unused, which is not what is wrong with it.
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowUnreachableCode: true,
  };
  const files = [...as.declarations.map((file) => join(root, file)), ...copies];
  writeFileSync(path, JSON.stringify({ extends: join(root, as.config), compilerOptions, files, include: [] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", path, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const errors = new Map<string, string[]>();
  for (const line of stdout.split("\n")) {
    const [, file = "", error = ""] = /^([^(\s][^(]*)\(\d+,\d+\): (error .*)$/u.exec(line) ?? [];
    if (error === "") continue;
    errors.set(file, [...(errors.get(file) ?? []), error]);
  }
  return errors;
}
