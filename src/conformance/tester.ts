import { createInterface } from "node:readline";

/** The person who operates the tested side; nobody in automatic mode. */
export interface Tester {
  /** Whether a person is there. */
  readonly present: boolean;
  /** Tells the person what to do now. */
  tell(text: string): void;
  /** The answer to a yes-or-no question; null if nobody is there. */
  confirm(question: string): Promise<boolean | null>;
  /** One of `choices`, by its first letters; null if nobody is there. */
  choose<Choice extends string>(question: string, choices: readonly Choice[]): Promise<Choice | null>;
  close(): void;
}

export const NOBODY: Tester = {
  present: false,
  tell: () => undefined,
  confirm: async () => null,
  choose: async () => null,
  close: () => undefined,
};

/** A person at the keyboard. Questions go to standard error, so that the output of `--json` stays clean. */
export class Person implements Tester {
  readonly present = true;
  readonly #reader: ReturnType<typeof createInterface>;
  readonly #lines: AsyncIterator<string>;
  readonly #output: NodeJS.WritableStream;

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#output = output;
    this.#reader = createInterface({ input });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  tell(text: string): void {
    this.#output.write(`→ ${text}\n`);
  }

  async confirm(question: string): Promise<boolean | null> {
    const answer = await this.choose(question, ["yes", "no"]);
    return answer === null ? null : answer === "yes";
  }

  async choose<Choice extends string>(question: string, choices: readonly Choice[]): Promise<Choice | null> {
    for (;;) {
      this.#output.write(`? ${question} (${choices.join(", ")}) `);
      const next = await this.#lines.next();
      // The input has ended: nobody is there any more.
      if (next.done === true) return null;
      const line = next.value.trim().toLowerCase();
      const chosen = choices.find((choice) => line !== "" && choice.startsWith(line));
      if (chosen !== undefined) return chosen;
    }
  }

  close(): void {
    this.#reader.close();
  }
}
