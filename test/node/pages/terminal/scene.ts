/** What the tests of the virtual terminal have in common: requests, and states after these inputs. */
import type {
  HeldRequest,
  TerminalMemory,
  TerminalResult,
  TransactionRequest,
} from "../../../../src/sdk/client/terminal.ts";
import { FIRST_STATE, nextState } from "../../../../src/pages/terminal/model.ts";
import type { Input, Prompt, DeviceState } from "../../../../src/pages/terminal/model.ts";

export function request(
  changes: Partial<TransactionRequest> = {},
  transData: TransactionRequest["transData"] = {},
): TransactionRequest {
  const requestId = changes.requestId ?? "1000000007";
  return {
    requestId,
    transType: "sale",
    posId: "POS-1",
    merchantId: "M-1",
    referenceId: `R-${requestId}`,
    currency: "MYR",
    transId: requestId,
    transData: { transAmt: "12.50", paymentMethod: "bankCard", ...transData },
    deliverBy: 10_000,
    respondBy: 75_000,
    ...changes,
  };
}

export function held(
  of: TransactionRequest,
  result: TerminalResult | null = null,
  stage: HeldRequest["stage"] = "accepted",
): HeldRequest {
  return { request: of, stage, result, acknowledged: false };
}

export function memory(...all: HeldRequest[]): TerminalMemory {
  const owner = { terminalId: "T-1", gateway: "https://gateway.test" };
  return { ...owner, memory: "memory-1", highestAccepted: all.at(-1)?.request.requestId ?? null, held: all };
}

export const BOUND = { posId: "POS-1", merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/** Signed in, bound, and idle. */
export const IDLE: readonly Input[] = [
  { kind: "signing-in", terminalId: "T-1" },
  { kind: "memory-found", memory: null },
  { kind: "client", event: { kind: "connected", binding: BOUND }, at: 0 },
];

export function after(...inputs: (Input | readonly Input[])[]): DeviceState {
  return inputs.flat().reduce(nextState, FIRST_STATE);
}

export function prompt(shown: Prompt, of: TransactionRequest = request()): Input {
  return { kind: "prompt", request: of, prompt: shown, automatic: false };
}

export const PRESENT: Prompt = { kind: "present", insert: null };

/** The memory holds the result, then the client tells of it. */
export function concludes(of: TransactionRequest, result: TerminalResult): Input[] {
  const { requestId } = of;
  const { statusCode, responseCode } = result;
  return [
    { kind: "memory-kept", memory: memory(held(of, result)) },
    { kind: "client", event: { kind: "concluded", requestId, statusCode, responseCode }, at: 0 },
  ];
}

export const APPROVED: TerminalResult = { statusCode: "00", responseCode: "00", responseText: "Approved." };
export const DECLINED: TerminalResult = { statusCode: "11", responseCode: "05", responseText: "Declined." };
export const PENDING: TerminalResult = { statusCode: "22", responseCode: "HOST_PENDING", responseText: "Ask again." };
