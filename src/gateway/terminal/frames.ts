import { HEARTBEAT_SECONDS } from "../../protocol/limits.ts";
import type { Binding, BindingMembers } from "../../protocol/binding.ts";
import type { GatewayFrame, RequestFrame } from "../../protocol/frames.ts";
import { respondBy, type LaneTransaction } from "./lane/index.ts";
import type { Details, Terms } from "../../protocol/transactions.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export function bindingMembers(binding: Binding | null): BindingMembers {
  return {
    posId: binding?.posId ?? null,
    merchantId: binding?.merchantId ?? null,
    currency: binding?.currency ?? null,
    timezone: binding?.timezone ?? null,
  };
}

export function buildWelcomeFrame(
  terminalId: string,
  binding: Binding | null,
  nonce: string,
  now: EpochMs,
): GatewayFrame {
  return {
    type: "welcome",
    terminalId,
    ...bindingMembers(binding),
    nonce,
    serverTime: now,
    heartbeatSeconds: HEARTBEAT_SECONDS,
  };
}

/** The frame has only specified, normalised members. It is signed when it is sent. */
export function buildRequestFrame(transaction: LaneTransaction): Omit<RequestFrame, "signature"> {
  const { terms, details, frozen, sending } = transaction;
  if (transaction.transType === null || sending === null) {
    throw new Error(`transaction ${transaction.requestId} is not to be sent`);
  }
  return {
    type: "request",
    requestId: String(transaction.requestId),
    attempt: transaction.attempt,
    transType: transaction.transType,
    posId: transaction.posId,
    merchantId: frozen.merchantId,
    referenceId: transaction.referenceId,
    referenceLabel: details.referenceLabel,
    currency: frozen.currency,
    transId: terms.transId ?? String(transaction.requestId),
    transData: formatDetails(terms, details),
    deliverBy: sending.deliverBy,
    respondBy: respondBy(transaction),
  };
}

/** Returns terms and details under the interface's names. */
function formatDetails(terms: Terms, details: Details): RequestFrame["transData"] {
  const { referenceLabel: _printedByName, ...printed } = details;
  // The assertion holds, because payment methods are checked when the request arrives, and stored as text.
  return { ...terms, ...printed } as RequestFrame["transData"];
}
