import { needsTarget } from "../../protocol/transfer-types.ts";
import { sleep } from "../../client/backoff.ts";
import { stoppedResult, type StopReason } from "../../client/terminal/run.ts";
import type { RequestControls, Stage, TerminalResult, TransactionRequest } from "../../client/terminal.ts";
import { PIN_TRIES } from "../limits.ts";
import type { Host } from "../../simulator/host.ts";
import { paymentMeans, whyInsert, type Entry, type PaymentMeans } from "../../simulator/payment-means.ts";
import { CUSTOMER_CANCELLED } from "../../simulator/payments.ts";
import type { Answer } from "./gestures.ts";
import type { Prompt } from "./model.ts";
import { refusalOf, type Settings } from "./settings.ts";

export interface AttendedPaymentsOptions {
  host: Host;
  /** Milliseconds of a step that needs no user action. */
  pace: number;
  settings: () => Settings;
  show: (request: TransactionRequest, prompt: Prompt) => void;
  /** Resolves to `stopped` as soon as `signal` is aborted. */
  ask: (request: TransactionRequest, prompt: Prompt, signal: AbortSignal) => Promise<Answer>;
  /** Resolves when the user releases the bank's late answer. */
  letThrough: (request: TransactionRequest) => Promise<void>;
  /** Resolves when everything in the host's ledger is stored durably. */
  durable: () => Promise<void>;
}

/** What the customer pays with, null for a void; or the end of the payment. */
type Collected = PaymentMeans | TerminalResult | null;

/** A person acts as customer, merchant and bank. */
export class AttendedPayments {
  readonly #options: AttendedPaymentsOptions;

  constructor(options: AttendedPaymentsOptions) {
    this.#options = options;
  }

  async onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const means = await this.#collect(request, controls);
    if (means !== null && "statusCode" in means) return means;
    const pin = means?.stages.includes("pin") === true ? await this.#enterPin(request, controls) : null;
    return pin ?? this.#authorise(request, means, controls);
  }

  async #collect(request: TransactionRequest, controls: RequestControls): Promise<Collected> {
    controls.progress("present");
    if (needsTarget(request.transType)) {
      const answer = await this.#options.ask(request, { kind: "confirm" }, controls.signal);
      return answer.kind === "yes" ? null : ended(answer, controls);
    }
    switch (request.transData["paymentMethod"]) {
      case "qrCustScan":
        return this.#scan(request, { kind: "customer-scans" }, controls);
      case "qrMerchScan":
        return this.#scan(request, { kind: "customer-shows" }, controls);
      default:
        return this.#readCard(request, controls);
    }
  }

  async #scan(request: TransactionRequest, prompt: Prompt, controls: RequestControls): Promise<Collected> {
    const answer = await this.#options.ask(request, prompt, controls.signal);
    if (answer.kind !== "yes") return ended(answer, controls);
    const means = paymentMeans(request, { wallet: this.#options.settings().wallet });
    await this.#pass(request, { kind: "reading" }, "scan", controls);
    return means;
  }

  /** If a tap needs a PIN, the terminal asks for the card, as any terminal does. */
  async #readCard(request: TransactionRequest, controls: RequestControls): Promise<Collected> {
    let insert: "cash" | "limit" | null = null;
    let entry: Entry | null = null;
    while (entry === null) {
      const answer = await this.#options.ask(request, { kind: "present", insert }, controls.signal);
      if (answer.kind !== "card") return ended(answer, controls);
      insert = answer.entry === "contactless" ? whyInsert(request) : null;
      if (insert === null) entry = answer.entry;
    }
    const means = paymentMeans(request, { card: this.#options.settings().card, entry });
    await this.#pass(request, { kind: "reading" }, "reading", controls);
    return means;
  }

  /** Null when the PIN is right. The bank checks each PIN. */
  async #enterPin(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult | null> {
    for (let wrong = 0; wrong < PIN_TRIES; wrong++) {
      controls.progress("pin");
      const answer = await this.#options.ask(request, { kind: "pin", digits: 0, wrong }, controls.signal);
      if (answer.kind === "yes") return null;
      if (answer.kind !== "wrong-pin") return ended(answer, controls);
      await controls.reachedHost();
      await this.#pass(request, { kind: "authorising" }, "authorising", controls);
    }
    return TOO_MANY_PINS;
  }

  /** After the point of no return. */
  async #authorise(
    request: TransactionRequest,
    means: PaymentMeans | null,
    controls: RequestControls,
  ): Promise<TerminalResult> {
    const { host, settings, durable, letThrough, pace, show } = this.#options;
    await controls.reachedHost();
    show(request, { kind: "authorising" });
    controls.progress("authorising");
    await sleep(pace);
    const { bank, late } = settings();
    const outcome = refusalOf(bank) ?? host.execute(request, means);
    // The charge is stored before anybody learns of it.
    await durable();
    if (late) await letThrough(request);
    if ("statusCode" in outcome) return outcome;
    controls.progress("printing");
    return host.approved(request, outcome);
  }

  async #pass(request: TransactionRequest, prompt: Prompt, stage: Stage, controls: RequestControls): Promise<void> {
    this.#options.show(request, prompt);
    controls.progress(stage);
    await sleep(this.#options.pace, controls.signal);
  }
}

/** No money has moved: the customer left, or the merchant, the till or the clock stopped the payment. */
function ended({ kind }: Answer, { signal }: RequestControls): TerminalResult {
  if (kind === "cancels") return CUSTOMER_CANCELLED;
  return stoppedResult(kind === "switched-off" ? "stopped" : (signal.reason as StopReason));
}

const TOO_MANY_PINS: TerminalResult = {
  statusCode: "11",
  responseCode: "75",
  responseText: "Wrong PIN too many times. Nothing was charged.",
};
