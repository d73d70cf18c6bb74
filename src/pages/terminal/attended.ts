import { stoppedResult, type StopReason } from "../../sdk/client/terminal/run.ts";
import type { Stage, TerminalResult, TransactionRequest } from "../../sdk/client/terminal.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";
import { needsTarget } from "../../protocol/transfer-types.ts";
import { behaviourByAmount, behaviourNamed } from "../../sdk/simulator/behaviour.ts";
import { whyInsert, type Presented } from "../../sdk/simulator/payment-means.ts";
import { CUSTOMER_CANCELLED } from "../../sdk/simulator/payments.ts";
import type { SimulatedTerminalOptions } from "../../sdk/simulator/simulated-terminal.ts";
import type { GestureAnswer } from "./gestures.ts";
import type { TerminalPayment, Prompt } from "./model.ts";
import type { TerminalSettings } from "./settings.ts";

/** A step without user action, such as reading the card, takes long enough to be seen. */
const VIRTUAL_TERMINAL_PACE: Milliseconds = 700;

interface Surroundings {
  settings: () => TerminalSettings;
  /** Whether it is a scenario's payment, which needs nobody. */
  isStaged: (request: TransactionRequest) => boolean;
  show: (payment: TerminalPayment) => void;
  /** Resolves to `stopped` as soon as `signal` is aborted. */
  ask: (request: TransactionRequest, prompt: Prompt, signal: AbortSignal) => Promise<GestureAnswer>;
  /** Resolves when the user releases the bank's late answer. */
  letThrough: (request: TransactionRequest) => Promise<void>;
}

type Options = Required<
  Pick<SimulatedTerminalOptions, "behaviourOf" | "customer" | "pin" | "pace" | "onStage" | "answered">
>;

/**
 * The options of a simulated terminal at which a person acts as customer, merchant and bank; or the cents of the amount
 * decide: the setting at the arrival of the request. A payment by hand has no network faults.
 */
export class Attended implements Options {
  readonly #surroundings: Surroundings;
  readonly #automatic = new Map<string, boolean>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  readonly behaviourOf: Options["behaviourOf"] = (request) =>
    this.#isAutomatic(request)
      ? behaviourByAmount(request)
      : (behaviourNamed(this.#surroundings.settings().bank) ?? { kind: "approve" });

  readonly pace: Options["pace"] = (request, stage) => (this.#isAsked(request, stage) ? 0 : VIRTUAL_TERMINAL_PACE);

  readonly onStage: Options["onStage"] = (request, stage) => {
    const prompt = promptAt(request, stage);
    if (prompt === null || this.#isAsked(request, stage)) return;
    this.#surroundings.show({ request, prompt, automatic: this.#isAutomatic(request) });
  };

  readonly customer: Options["customer"] = async (request, signal) => {
    const { card, wallet } = this.#surroundings.settings();
    return this.#isAutomatic(request) ? { card, wallet } : presented(this.#surroundings, request, signal);
  };

  readonly pin: Options["pin"] = async (request, wrong, signal) => {
    if (this.#isAutomatic(request)) return "right";
    const answer = await this.#surroundings.ask(request, { kind: "pin", digits: 0, wrong }, signal);
    if (answer.kind === "yes") return "right";
    return answer.kind === "wrong-pin" ? "wrong" : ended(answer, signal);
  };

  readonly answered: Options["answered"] = async (request) => {
    const { settings, letThrough } = this.#surroundings;
    if (!this.#isAutomatic(request) && settings().late) await letThrough(request);
  };

  /** Decided once per request, so that a repetition gets the same behaviour. */
  #isAutomatic(request: TransactionRequest): boolean {
    const { settings, isStaged } = this.#surroundings;
    const decided = this.#automatic.get(request.requestId) ?? (settings().automatic || isStaged(request));
    this.#automatic.set(request.requestId, decided);
    return decided;
  }

  /** The person decides how long these take. */
  #isAsked(request: TransactionRequest, stage: Stage): boolean {
    return !this.#isAutomatic(request) && (stage === "present" || stage === "pin");
  }
}

/** If a tap needs a PIN, the terminal asks for the card, as any terminal does. */
async function presented(
  { settings, ask }: Surroundings,
  request: TransactionRequest,
  signal: AbortSignal,
): Promise<Presented | TerminalResult> {
  let insert: "cash" | "limit" | null = null;
  for (;;) {
    const answer = await ask(request, presentPrompt(request, insert), signal);
    const { card, wallet } = settings();
    if (answer.kind === "yes") return { wallet };
    if (answer.kind !== "card") return ended(answer, signal);
    insert = answer.entry === "contactless" ? whyInsert(request) : null;
    if (insert === null) return { card, entry: answer.entry };
  }
}

/** No money has moved: the customer left, or the merchant, the POS or the clock stopped the payment. */
function ended({ kind }: GestureAnswer, { reason }: AbortSignal): TerminalResult {
  if (kind === "cancels") return CUSTOMER_CANCELLED;
  return stoppedResult(kind === "switched-off" ? "stopped" : (reason as StopReason));
}

function presentPrompt({ transType, transData }: TransactionRequest, insert: "cash" | "limit" | null): Prompt {
  if (needsTarget(transType)) return { kind: "confirm" };
  if (transData["paymentMethod"] === "qrCustScan") return { kind: "customer-scans" };
  if (transData["paymentMethod"] === "qrMerchScan") return { kind: "customer-shows" };
  return { kind: "present", insert };
}

/** Null if the screen does not change. */
function promptAt(request: TransactionRequest, stage: Stage): Prompt | null {
  switch (stage) {
    case "present":
      return presentPrompt(request, null);
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
