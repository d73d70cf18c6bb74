/** The members that every signed message has. */
import type { Note } from "../../contracts/json-schema.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { SIGNATURE } from "../../signing/signature.ts";
import { duration } from "../../time/duration.ts";

export const ACCOUNT_KEY = "account's signing key";

/** @param what the message: `login`; `rule` what the gateway compares the time with */
export function at(what: string, example: string, rule = "Within"): Note {
  return {
    description:
      `When the ${what} was signed, in UTC: \`YYYYMMDDTHHMMSS\`, with or without the \`T\`. ${rule} ` +
      `${duration(CLOCK_TOLERANCE)} of the gateway's clock.`,
    examples: [example],
  };
}

/** @param what the message of an account that is valid once: `login` */
export function nonce(what: string, example: string): Note {
  return {
    description: `A text that no earlier ${what} of this account used, such as a UUID. Each ${what} is valid once.`,
    examples: [example],
  };
}

/** @param key the sender's: `account's signing key`, or `terminal's secret` */
export function signature(key: string, example: string): Note {
  return {
    description:
      "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the " +
      `${key}, as hexadecimal digits in either case.`,
    minLength: 64,
    maxLength: 64,
    pattern: SIGNATURE.source,
    examples: [example],
  };
}
