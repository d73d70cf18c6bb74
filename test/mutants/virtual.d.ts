/** Made by test/mutants/plugin.ts for one run. */
declare module "virtual:mutants" {
  /** Evaluates a test file, by its path. */
  export const files: Record<string, () => Promise<unknown>>;
  export const mutants: { number: number; name: string }[];
}
