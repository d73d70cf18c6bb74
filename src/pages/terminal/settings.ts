import type { Card } from "../../sdk/simulator/payment-means.ts";

/** The values are names of the simulator's behaviours. */
export const BANK_ANSWERS = [
  { value: "approved", label: "approves" },
  { value: "declined", label: "declines (05)" },
  { value: "insufficient-funds", label: "has too little money (51)" },
  { value: "expired-card", label: "finds the card expired (54)" },
  { value: "issuer-unavailable", label: "cannot be reached (91)" },
];

export const CARDS: { value: Card; label: string }[] = [
  { value: "VISA", label: "VISA credit" },
  { value: "MASTERCARD", label: "Mastercard" },
  { value: "MyDebit", label: "MyDebit (domestic)" },
];

/** For customers who show a code; any other name can be typed. */
export const WALLETS = ["GrabPay", "Touch 'n Go", "Boost"];

export interface TerminalSettings {
  /** The cents of the amount decide, and nobody must press anything. */
  automatic: boolean;
  card: Card;
  wallet: string;
  bank: string;
  /** The bank decides at once, but its answer waits until the user releases it. */
  late: boolean;
}

export const FIRST_SETTINGS: TerminalSettings = {
  automatic: false,
  card: "VISA",
  wallet: "GrabPay",
  bank: "approved",
  late: false,
};
