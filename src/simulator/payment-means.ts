import type { TransactionRequest } from "../client/terminal.ts";

/** A test card, as the card schemes publish them. No real card has such a number. */
interface TestCard {
  scheme: string;
  pan: string;
  aid: string;
  label: string;
}

const VISA: TestCard = { scheme: "VISA", pan: "4111111111111111", aid: "A0000000031010", label: "VISA CREDIT" };
const DOMESTIC_DEBIT: TestCard = {
  scheme: "MyDebit",
  pan: "5555555555554444",
  aid: "A0000006150001",
  label: "MYDEBIT",
};

/** Up to this total, in cents, a tap is enough; above it the chip and a PIN are asked for. */
const CONTACTLESS_LIMIT = 250_00;

/** What the customer will be charged, in cents. */
export function totalCents({ transAmt, cashAmt }: { transAmt: string; cashAmt: string | null }): number {
  return cents(transAmt) + (cashAmt === null ? 0 : cents(cashAmt));
}

function cents(amount: string): number {
  return Number(amount.replace(".", ""));
}

/** How the customer pays: what the terminal shows on the way, and what the answer says of it. */
export interface PaymentMeans {
  stages: ("reading" | "pin" | "scan")[];
  details: Record<string, string>;
}

/** The wallet that a customer who shows a code is taken to use. */
const CUSTOMERS_WALLET = "GrabPay";

/** The means that a request's `paymentMethod` asks for. A wallet's answer has none of a card's members. */
export function paymentMeans(request: TransactionRequest, total: number): PaymentMeans {
  const { paymentMethod, paymentChannel } = request.transData;
  if (paymentMethod !== "bankCard") {
    const wallet = typeof paymentChannel === "string" ? paymentChannel : CUSTOMERS_WALLET;
    return { stages: ["scan"], details: { paymentChannel: wallet } };
  }
  const card = request.transType === "cashOut" ? DOMESTIC_DEBIT : VISA;
  const tap = total <= CONTACTLESS_LIMIT && request.transType !== "cashOut";
  return {
    stages: tap ? ["reading"] : ["reading", "pin"],
    details: {
      paymentChannel: card.scheme,
      cardNo: "x".repeat(card.pan.length - 4) + card.pan.slice(-4),
      entryMode: tap ? "Contactless" : "Chip",
      cvmType: tap ? "00" : "02",
      aid: card.aid,
      cardLabel: card.label,
      cardHoldersName: "TEST CARD/SIMULATED",
      // Hexadecimal of the right length that nobody takes for a cryptogram.
      tvr: tap ? "0000000000" : "0000048000",
      appCrypt: `FACADE00${request.requestId.slice(-8)}`,
      rrn: request.requestId.padStart(12, "0"),
      apprCode: `S${request.requestId.slice(-5)}`,
    },
  };
}
