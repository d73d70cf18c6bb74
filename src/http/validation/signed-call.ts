import * as z from "zod";
import { NONCE_LENGTH, POS_ID_LENGTH, SIGNED_CALL_LENGTH } from "../../protocol/lengths.ts";
import { requestSignature, signedTime, text } from "../../validation/fields.ts";

/** The members of every signed call. */
export const signedCall = z.object({
  posId: text(POS_ID_LENGTH),
  datetime: signedTime,
  nonce: text(NONCE_LENGTH),
  call: text(SIGNED_CALL_LENGTH),
  signature: requestSignature,
});
