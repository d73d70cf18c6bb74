import { SECOND } from "../../time/units.ts";
import type { TransferProgress } from "../../client/pos.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";
import { stageWords } from "../../client/pos/stage-words.ts";

/** What a shell's terminal window can do; a file or a pipe cannot. */
export interface ProgressOutput {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = "\r\u001b[2K";

/**
 * One line with the progress of a transfer, overwritten in place; prints nothing if the output is not a terminal
 * window.
 */
export class ProgressLine {
  readonly #output: ProgressOutput;
  readonly #transType: TransferType | undefined;
  #shown = false;

  /** @param transType of the transfer, which decides some of the words */
  constructor(output: ProgressOutput, transType?: TransferType) {
    this.#output = output;
    this.#transType = transType;
  }

  /** Whether the output is a terminal window. */
  get isSeen(): boolean {
    return this.#output.isTTY === true;
  }

  show(progress: TransferProgress): void {
    if (!this.isSeen) return;
    const text = describeProgress(progress, this.#transType).slice(0, (this.#output.columns ?? 80) - 1);
    this.#output.write(CLEAR_LINE + text);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#output.write(CLEAR_LINE);
    this.#shown = false;
  }
}

/**
 * "Customer is entering the PIN · 12 s, 168 s left", followed by the last problem or the repetition: "… · message 2 ·
 * waiting to ask again · last answer 22 IN_PROGRESS".
 */
export function describeProgress(
  { state, attempt, elapsed, left, pending, problem, stages }: TransferProgress,
  transType?: TransferType,
): string {
  const stage = stages.at(-1)?.stage;
  // While the first message is on its way, the stage says more.
  const isFirst = attempt === 1 && state === "asking" && stage !== undefined;
  return [
    ...(stage === undefined ? [] : [stageWords(stage, transType)]),
    `${Math.round(elapsed / SECOND)} s, ${Math.round(left / SECOND)} s left`,
    ...(isFirst ? [] : [`message ${attempt}`, state === "asking" ? "waiting for the answer" : "waiting to ask again"]),
    ...(pending === null ? [] : [`last answer ${pending.statusCode} ${pending.responseCode}`]),
    ...(problem === null ? [] : [problem.message]),
  ].join(" · ");
}
