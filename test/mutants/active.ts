/** Which mutant is active, and which ones the code has come to. In the process of the tests. */

/** How many more rounds than without a mutant a test may need. */
const MORE_ROUNDS = 200_000;

class Mutants {
  /** 0: none. */
  #active = 0;
  /** Whether the code has come to the active one. */
  isMet = false;
  /** The numbers that the code came to; null: they are not recorded. */
  reached: Set<number> | null = null;
  /** Of all loops of a test. */
  rounds = 0;
  #limit = Infinity;

  isActive(number: number): boolean {
    this.reached?.add(number);
    if (this.#active !== number) return false;
    this.isMet = true;
    return true;
  }

  /** @param number 0: none */
  activate(number: number): void {
    this.#active = number;
    this.isMet = false;
  }

  countLoop(): void {
    if (++this.rounds > this.#limit) throw new Error("a loop without end");
  }

  /** @param usual how many rounds the next test needs without a mutant */
  limitLoops(usual: number): void {
    this.rounds = 0;
    this.#limit = usual * 2 + MORE_ROUNDS;
  }
}

declare global {
  var mutants: Mutants;
}

globalThis.mutants ??= new Mutants();
export const active = globalThis.mutants;
