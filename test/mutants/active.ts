/** Which mutant is active, and which ones the code has come to. In the process of the tests. */

/** How many more rounds than without a mutant a test may need. */
const MORE_ROUNDS = 1_000_000;

class Mutants {
  /** 0: none. */
  active = 0;
  /** The numbers that the code came to since this was emptied. */
  reached = new Set<number>();
  /** Whether `reached` is kept up to date. */
  isRecording = false;
  /** Of all loops of a test. */
  rounds = 0;
  #limit = Infinity;

  isActive(number: number): boolean {
    if (this.isRecording) this.reached.add(number);
    return this.active === number;
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
