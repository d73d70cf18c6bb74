/** The transfer's answer on the wire: addressed, versioned, signed with the key that verified its request. */
import { withSignature } from "../signing/signature.ts";
import type { Outcome, TransactionData } from "../terminal/lane/transaction.ts";
import type { About } from "../terminal/transfer-calls.ts";
import type { AskingAnswer, TransferAnswer } from "./answers.ts";

export interface Address {
  transType: TransferAnswer["transType"];
  posId: string;
  deviceId: string;
  referenceId: string;
}

/** Which members `transData` has is what the result's check has left in it. */
type Unsigned = Omit<AskingAnswer, "transType" | "transData" | "signature"> &
  Address & { transData?: Partial<TransactionData> };

type Originals = Pick<AskingAnswer, "originalTransType" | "originalReferenceId" | "voidStatus">;

/**
 * @param original for an inquiry or getLast: the transaction that the outcome is about. Its type and reference stand
 *   beside the other members, where an answer without `transData` has them too, and within `transData`.
 */
export function transferResponse(
  address: Address,
  outcome: Outcome,
  key: string,
  original: About | null,
): TransferAnswer {
  const originals = original === null ? {} : originalMembers(original);
  const transData =
    outcome.transData === undefined && original === null ? undefined : { ...outcome.transData, ...originals };
  const response: Unsigned = {
    transType: address.transType,
    posId: address.posId,
    deviceId: address.deviceId,
    referenceId: address.referenceId,
    statusCode: outcome.statusCode,
    responseCode: outcome.responseCode,
    ...(outcome.responseText === undefined ? {} : { responseText: outcome.responseText }),
    softwareVersion: outcome.softwareVersion,
    terminalSn: outcome.terminalSn,
    ...(transData === undefined || Object.keys(transData).length === 0 ? {} : { transData }),
    ...originals,
    apiVersion: "v1",
  };
  return withSignature(response, key) as TransferAnswer;
}

/** A tombstone has no original: nothing was ever asked of the terminal under this reference. */
function originalMembers({ transType, referenceId, voidStatus }: About): Originals {
  if (transType === null) return {};
  return {
    originalTransType: transType,
    originalReferenceId: referenceId,
    ...(voidStatus === null ? {} : { voidStatus }),
  };
}
