import * as z from "zod";
import { BIND_KEY_TYPED, readBindKey } from "../../keys/bind-keys.ts";
import { BIND_KEY_TYPED_LENGTH, NONCE_LENGTH, SIGNATURE_LENGTH, TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { optional, requestSignature, signedTime, text } from "../../validation/fields.ts";

export const terminalLoginRequest = z.object({
  terminalId: text(TERMINAL_ID_LENGTH),
  datetime: signedTime,
  nonce: optional(text(NONCE_LENGTH)),
  signature: text(SIGNATURE_LENGTH),
});

export const bindRequest = z.object({
  key: text(BIND_KEY_TYPED_LENGTH)
    .regex(BIND_KEY_TYPED, { error: "Send the key as shown: 8 letters and digits." })
    .transform(readBindKey),
  datetime: signedTime,
  nonce: optional(text(NONCE_LENGTH)),
  signature: requestSignature,
});
