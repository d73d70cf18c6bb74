import { sleep } from "../client/backoff.ts";
import type {
  Binding,
  RecoverReason,
  RequestControls,
  TerminalHandler,
  TerminalResult,
  TransactionRequest,
} from "../client/terminal.ts";
import { localDateTime } from "../time/zone.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Charge, Ledger } from "./ledger.ts";
import { paymentMeans, totalCents } from "./payment-means.ts";
import { receipts } from "./receipt.ts";

export interface PaymentsOptions {
  ledger: Ledger;
  behaviourOf: (request: TransactionRequest) => Behaviour;
  binding: () => Binding;
  terminalId: string;
  /** Milliseconds that each stage takes. */
  pace: number;
  /** Whether this terminal still has power: without it, nothing happens any more. */
  powered: () => boolean;
  onReceipt: (text: string) => void;
}

/** The simulated customer, terminal and host: a `TerminalHandler` as a terminal's maker would write it. */
export class Payments implements TerminalHandler {
  readonly #options: PaymentsOptions;

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  refuse(request: TransactionRequest): "busy" | null {
    return this.#options.behaviourOf(request).kind === "refuse-busy" ? "busy" : null;
  }

  async onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    return request.transType === "void" ? this.#void(request, controls) : this.#pay(request, controls);
  }

  /** The host answers a pending one when it is asked; after a restart there is nothing new yet. */
  async onRecover(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult> {
    const charge = this.#options.ledger.charges.find((one) => one.requestId === request.requestId);
    const behaviour = this.#options.behaviourOf(request);
    if (behaviour.kind === "pending" && reason === "restart") return PENDING;
    if (charge !== undefined) return this.#approved(request, charge);
    const voided = this.#options.ledger.charges.find((one) => one.voidedBy === request.requestId);
    if (voided !== undefined) return this.#approved(request, voided);
    return NOT_AT_HOST;
  }

  async #pay(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const behaviour = this.#options.behaviourOf(request);
    const amounts = amountsOf(request);
    const means = paymentMeans(request, totalCents(amounts));
    controls.progress("present");
    await this.#pass(behaviour.kind === "slow" ? behaviour.milliseconds : this.#options.pace, controls.signal);
    if (behaviour.kind === "customer-cancels") return CUSTOMER_CANCELLED;
    for (const stage of means.stages) {
      controls.progress(stage);
      await this.#pass(this.#options.pace, controls.signal);
    }
    await controls.reachedHost();
    controls.progress("authorising");
    await this.#pass(this.#options.pace);
    if (behaviour.kind === "decline") {
      return { statusCode: "11", responseCode: behaviour.responseCode, responseText: behaviour.responseText };
    }
    if (behaviour.kind === "pending" && behaviour.outcome === "11") return PENDING;
    const charge = this.#charge(request, amounts, means.details);
    if (behaviour.kind === "pending") return PENDING;
    controls.progress("printing");
    return this.#approved(request, charge);
  }

  async #void(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const { ledger, behaviourOf, pace } = this.#options;
    const behaviour = behaviourOf(request);
    controls.progress("present");
    await this.#pass(behaviour.kind === "slow" ? behaviour.milliseconds : pace, controls.signal);
    if (behaviour.kind === "customer-cancels") return CUSTOMER_CANCELLED;
    await controls.reachedHost();
    controls.progress("authorising");
    await this.#pass(pace);
    if (behaviour.kind === "decline") {
      return { statusCode: "11", responseCode: behaviour.responseCode, responseText: behaviour.responseText };
    }
    if (behaviour.kind === "pending" && behaviour.outcome === "11") return PENDING;
    const charge = ledger.voidable(request.transId, request.posId);
    if (charge === undefined) return NOTHING_TO_VOID;
    charge.voidedBy = request.requestId;
    if (behaviour.kind === "pending") return PENDING;
    controls.progress("printing");
    return this.#approved(request, charge);
  }

  #charge(
    request: TransactionRequest,
    amounts: { transAmt: string; cashAmt: string | null },
    details: Record<string, string>,
  ): Charge {
    const { ledger, terminalId } = this.#options;
    return ledger.charge({
      posId: request.posId,
      referenceId: request.referenceId,
      requestId: request.requestId,
      transId: request.transId,
      transType: request.transType === "cashOut" ? "cashOut" : "sale",
      currency: request.currency,
      ...amounts,
      details: {
        ...details,
        invNo: ledger.nextInvoice(),
        batchNo: "000001",
        tid: terminalId.slice(-32),
        mid: request.merchantId.slice(0, 32),
      },
    });
  }

  #approved(request: TransactionRequest, charge: Charge): TerminalResult {
    const { binding, onReceipt } = this.#options;
    const transDateTime = localDateTime(Date.now(), binding().timezone ?? "UTC");
    for (const text of receipts(request, charge, transDateTime)) onReceipt(text);
    const { metadata } = request.transData;
    return {
      statusCode: "00",
      responseCode: "00",
      responseText: "Approved.",
      transData: {
        transId: charge.transId,
        transAmt: charge.transAmt,
        ...(charge.cashAmt === null ? {} : { cashAmt: charge.cashAmt }),
        currency: charge.currency,
        transDateTime,
        ...charge.details,
        ...(metadata === undefined ? {} : { metadata }),
      },
    };
  }

  /** Lets time pass; a terminal that has lost its power never comes back from here. */
  async #pass(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await sleep(milliseconds, signal);
    if (!this.#options.powered()) await new Promise<never>(() => undefined);
  }
}

function amountsOf({ transData }: TransactionRequest): { transAmt: string; cashAmt: string | null } {
  const { transAmt, cashAmt } = transData;
  if (typeof transAmt !== "string") throw new TypeError("a payment without transAmt");
  return { transAmt, cashAmt: typeof cashAmt === "string" ? cashAmt : null };
}

const PENDING: TerminalResult = {
  statusCode: "22",
  responseCode: "09",
  responseText: "The host is still working on it. Ask again under the same referenceId.",
};

const NOT_AT_HOST: TerminalResult = {
  statusCode: "11",
  responseCode: "25",
  responseText: "The host does not know this transaction. Nothing was taken.",
};

const NOTHING_TO_VOID: TerminalResult = {
  statusCode: "11",
  responseCode: "25",
  responseText: "There is no approved transaction to void.",
};

const CUSTOMER_CANCELLED: TerminalResult = {
  statusCode: "11",
  responseCode: "17",
  responseText: "The customer cancelled. Nothing was taken.",
};
