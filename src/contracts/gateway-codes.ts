/** The responseCodes of the answers that the gateway makes itself: with their status and the sentence that comes along. */
import { type GatewayCode, gatewayAnswer } from "../terminal/lane/answers.ts";

/** Complete by its type. */
const CODES: Record<GatewayCode, true> = {
  TERMINAL_OFFLINE: true,
  TERMINAL_BUSY: true,
  NOT_DELIVERED: true,
  TERMINAL_REFUSED: true,
  CANCELLED: true,
  CHANNEL_INACTIVE: true,
  TRANSACTION_NOT_FOUND: true,
  NOT_VOIDABLE: true,
  ALREADY_VOIDED: true,
  TERMINAL_TIMEOUT: true,
  TERMINAL_LOST: true,
  IN_PROGRESS: true,
  UNCONFIRMED: true,
};

export const GATEWAY_CODES = Object.keys(CODES).map((code) => {
  const versions = { softwareVersion: "unknown", terminalSn: "unknown" };
  const { statusCode, responseCode, responseText = "" } = gatewayAnswer(code as GatewayCode, versions);
  return { statusCode, responseCode, responseText };
});

/** By hand: with the status that the operator chose, and the operator's reason. */
export const RESOLVED = { statusCode: ["00", "11"], responseCode: "RESOLVED", responseText: "The operator's reason." };
