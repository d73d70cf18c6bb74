import { handsOutCash } from "../../protocol/transfer-types.ts";
import type { TransactionRequest } from "../client/terminal.ts";

/** A published test card. No real card has its number. */
interface TestCard {
  pan: string;
  aid: string;
  label: string;
  /** Whether the card is from the domestic debit channel, the only one that pays out cash. */
  domestic: boolean;
}

const CARDS = {
  VISA: { pan: "4111111111111111", aid: "A0000000031010", label: "VISA CREDIT", domestic: false },
  MASTERCARD: { pan: "5555555555554444", aid: "A0000000041010", label: "MASTERCARD", domestic: false },
  MyDebit: { pan: "6799990100000000019", aid: "A0000006150001", label: "MYDEBIT", domestic: true },
} satisfies Record<string, TestCard>;

export type Card = keyof typeof CARDS;
export const CARD_NAMES: readonly string[] = Object.keys(CARDS);

export function isCard(name: string): name is Card {
  return Object.hasOwn(CARDS, name);
}

/** `swipe` reads the stripe, and `fallback` reads it after the chip failed. */
export type CardEntry = "contactless" | "chip" | "swipe" | "manual" | "fallback";

/** Missing members have the terminal's defaults. */
export interface Presented {
  card?: Card | undefined;
  entry?: CardEntry | undefined;
  /** Of a customer who shows a code. */
  wallet?: string | undefined;
}

/** Up to this total in cents a tap is enough; above it, the terminal requires chip and PIN. */
const CONTACTLESS_LIMIT = 250_00;

/** Throws a TypeError without an amount. */
export function readAmounts({ transData }: TransactionRequest): { transAmt: string; cashAmt: string | null } {
  const { transAmt, cashAmt } = transData;
  if (typeof transAmt !== "string") throw new TypeError("a payment without transAmt");
  return { transAmt, cashAmt: typeof cashAmt === "string" ? cashAmt : null };
}

/** Why a tap is not enough: `cash` or an amount over the `limit` needs a PIN. */
export function whyInsert(request: TransactionRequest): "cash" | "limit" | null {
  if (handsOutCash(request.transType)) return "cash";
  return cents(readAmounts(request).transAmt) > CONTACTLESS_LIMIT ? "limit" : null;
}

export function cents(amount: string): number {
  return Number(amount.replace(".", ""));
}

export interface PaymentMeans {
  stages: ("reading" | "pin" | "scan")[];
  details: Record<string, string>;
  /** If false, the host does not permit this transaction with this card. */
  permitted: boolean;
}

const CUSTOMERS_WALLET = "GrabPay";

/** A wallet's answer has no card members. */
export function paymentMeans(request: TransactionRequest, presented: Presented): PaymentMeans {
  const { paymentMethod, paymentChannel } = request.transData;
  switch (paymentMethod) {
    case "qrCustScan":
      // The terminal shows the code of the wallet in the request.
      return byWallet(typeof paymentChannel === "string" ? paymentChannel : CUSTOMERS_WALLET);
    case "qrMerchScan":
      return byWallet(presented.wallet ?? CUSTOMERS_WALLET);
    default:
      return byCard(request, presented);
  }
}

function byWallet(paymentChannel: string): PaymentMeans {
  return { stages: ["scan"], details: { paymentChannel }, permitted: true };
}

function byCard(request: TransactionRequest, presented: Presented): PaymentMeans {
  const { requestId } = request;
  const cashOut = handsOutCash(request.transType);
  const name = presented.card ?? (cashOut ? "MyDebit" : "VISA");
  const card: TestCard = CARDS[name];
  const entry = chooseEntry(presented.entry, whyInsert(request) !== null);
  const { stages, details, tvr } = READINGS[entry];
  return {
    stages,
    // Cash needs a PIN.
    permitted: !cashOut || (card.domestic && entry === "chip"),
    details: {
      paymentChannel: name,
      cardNo: "x".repeat(card.pan.length - 4) + card.pan.slice(-4),
      ...details,
      cardHoldersName: "TEST CARD/SIMULATED",
      // These are hexadecimal digits of the right length, and clearly not a real cryptogram.
      ...(tvr === undefined
        ? {}
        : { aid: card.aid, cardLabel: card.label, tvr, appCrypt: `FACADE00${requestId.slice(-8)}` }),
      rrn: requestId.padStart(12, "0"),
      apprCode: `S${requestId.slice(-5)}`,
    },
  };
}

/** If a PIN is needed, a tap becomes chip: the terminal asks to insert the card. */
function chooseEntry(entry: CardEntry = "contactless", pinNeeded: boolean): CardEntry {
  return entry === "contactless" && pinNeeded ? "chip" : entry;
}

/** `tvr` has the terminal verification results of a chip. */
const READINGS: Record<CardEntry, Omit<PaymentMeans, "permitted"> & { tvr?: string }> = {
  contactless: { stages: ["reading"], details: { entryMode: "Contactless", cvmType: "00" }, tvr: "0000000000" },
  chip: { stages: ["reading", "pin"], details: { entryMode: "Chip", cvmType: "02" }, tvr: "0000048000" },
  swipe: { stages: ["reading"], details: { entryMode: "Magstripe", cvmType: "01" } },
  manual: { stages: ["reading"], details: { entryMode: "Manual", cvmType: "00" } },
  fallback: { stages: ["reading"], details: { entryMode: "Fallback", cvmType: "01" } },
};

export const ENTRY_NAMES: readonly string[] = Object.keys(READINGS);
