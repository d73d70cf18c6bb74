import { needsTarget } from "../../protocol/transfer-types.ts";
import { createInterface } from "node:readline";
import type { TransactionRequest } from "../../client/terminal.ts";
import type { Presented } from "../../simulator/payment-means.ts";
import type { Customer } from "../../simulator/payments.ts";

type Answer = Presented | "cancels";

/** The customer's action by the first letter of a line. */
const ANSWERS: Record<string, Answer> = {
  "": {},
  t: { entry: "contactless" },
  c: { entry: "chip" },
  m: { entry: "manual" },
  f: { entry: "fallback" },
  d: { card: "MyDebit", entry: "chip" },
  x: "cancels",
};

const FOR_CARDS = "Enter or t: tap, c: chip, m: keyed in, f: chip fails, d: domestic debit card, x: cancel";
const FOR_OTHERS = "Enter: yes, x: cancel";

/** A customer at the keyboard: one line per question, from a terminal window or a pipe. */
export class Keyboard {
  readonly #show: (text: string) => void;
  readonly #otherwise: Presented;
  #asked: ((answer: Answer) => void) | null = null;

  /** `otherwise`: what the customer presents by default. */
  constructor(input: NodeJS.ReadableStream, otherwise: Presented, show: (text: string) => void) {
    this.#show = show;
    this.#otherwise = otherwise;
    createInterface({ input }).on("line", (line) => this.#read(line));
  }

  readonly customer: Customer = (request, signal) => {
    this.#show(byCard(request) ? FOR_CARDS : FOR_OTHERS);
    return new Promise((resolve) => {
      const answer = (given: Answer): void => {
        this.#asked = null;
        signal.removeEventListener("abort", stopped);
        resolve(given);
      };
      // Cancelled at the POS, or too late: the terminal has stopped asking.
      const stopped = (): void => answer("cancels");
      signal.addEventListener("abort", stopped);
      if (signal.aborted) stopped();
      else this.#asked = answer;
    });
  };

  #read(line: string): void {
    const answer = ANSWERS[line.trim().slice(0, 1).toLowerCase()];
    if (this.#asked === null || answer === undefined) return;
    this.#asked(answer === "cancels" ? answer : { ...this.#otherwise, ...answer });
  }
}

function byCard({ transType, transData }: TransactionRequest): boolean {
  return !needsTarget(transType) && transData["paymentMethod"] === "bankCard";
}
