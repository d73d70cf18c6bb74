import { behaviourNamed } from "../../simulator/behaviour.ts";
import type { Card } from "../../simulator/payment-means.ts";
import type { TerminalResult } from "../../client/terminal.ts";

/** How the bank answers; the names are those of the simulator's behaviours. */
export type BankAnswer = "approved" | "declined" | "insufficient-funds" | "expired-card" | "issuer-unavailable";

export const BANK_ANSWERS: { name: BankAnswer; label: string }[] = [
  { name: "approved", label: "approves" },
  { name: "declined", label: "declines (05)" },
  { name: "insufficient-funds", label: "has too little money (51)" },
  { name: "expired-card", label: "finds the card expired (54)" },
  { name: "issuer-unavailable", label: "cannot be reached (91)" },
];

export const CARDS: { name: Card; label: string }[] = [
  { name: "VISA", label: "VISA credit" },
  { name: "MASTERCARD", label: "Mastercard" },
  { name: "MyDebit", label: "MyDebit (domestic)" },
];

/** Wallets of customers who show a code; any other name can be typed. */
export const WALLETS = ["GrabPay", "Touch 'n Go", "Boost"];

/** The user's choices for customer and environment. */
export interface Settings {
  /** The cents of the amount decide, and nobody must press anything. */
  automatic: boolean;
  card: Card;
  wallet: string;
  bank: BankAnswer;
  /** The bank decides at once, but its answer waits until the user releases it. */
  late: boolean;
}

export const FIRST_SETTINGS: Settings = {
  automatic: false,
  card: "VISA",
  wallet: "GrabPay",
  bank: "approved",
  late: false,
};

/** The bank's refusal; null if it approves. */
export function refusalOf(bank: BankAnswer): TerminalResult | null {
  const behaviour = behaviourNamed(bank);
  if (behaviour?.kind !== "decline") return null;
  const { responseCode, responseText } = behaviour;
  return { statusCode: "11", responseCode, responseText };
}
