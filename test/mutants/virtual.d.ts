/** Made by test/mutants/plugin.ts for one run. */
declare module "virtual:mutants" {
  /** Evaluates a test file, by its path. */
  export const files: Record<string, () => Promise<unknown>>;
  /** Each with the files of tests that may notice it, in the order in which they are asked. */
  export const mutants: { number: number; name: string; tests: string[] }[];
  /** How many files whose tests come to a mutant are asked before it counts as a survivor. */
  export const triedFiles: number;
}
