import { sleep } from "../client/backoff.ts";
import type {
  Binding,
  RecoverReason,
  RequestControls,
  Stage,
  TerminalHandler,
  TerminalResult,
  TransactionRequest,
} from "../client/terminal.ts";
import { localDateTime } from "../time/zone.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Charge, Ledger } from "./ledger.ts";
import { paymentMeans, totalCents } from "./payment-means.ts";
import type { PaymentMeans, Presented } from "./payment-means.ts";
import { receipts } from "./receipt.ts";

/** Who stands before the terminal: presents a card or a wallet, or walks away. */
export type Customer = (request: TransactionRequest, signal: AbortSignal) => Promise<Presented | "cancels">;

export interface PaymentsOptions {
  ledger: Ledger;
  behaviourOf: (request: TransactionRequest) => Behaviour;
  customer: Customer;
  binding: () => Binding;
  terminalId: string;
  /** Milliseconds that each stage takes. */
  pace: number;
  /** Whether this terminal still has power: without it, nothing happens any more. */
  powered: () => boolean;
  onStage: (request: TransactionRequest, stage: Stage) => void;
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

  /**
   * The ledger alone says what became of a request. One that has moved no money is reversed before it is called 11: some
   * of it may still be on its way. The host's answer to a pending one is there when it is asked for.
   */
  async onRecover(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult> {
    const { ledger, behaviourOf } = this.#options;
    if (behaviourOf(request).kind === "pending" && reason === "restart") return PENDING;
    const charge = ledger.moneyMoved(request.requestId);
    if (charge !== undefined) return this.#approved(request, charge);
    ledger.reverse(request.requestId);
    return NOT_AT_HOST;
  }

  async #pay(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const behaviour = this.#options.behaviourOf(request);
    const presented = await this.#present(request, behaviour, controls);
    if (presented === "cancels") return CUSTOMER_CANCELLED;
    const amounts = amountsOf(request);
    const means = paymentMeans(request, totalCents(amounts), presented);
    for (const stage of means.stages) {
      this.#stage(request, stage, controls);
      await this.#pass(this.#options.pace, controls.signal);
    }
    return this.#atHost(request, behaviour, controls, () => {
      return means.permitted ? this.#charge(request, amounts, means) : NOT_PERMITTED;
    });
  }

  async #void(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const { ledger, behaviourOf } = this.#options;
    const behaviour = behaviourOf(request);
    const presented = await this.#present(request, behaviour, controls);
    if (presented === "cancels") return CUSTOMER_CANCELLED;
    return this.#atHost(request, behaviour, controls, () => {
      const { transId, posId, requestId } = request;
      return ledger.void({ transId, posId, requestId, at: this.#localTime() }) ?? NOTHING_TO_VOID;
    });
  }

  async #present(
    request: TransactionRequest,
    behaviour: Behaviour,
    controls: RequestControls,
  ): Promise<Presented | "cancels"> {
    const { customer, pace } = this.#options;
    this.#stage(request, "present", controls);
    await this.#pass(behaviour.kind === "slow" ? behaviour.milliseconds : pace, controls.signal);
    if (behaviour.kind === "customer-cancels") return "cancels";
    return customer(request, controls.signal);
  }

  /** From the point of no return on; `move` moves the money. */
  async #atHost(
    request: TransactionRequest,
    behaviour: Behaviour,
    controls: RequestControls,
    move: () => Charge | TerminalResult,
  ): Promise<TerminalResult> {
    await controls.reachedHost();
    this.#stage(request, "authorising", controls);
    await this.#pass(this.#options.pace);
    if (behaviour.kind === "decline") {
      return { statusCode: "11", responseCode: behaviour.responseCode, responseText: behaviour.responseText };
    }
    if (behaviour.kind === "pending" && behaviour.outcome === "11") return PENDING;
    const moved = move();
    if ("statusCode" in moved) return moved;
    if (behaviour.kind === "pending") return PENDING;
    this.#stage(request, "printing", controls);
    return this.#approved(request, moved);
  }

  #charge(
    request: TransactionRequest,
    amounts: { transAmt: string; cashAmt: string | null },
    { details }: PaymentMeans,
  ): Charge | TerminalResult {
    const { ledger, terminalId } = this.#options;
    const transDateTime = this.#localTime();
    const charge = ledger.charge({
      posId: request.posId,
      referenceId: request.referenceId,
      requestId: request.requestId,
      transId: request.transId,
      transType: request.transType === "cashOut" ? "cashOut" : "sale",
      currency: request.currency,
      ...amounts,
      transDateTime,
      details: {
        ...details,
        invNo: ledger.nextInvoice(),
        batchNo: ledger.batchAt(transDateTime),
        tid: terminalId.slice(-32),
        mid: request.merchantId.slice(0, 32),
      },
    });
    return charge ?? NOT_AT_HOST;
  }

  #approved(request: TransactionRequest, charge: Charge): TerminalResult {
    const at = request.transType === "void" ? charge.voidedAt : null;
    const transDateTime = at ?? charge.transDateTime;
    for (const text of receipts(request, charge, transDateTime)) this.#options.onReceipt(text);
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

  #stage(request: TransactionRequest, stage: Stage, controls: RequestControls): void {
    controls.progress(stage);
    if (this.#options.powered()) this.#options.onStage(request, stage);
  }

  #localTime(): string {
    return localDateTime(Date.now(), this.#options.binding().timezone ?? "UTC");
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

const NOT_PERMITTED: TerminalResult = {
  statusCode: "11",
  responseCode: "57",
  responseText: "This card does not permit cash out: a domestic debit card with chip and PIN is needed.",
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
