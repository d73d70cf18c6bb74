/** The last step: the answer, signed with the key that verified its request. */
import type { Context } from "hono";
import { API_VERSION } from "../../../../protocol/api-version.ts";
import type {
  AnsweredType,
  OriginalMembers,
  TransactionDetails,
  AnyTransferAnswer,
} from "../../../../protocol/transfers.ts";
import type { TransactionType } from "../../../../protocol/transfer-types.ts";
import { withSignature } from "../../../../protocol/signing/signature.ts";
import { gatewayAnswer, type Outcome } from "../../../../protocol/transactions.ts";
import { logOutcome } from "../../../terminal/transaction-log.ts";
import type { About } from "../../../terminal/transfer-replies.ts";
import type { TransferMessage } from "../../../../protocol/transfer-message.ts";
import type { TransferEnvironment } from "./admit.ts";
import type { Delivery } from "./deliver.ts";
import type { Preference } from "../../middleware/prefer.ts";

export type AnswerAddress = Pick<AnyTransferAnswer, "transType" | "posId" | "deviceId" | "referenceId">;

/**
 * Also notes the outcome for the request's log line.
 *
 * @param key the text of the account's signing key
 */
export function answerTo(
  c: Context<TransferEnvironment>,
  message: TransferMessage,
  delivery: Exclude<Delivery, { kind: "refused" }>,
  key: string,
): AnyTransferAnswer {
  const about = delivery.kind === "answered" ? delivery.about : null;
  const outcome =
    delivery.kind === "answered"
      ? delivery.outcome
      : gatewayAnswer("IN_PROGRESS", { softwareVersion: "unknown", terminalSn: "unknown" });
  const facts = c.get("facts");
  facts.outcome = logOutcome(outcome);
  if (about !== null) facts.transaction = about.requestId;
  const { posId, deviceId, referenceId } = message;
  const address = { transType: answeredType(message, about?.transType ?? null), posId, deviceId, referenceId };
  return buildTransferAnswer(address, outcome, key, message.kind === "inquire" ? about : null);
}

/**
 * The answer has the request's `transType`; the answer to a cancel has the type of the cancelled transaction.
 *
 * @param known the type of the transaction that the answer is about; null if it never arrived
 */
function answeredType(message: TransferMessage, known: TransactionType | null): AnsweredType {
  return message.kind === "cancel" ? (known ?? "cancel") : message.transType;
}

/** @param isReplay whether the outcome was completed before this request */
export function setAnswerHeaders(
  c: Context<TransferEnvironment>,
  preference: Preference | null,
  isReplay: boolean,
): void {
  if (preference !== null) c.header("Preference-Applied", preference.applied);
  if (isReplay) c.header("Idempotent-Replayed", "true");
}

/**
 * @param original for an inquiry or getLast: the transaction of the outcome. Its type and reference are at the top
 *   level, because not every answer has `transData`.
 */
export function buildTransferAnswer(
  address: AnswerAddress,
  outcome: Outcome,
  key: string,
  original: About | null,
): AnyTransferAnswer {
  const unsigned = {
    ...address,
    statusCode: outcome.statusCode,
    responseCode: outcome.responseCode,
    ...(outcome.responseText === undefined ? {} : { responseText: outcome.responseText }),
    softwareVersion: outcome.softwareVersion,
    terminalSn: outcome.terminalSn,
    // The check of the result, or the gateway's own answer, ensures this type, so the assertion is right.
    ...(outcome.transData === undefined ? {} : { transData: outcome.transData as TransactionDetails }),
    ...(original === null ? {} : originalMembers(original)),
    ...(outcome.openReferenceId === undefined ? {} : { openReferenceId: outcome.openReferenceId }),
    apiVersion: API_VERSION,
  };
  return withSignature(unsigned, key);
}

/** A tombstone has no original: the terminal never got a request with this reference. */
function originalMembers({ transType, referenceId, voidStatus }: About): OriginalMembers {
  if (transType === null) return {};
  return {
    originalTransType: transType,
    originalReferenceId: referenceId,
    ...(voidStatus === null ? {} : { voidStatus }),
  };
}
