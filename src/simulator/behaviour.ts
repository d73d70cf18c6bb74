/** What can go wrong on the wire around a transaction that the host approved. */
export type Fault =
  /** The connection drops before the result is sent. */
  | "drop-before-result"
  /** The connection drops before `accepted`; the terminal has not taken the request. */
  | "drop-before-accepted"
  /** Accepted, then nothing more until the gateway asks. */
  | "silent-until-asked"
  | "result-twice"
  /** The result comes after the request's end. */
  | "result-late"
  /** The first result carries a wrong signature, the next the right one. */
  | "wrong-signature-first";

/** How the simulated customer, terminal and host treat one transaction. */
export type Behaviour =
  | { kind: "approve" }
  | { kind: "decline"; responseCode: string; responseText: string }
  /** The host has no answer yet; asked later, it has this one. */
  | { kind: "pending"; outcome: "00" | "11" }
  | { kind: "customer-cancels" }
  /** Approved, after the customer took so long. */
  | { kind: "slow"; milliseconds: number }
  | { kind: "refuse-busy" }
  | { kind: "fault"; fault: Fault };

/** How long the customer takes at `.89`. */
const SLOW = 10_000;

/** Response codes are those of ISO 8583. */
const BY_CENTS: Record<string, Behaviour> = {
  "05": { kind: "decline", responseCode: "05", responseText: "Declined by the issuer." },
  "51": { kind: "decline", responseCode: "51", responseText: "Insufficient funds." },
  "54": { kind: "decline", responseCode: "54", responseText: "The card has expired." },
  "55": { kind: "decline", responseCode: "55", responseText: "Wrong PIN." },
  "91": { kind: "decline", responseCode: "91", responseText: "The issuer cannot be reached." },
  "22": { kind: "pending", outcome: "00" },
  "23": { kind: "pending", outcome: "11" },
  "81": { kind: "fault", fault: "drop-before-result" },
  "82": { kind: "fault", fault: "drop-before-accepted" },
  "83": { kind: "fault", fault: "silent-until-asked" },
  "84": { kind: "fault", fault: "result-twice" },
  "85": { kind: "fault", fault: "result-late" },
  "86": { kind: "refuse-busy" },
  "87": { kind: "fault", fault: "wrong-signature-first" },
  "88": { kind: "customer-cancels" },
  "89": { kind: "slow", milliseconds: SLOW },
};

/** The behaviour that the cents of `transAmt` ("12.05") choose; anything without a rule is approved. */
export function behaviourFor(transAmt: string): Behaviour {
  return BY_CENTS[transAmt.slice(-2)] ?? { kind: "approve" };
}
