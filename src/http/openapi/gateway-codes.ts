/** The responseCodes of the gateway's own answers, as the published documents list them. */
import { GATEWAY_CODES as CODES, RESOLVED as RESOLVED_CODE } from "../../protocol/gateway-codes.ts";

export const GATEWAY_CODES = Object.entries(CODES).map(([responseCode, { statusCode, responseText }]) => ({
  statusCode,
  responseCode,
  responseText,
}));

/** Completed by the operator, who chooses status and reason. */
export const RESOLVED = {
  statusCode: ["00", "11"],
  responseCode: RESOLVED_CODE,
  responseText: "The operator's reason.",
};
