/** What a till has written down about a transaction before it sends the first message, and what it has learned since. */
import type { Wire } from "../journal.ts";
import type { Needles } from "../journal-file.ts";
import type { Random } from "../random.ts";
import type { Message } from "./session.ts";
import { madeUpCard, textOf } from "../wire/values.ts";

export interface Sale {
  readonly transType: "sale" | "cashOut" | "void";
  readonly deviceId: string;
  readonly referenceId: string;
  readonly transData: Wire;
  /** Null: no answer yet. */
  statusCode: "00" | "11" | "22" | null;
  /** The number of an approved one, for its void. */
  transId: string | null;
  message: Message | null;
  /** Whether a message may have arrived of which the till knows nothing. */
  isUnsure: boolean;
  /** Every message was refused: it never happened. */
  isRefused: boolean;
}

export function isOpen({ statusCode, isRefused }: Sale): boolean {
  return !isRefused && (statusCode === null || statusCode === "22");
}

/** Notes a genuine answer. The first outcome stays: whether a later one differs is the checker's business. */
export function learn(sale: Sale, { statusCode, transData }: Wire): void {
  if (statusCode !== "00" && statusCode !== "11" && statusCode !== "22") return;
  if (sale.statusCode !== "00" && sale.statusCode !== "11") sale.statusCode = statusCode;
  const { transId } = (transData ?? {}) as { transId?: string };
  if (statusCode === "00" && sale.transType !== "void" && transId !== undefined) sale.transId = transId;
}

type Content = Pick<Sale, "transType" | "transData">;

/** A sale or a cashOut. Some cashiers type a card number where none belongs. */
export function drawContent(random: Random, needles: Needles): Content {
  const transAmt = textOf(random.between(100, 50_000));
  if (random.chance(0.12)) {
    const cashAmt = textOf(random.between(10, 200) * 100);
    return { transType: "cashOut", transData: { transAmt, cashAmt, paymentMethod: "bankCard" } };
  }
  const paymentMethod = random.chance(0.85) ? "bankCard" : "qrMerchScan";
  return { transType: "sale", transData: { transAmt, paymentMethod, ...remarks(random, needles) } };
}

export function voidOf(transId: string): Content {
  return { transType: "void", transData: { transId } };
}

/** The same reference with other content: must be refused. */
export function otherContent({ transType, transData }: Content, random: Random): Content {
  if (transType === "void") return { transType: "sale", transData: { transAmt: "1.00", paymentMethod: "bankCard" } };
  return { transType, transData: { ...transData, transAmt: textOf(random.between(60_000, 90_000)) } };
}

function remarks(random: Random, needles: Needles): Wire {
  if (!random.chance(0.1)) return random.chance(0.3) ? { note: "Tisch 7, für später 🍜", printCount: 1 } : {};
  const card = madeUpCard(random);
  needles.add("card number typed by a cashier", card);
  return random.chance(0.5) ? { note: `card ${card}` } : { metadata: `${card} please` };
}
