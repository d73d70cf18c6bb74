/** What can happen to a message between the POS and the gateway. */
import { findErrorName } from "../../../protocol/errors.ts";
import type { Problem } from "../../../protocol/problem.ts";
import type { Behaviour } from "../../simulator/behaviour.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { withSignature } from "../../../protocol/signing/signature.ts";
import { readText } from "../message.ts";

/** An HTTP response. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** `drop`: the connection breaks. `silence`: nothing comes, and the connection stays open. */
export type Given = HttpAnswer | "drop" | "silence";

/** Some faults need the account's key, to sign what they have changed. */
export interface Gateway {
  signingKey: string;
}

export interface PosFault {
  /** Whether the gateway gets the message. If it does, it processes it, whatever the POS is answered. */
  forwards: boolean;
  /** What happens instead to a question about the transaction, or to its cancel. */
  toQuestions?: PosFault;
  /** @param real the gateway's answer; a 502 with an empty body if it was not asked */
  answer: (real: HttpAnswer, gateway: Gateway) => Given;
}

/** What happens to one transaction. */
export interface Script {
  /** The faults in the order of the messages about it; later messages pass. */
  faults: readonly PosFault[];
  /** The last fault repeats until the step ends. */
  repeatsLast?: true;
  /** What the simulated terminal does; by default, it approves. */
  customer?: Behaviour;
}

export const APPROVES: Behaviour = { kind: "approve" };
export const DECLINES: Behaviour = { kind: "decline", responseCode: "05", responseText: "Declined by the issuer." };

export function passThrough(): PosFault {
  return { forwards: true, answer: (real) => real };
}

/** @param how the answer is lost: with the connection, or without a sign of it */
export function loseAnswer(how: "drop" | "silence" = "drop"): PosFault {
  return { forwards: true, answer: () => how };
}

/** Somebody on the way answers in the gateway's place, while the gateway processes the message. */
export function foreign(status: number, type: string, body: string, headers: Record<string, string> = {}): PosFault {
  return { forwards: true, answer: () => ({ status, headers: { "Content-Type": type, ...headers }, body }) };
}

interface Refusal {
  code?: number;
  message: string;
  details?: readonly Problem[];
  retryAfterSeconds?: number;
}

/** Answers with an error in the gateway's own form. The gateway does not get the message, except before a 500. */
export function refuseWith(
  status: number,
  { code = status * 100, message, details, retryAfterSeconds }: Refusal,
): PosFault {
  return {
    forwards: status >= 500,
    answer: () => ({
      status,
      headers: {
        "Content-Type": "application/json",
        ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
      },
      body: JSON.stringify({ code, error: findErrorName(code), message, traceId: crypto.randomUUID(), details }),
    }),
  };
}

/** The gateway's answer, changed and signed again. @param keyOf the key that signs it; null: nobody does */
export function alterAnswer(
  change: (answer: JsonObject) => JsonObject,
  keyOf: (key: string) => string | null = (key) => key,
): PosFault {
  return {
    forwards: true,
    answer(real, { signingKey }) {
      const { signature: _signature, ...answer } = change(readText(String(real.body)) ?? {});
      const key = keyOf(signingKey);
      return { ...real, body: JSON.stringify(key === null ? answer : withSignature(answer, key)) };
    },
  };
}

/** A header that the gateway did not send. */
export function withHeader(name: string, value: string): PosFault {
  return { forwards: true, answer: (real) => ({ ...real, headers: { ...real.headers, [name]: value } }) };
}
