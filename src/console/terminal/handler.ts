import { needsTarget } from "../../protocol/transfer-types.ts";
import type {
  RecoverReason,
  RequestControls,
  Stage,
  TerminalHandler,
  TerminalResult,
  TransactionRequest,
} from "../../client/terminal.ts";
import { VIRTUAL_TERMINAL_PACE } from "../limits.ts";
import { behaviourFor, type Behaviour } from "../../simulator/behaviour.ts";
import { Host, type HostOptions } from "../../simulator/host.ts";
import { Payments } from "../../simulator/payments.ts";
import { AttendedPayments, type AttendedPaymentsOptions } from "./attended-payments.ts";
import type { Payment, Prompt } from "./model.ts";

interface ConsoleHandlerOptions
  extends HostOptions, Pick<AttendedPaymentsOptions, "settings" | "ask" | "letThrough" | "durable"> {
  show: (payment: Payment) => void;
}

const APPROVE: Behaviour = { kind: "approve" };

/** By hand or by the cents of the amount: the setting at the arrival of the request decides. */
export class ConsoleHandler implements TerminalHandler {
  readonly #options: ConsoleHandlerOptions;
  readonly #host: Host;
  readonly #attended: AttendedPayments;
  readonly #automatic: Payments;
  readonly #behaviours = new Map<string, Behaviour | null>();

  constructor(options: ConsoleHandlerOptions) {
    this.#options = options;
    this.#host = new Host(options);
    this.#attended = new AttendedPayments({
      ...options,
      host: this.#host,
      pace: VIRTUAL_TERMINAL_PACE,
      show: (request, prompt) => options.show({ request, prompt, automatic: false }),
    });
    this.#automatic = new Payments({
      ...options,
      behaviourOf: (request) => this.behaviourOf(request),
      customer: async () => ({ card: options.settings().card, wallet: options.settings().wallet }),
      pace: VIRTUAL_TERMINAL_PACE,
      powered: () => true,
      onStage: (request, stage) => {
        const prompt = promptAt(request, stage);
        if (prompt !== null) options.show({ request, prompt, automatic: true });
      },
    });
  }

  /** A payment by hand has no network faults. */
  behaviourOf(request: TransactionRequest): Behaviour {
    return this.#byAmount(request) ?? APPROVE;
  }

  refuse(request: TransactionRequest): "busy" | null {
    return this.#byAmount(request) === null ? null : this.#automatic.refuse(request);
  }

  async onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const payments = this.#byAmount(request) === null ? this.#attended : this.#automatic;
    const result = await payments.onRequest(request, controls);
    await this.#options.durable();
    return result;
  }

  async onRecover(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult> {
    const found =
      this.#byAmount(request) === null
        ? this.#host.outcomeOf(request)
        : await this.#automatic.onRecover(request, reason);
    await this.#options.durable();
    return found;
  }

  /** Null for a payment by hand. Decided once per request, so that a repetition gets the same behaviour. */
  #byAmount(request: TransactionRequest): Behaviour | null {
    const known = this.#behaviours.get(request.requestId);
    if (known !== undefined) return known;
    const { transAmt } = request.transData;
    const byAmount = typeof transAmt === "string" ? behaviourFor(transAmt) : APPROVE;
    const behaviour = this.#options.settings().automatic ? byAmount : null;
    this.#behaviours.set(request.requestId, behaviour);
    return behaviour;
  }
}

/** For an automatic payment; null if the screen does not change. */
function promptAt({ transType, transData }: TransactionRequest, stage: Stage): Prompt | null {
  switch (stage) {
    case "present":
      if (needsTarget(transType)) return { kind: "confirm" };
      if (transData["paymentMethod"] === "qrCustScan") return { kind: "customer-scans" };
      if (transData["paymentMethod"] === "qrMerchScan") return { kind: "customer-shows" };
      return { kind: "present", insert: null };
    case "reading":
    case "scan":
      return { kind: "reading" };
    case "pin":
      return { kind: "pin", digits: 4, wrong: 0 };
    case "authorising":
      return { kind: "authorising" };
    case "printing":
      return null;
    default:
      return stage satisfies never;
  }
}
