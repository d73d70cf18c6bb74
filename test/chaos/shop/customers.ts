/** What customers buy: the content of transfers. */
import type { Wire } from "../journal.ts";
import type { Needles } from "../needles.ts";
import type { Random } from "../random.ts";
import { textOf } from "../wire/amount.ts";
import { madeUpCard } from "../wire/card.ts";
import type { Sale } from "./sale.ts";

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
