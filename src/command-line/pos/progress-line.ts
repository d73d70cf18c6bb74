import type { TransferProgress } from "../../client/pos.ts";

/** What a terminal window of a shell can do; a file or a pipe cannot. */
export interface ProgressOutput {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = "\r\u001b[2K";

/** One line that tells how a transfer stands, written over itself; nothing where nobody is looking. */
export class ProgressLine {
  readonly #output: ProgressOutput;
  #shown = false;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  show(progress: TransferProgress): void {
    if (this.#output.isTTY !== true) return;
    const text = describeProgress(progress).slice(0, (this.#output.columns ?? 80) - 1);
    this.#output.write(CLEAR_LINE + text);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#output.write(CLEAR_LINE);
    this.#shown = false;
  }
}

/** "12 s, 168 s left · message 2 · waiting to ask again · last answer 22 IN_PROGRESS" */
export function describeProgress({ state, attempt, elapsed, left, pending, problem }: TransferProgress): string {
  return [
    `${seconds(elapsed)}, ${seconds(left)} left`,
    `message ${attempt}`,
    state === "asking" ? "waiting for the answer" : "waiting to ask again",
    ...(pending === null ? [] : [`last answer ${pending.statusCode} ${pending.responseCode}`]),
    ...(problem === null ? [] : [problem.message]),
  ].join(" · ");
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1_000)} s`;
}
