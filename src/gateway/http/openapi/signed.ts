import type { Note } from "./json-schema.ts";
import { CLOCK_TOLERANCE } from "../../../protocol/limits.ts";
import { SIGNATURE, withSignature } from "../../../protocol/signing/signature.ts";
import { duration } from "../../../protocol/time/duration.ts";
import { DEMO_SIGNING_KEY } from "./examples.ts";

export const ACCOUNT_KEY = "account's signing key";

/**
 * @param what the message: `login`
 * @param rule what the gateway compares the time with
 */
export function at(what: string, example: string, rule = "Within"): Note {
  return {
    description:
      `When the ${what} was signed, in UTC: \`YYYYMMDDTHHMMSS\`, with or without the \`T\`. ${rule} ` +
      `${duration(CLOCK_TOLERANCE)} of the gateway's clock.`,
    examples: [example],
  };
}

/** @param what the account's message, which is valid once: `login` */
export function nonce(what: string, example: string): Note {
  return {
    description: `A text that no earlier ${what} of this account used, such as a UUID. Each ${what} is valid once.`,
    examples: [example],
  };
}

/** @param key the sender's: `account's signing key`, or `terminal's secret` */
export function signatureSchema(key: string, example: string): Note {
  return {
    description:
      "HMAC-SHA-256 over the RFC 8785 form of the body without this field, keyed with the UTF-8 bytes of the " +
      `${key}, as hexadecimal digits in either case.`,
    minLength: 64,
    maxLength: 64,
    pattern: SIGNATURE.source,
    examples: [example],
  };
}

/** @param ending of the nonce: each example needs its own */
export function signedExample<Members extends object>(call: string, ending: string, further: Members) {
  const head = { posId: "POS-0001", datetime: "20261120T021500", nonce: `5f1c2d9e-8a57-4c0b-9a3e-${ending}`, call };
  return withSignature({ ...head, ...further }, DEMO_SIGNING_KEY);
}

/** @param call its method and path */
export function callNotes(call: string) {
  const example = signedExample(call, "000000000000", {});
  return {
    posId: { description: "The account of the access token.", examples: [example.posId] },
    datetime: at("call", example.datetime),
    nonce: nonce("call", example.nonce),
    call: { description: "The call that this message is for: the method, a space, the path.", examples: [call] },
    signature: signatureSchema(ACCOUNT_KEY, example.signature),
  };
}
