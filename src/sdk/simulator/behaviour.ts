import type { TransactionRequest } from "../client/terminal.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

/** A fault around an approved transaction. */
export type Fault =
  | "drop-before-result"
  /** The connection drops before `accepted`; the terminal has not stored the request. */
  | "drop-before-accepted"
  /** Accepted, then nothing more until the gateway asks. */
  | "silent-until-asked"
  | "result-twice"
  /** The result is sent after the request's end. */
  | "result-late"
  /** The first result has a wrong signature, the next a correct one. */
  | "wrong-signature-first";

/** How customer, terminal and host treat one transaction. */
export type Behaviour =
  | { kind: "approve" }
  | { kind: "decline"; responseCode: string; responseText: string }
  /** The host has no answer yet; asked later, it has this one. */
  | { kind: "pending"; outcome: "00" | "11" }
  /** The card does not take part in any promotion: declined if the request has a `promoSale`. */
  | { kind: "outside-promotion" }
  | { kind: "customer-cancels" }
  /** It is approved after the customer took this long. */
  | { kind: "slow"; milliseconds: number }
  | { kind: "refuse-busy" }
  | { kind: "fault"; fault: Fault };

/** The customer's time at `.89`. */
const SLOW: Milliseconds = 10_000;

/** The response codes are those of ISO 8583. */
const BEHAVIOURS: { name: string; cents: string; behaviour: Behaviour }[] = [
  { name: "declined", cents: "05", behaviour: decline("05", "Declined by the issuer.") },
  { name: "insufficient-funds", cents: "51", behaviour: decline("51", "Insufficient funds.") },
  { name: "expired-card", cents: "54", behaviour: decline("54", "The card has expired.") },
  { name: "wrong-pin", cents: "55", behaviour: decline("55", "Wrong PIN.") },
  { name: "outside-promotion", cents: "57", behaviour: { kind: "outside-promotion" } },
  { name: "issuer-unavailable", cents: "91", behaviour: decline("91", "The issuer is unavailable.") },
  { name: "pending-then-approved", cents: "22", behaviour: { kind: "pending", outcome: "00" } },
  { name: "pending-then-declined", cents: "23", behaviour: { kind: "pending", outcome: "11" } },
  { name: "drop-before-result", cents: "81", behaviour: { kind: "fault", fault: "drop-before-result" } },
  { name: "drop-before-accepted", cents: "82", behaviour: { kind: "fault", fault: "drop-before-accepted" } },
  { name: "silent-until-asked", cents: "83", behaviour: { kind: "fault", fault: "silent-until-asked" } },
  { name: "result-twice", cents: "84", behaviour: { kind: "fault", fault: "result-twice" } },
  { name: "result-late", cents: "85", behaviour: { kind: "fault", fault: "result-late" } },
  { name: "busy", cents: "86", behaviour: { kind: "refuse-busy" } },
  { name: "wrong-signature-first", cents: "87", behaviour: { kind: "fault", fault: "wrong-signature-first" } },
  { name: "customer-cancels", cents: "88", behaviour: { kind: "customer-cancels" } },
  { name: "slow", cents: "89", behaviour: { kind: "slow", milliseconds: SLOW } },
];

function decline(responseCode: string, responseText: string): Behaviour {
  return { kind: "decline", responseCode, responseText };
}

/** The cents of `transAmt` ("12.05") choose the behaviour; all other cents approve. */
export function behaviourFor(transAmt: string): Behaviour {
  const cents = transAmt.slice(-2);
  return BEHAVIOURS.find((one) => one.cents === cents)?.behaviour ?? { kind: "approve" };
}

/** A void has no amount. */
export function behaviourByAmount({ transData: { transAmt } }: TransactionRequest): Behaviour {
  return typeof transAmt === "string" ? behaviourFor(transAmt) : { kind: "approve" };
}

export function behaviourNamed(name: string): Behaviour | undefined {
  return BEHAVIOURS.find((one) => one.name === name)?.behaviour;
}

export const BEHAVIOUR_NAMES: readonly string[] = BEHAVIOURS.map(({ name }) => name);
