import { createInterface } from "node:readline";

/** Whoever operates what is tested; in automatic mode nobody. */
export interface Tester {
  /** Whether a person is there to look and to do things. */
  readonly present: boolean;
  /** Says what to do now. */
  tell(text: string): void;
  /** The answer to a question of yes or no; null where nobody is there. */
  confirm(question: string): Promise<boolean | null>;
  /** One of `choices`, by its first letter; null where nobody is there. */
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

/** A person at the keyboard. Questions go where the report does not, so that `--json` stays clean. */
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
      // Whoever has left answers nothing any more.
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
