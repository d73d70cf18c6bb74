import { sleep } from "../client/backoff.ts";
import { needsTarget } from "../../protocol/transfer-types.ts";
import type {
  RecoverReason,
  RequestControls,
  Stage,
  TerminalHandler,
  TerminalResult,
  TransactionRequest,
} from "../client/terminal.ts";
import type { Behaviour } from "./behaviour.ts";
import { declinedResult, Host, type HostOptions, NOT_IN_PROMOTION } from "./host.ts";
import type { Charge } from "./ledger.ts";
import { paymentMeans, type PaymentMeans, type Presented } from "./payment-means.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

export const PIN_TRIES = 3;

/** What the customer presents; nothing for a void. Or the end of the payment. */
export type SimulatedCustomer = (
  request: TransactionRequest,
  signal: AbortSignal,
) => Promise<Presented | TerminalResult>;

/** Asks what the customer enters after `wrong` wrong PINs. */
type PinEntry = (
  request: TransactionRequest,
  wrong: number,
  signal: AbortSignal,
) => Promise<"right" | "wrong" | TerminalResult>;

export interface PaymentsOptions extends HostOptions {
  /** Is asked again at each step. */
  behaviourOf: (request: TransactionRequest) => Behaviour;
  customer: SimulatedCustomer;
  /** Without it, every PIN is right. */
  pin?: PinEntry | undefined;
  /** How long a stage takes without anybody. */
  pace: (request: TransactionRequest, stage: Stage) => Milliseconds;
  /** Without power, nothing happens. */
  powered: () => boolean;
  onStage: (request: TransactionRequest, stage: Stage) => void;
  /** Resolves when everything in the ledger is stored durably; missing if it is at once. */
  durable?: (() => Promise<void>) | undefined;
  /** The host has decided; resolves when its answer arrives. */
  answered?: ((request: TransactionRequest) => Promise<void>) | undefined;
}

/** A `TerminalHandler` as a terminal maker writes one. */
export class Payments implements TerminalHandler {
  readonly #options: PaymentsOptions;
  readonly #host: Host;

  constructor(options: PaymentsOptions) {
    this.#options = options;
    this.#host = new Host(options);
  }

  refuse(request: TransactionRequest): "busy" | null {
    return this.#options.behaviourOf(request).kind === "refuse-busy" ? "busy" : null;
  }

  async onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    return this.#host.withTerminal(request, await this.#pay(request, controls));
  }

  async #pay(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const { behaviourOf, customer, pace } = this.#options;
    const behaviour = behaviourOf(request);
    this.#stage(request, "present", controls);
    const wait = behaviour.kind === "slow" ? behaviour.milliseconds : pace(request, "present");
    await this.#pass(wait, controls.signal);
    if (behaviour.kind === "customer-cancels") return CUSTOMER_CANCELLED;
    const presented = await customer(request, controls.signal);
    if ("statusCode" in presented) return presented;
    const means = needsTarget(request.transType) ? null : paymentMeans(request, presented);
    for (const stage of means?.stages ?? []) {
      const ended = stage === "pin" ? await this.#enterPin(request, controls) : null;
      if (ended !== null) return ended;
      if (stage !== "pin") await this.#step(request, stage, controls);
    }
    return this.#atHost(request, means, controls);
  }

  /** The host has the answer to a pending payment when the terminal asks. */
  async onRecover(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult> {
    const isPending = this.#options.behaviourOf(request).kind === "pending" && reason === "restart";
    const outcome = isPending ? PENDING : this.#host.decideOutcome(request);
    await this.#options.durable?.();
    return this.#host.withTerminal(request, outcome);
  }

  /** Null when the PIN is right. The host checks each PIN. */
  async #enterPin(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult | null> {
    for (let wrong = 0; wrong < PIN_TRIES; wrong++) {
      await this.#step(request, "pin", controls);
      const entered = (await this.#options.pin?.(request, wrong, controls.signal)) ?? "right";
      if (entered === "right") return null;
      if (entered !== "wrong") return entered;
      await controls.reachedHost();
      await this.#step(request, "authorising", controls);
    }
    return TOO_MANY_PINS;
  }

  /** From the point of no return on. */
  async #atHost(
    request: TransactionRequest,
    means: PaymentMeans | null,
    controls: RequestControls,
  ): Promise<TerminalResult> {
    await controls.reachedHost();
    this.#stage(request, "authorising", controls);
    await this.#pass(this.#options.pace(request, "authorising"));
    const decided = this.#decide(request, means);
    // A charge is stored before anybody learns of it.
    await this.#options.durable?.();
    await this.#options.answered?.(request);
    if ("statusCode" in decided) return decided;
    this.#stage(request, "printing", controls);
    return this.#host.approved(request, decided);
  }

  #decide(request: TransactionRequest, means: PaymentMeans | null): Charge | TerminalResult {
    const behaviour = this.#options.behaviourOf(request);
    if (behaviour.kind === "decline") return declinedResult(behaviour.responseCode, behaviour.responseText);
    if (behaviour.kind === "outside-promotion" && request.transData.promoSale !== undefined) return NOT_IN_PROMOTION;
    if (behaviour.kind === "pending" && behaviour.outcome === "11") return PENDING;
    const moved = this.#host.execute(request, means);
    return behaviour.kind === "pending" && !("statusCode" in moved) ? PENDING : moved;
  }

  async #step(request: TransactionRequest, stage: Stage, controls: RequestControls): Promise<void> {
    this.#stage(request, stage, controls);
    await this.#pass(this.#options.pace(request, stage), controls.signal);
  }

  #stage(request: TransactionRequest, stage: Stage, controls: RequestControls): void {
    controls.progress(stage);
    if (this.#options.powered()) this.#options.onStage(request, stage);
  }

  /** Never resolves after a power loss. */
  async #pass(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await sleep(milliseconds, signal);
    if (!this.#options.powered()) await new Promise<never>(() => undefined);
  }
}

const PENDING: TerminalResult = {
  statusCode: "22",
  responseCode: "09",
  responseText: "The payment is still pending at the host. Ask again with the same referenceId.",
};

export const CUSTOMER_CANCELLED = declinedResult("17", "The customer cancelled. Nothing was charged.");
const TOO_MANY_PINS = declinedResult("75", "Wrong PIN too many times. Nothing was charged.");
