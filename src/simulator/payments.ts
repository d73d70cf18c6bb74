import { sleep } from "../client/backoff.ts";
import { needsTarget } from "../protocol/transfer-types.ts";
import type {
  RecoverReason,
  RequestControls,
  Stage,
  TerminalHandler,
  TerminalResult,
  TransactionRequest,
} from "../client/terminal.ts";
import type { Behaviour } from "./behaviour.ts";
import { Host, type HostOptions } from "./host.ts";
import { paymentMeans, type PaymentMeans, type Presented } from "./payment-means.ts";

export type Customer = (request: TransactionRequest, signal: AbortSignal) => Promise<Presented | "cancels">;

interface PaymentsOptions extends HostOptions {
  behaviourOf: (request: TransactionRequest) => Behaviour;
  customer: Customer;
  /** Per stage, in milliseconds. */
  pace: number;
  /** Without power, nothing happens. */
  powered: () => boolean;
  onStage: (request: TransactionRequest, stage: Stage) => void;
}

/** A `TerminalHandler` like a terminal maker's. */
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
    const { behaviourOf, customer, pace } = this.#options;
    const behaviour = behaviourOf(request);
    this.#stage(request, "present", controls);
    await this.#pass(behaviour.kind === "slow" ? behaviour.milliseconds : pace, controls.signal);
    const presented = behaviour.kind === "customer-cancels" ? "cancels" : await customer(request, controls.signal);
    if (presented === "cancels") return CUSTOMER_CANCELLED;
    const means = needsTarget(request.transType) ? null : paymentMeans(request, presented);
    for (const stage of means?.stages ?? []) {
      this.#stage(request, stage, controls);
      await this.#pass(pace, controls.signal);
    }
    return this.#atHost(request, behaviour, controls, means);
  }

  /** The host has the answer to a pending payment when the terminal asks. */
  async onRecover(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult> {
    if (this.#options.behaviourOf(request).kind === "pending" && reason === "restart") return PENDING;
    return this.#host.outcomeOf(request);
  }

  /** From the point of no return on. */
  async #atHost(
    request: TransactionRequest,
    behaviour: Behaviour,
    controls: RequestControls,
    means: PaymentMeans | null,
  ): Promise<TerminalResult> {
    await controls.reachedHost();
    this.#stage(request, "authorising", controls);
    await this.#pass(this.#options.pace);
    if (behaviour.kind === "decline") {
      return { statusCode: "11", responseCode: behaviour.responseCode, responseText: behaviour.responseText };
    }
    if (behaviour.kind === "pending" && behaviour.outcome === "11") return PENDING;
    const moved = this.#host.execute(request, means);
    if ("statusCode" in moved) return moved;
    if (behaviour.kind === "pending") return PENDING;
    this.#stage(request, "printing", controls);
    return this.#host.approved(request, moved);
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

export const CUSTOMER_CANCELLED: TerminalResult = {
  statusCode: "11",
  responseCode: "17",
  responseText: "The customer cancelled. Nothing was charged.",
};
