/** What lines of totals must say, computed from transactions alone. Amounts are in hundredths, without rounding. */
import type { AccountTransaction } from "../../../src/protocol/events.ts";
import type { TotalsLine, UnresolvedTotals } from "../../../src/protocol/totals.ts";

/** `12345` → `123.45` */
export function decimal(hundredths: number | bigint): string {
  const digits = String(hundredths).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function parsed(amount: string | null): bigint {
  return amount === null ? 0n : BigInt(amount.replace(".", ""));
}

function sumOf(amounts: readonly (string | null)[]): string {
  return decimal(amounts.reduce((sum, amount) => sum + parsed(amount), 0n));
}

/** In no particular order. */
export function linesOf(completed: readonly AccountTransaction[]): TotalsLine[] {
  const kinds = Map.groupBy(completed, (one) => JSON.stringify([one.currency, one.transType, one.paymentChannel]));
  return [...kinds.values()].flatMap((ofKind) => {
    const [first] = ofKind;
    if (first === undefined) return [];
    const { currency, transType, paymentChannel } = first;
    const approved = ofKind.filter(({ statusCode }) => statusCode === "00");
    return {
      currency,
      transType,
      paymentChannel,
      approved: {
        count: approved.length,
        transAmt: sumOf(approved.map(({ transAmt }) => transAmt)),
        cashAmt: sumOf(approved.map(({ cashAmt }) => cashAmt)),
      },
      notApproved: { count: ofKind.length - approved.length },
    };
  });
}

export function unresolvedOf(open: readonly AccountTransaction[]): UnresolvedTotals {
  const oneCurrency = new Set(open.map(({ currency }) => currency)).size <= 1;
  return { count: open.length, transAmt: oneCurrency ? sumOf(open.map(({ transAmt }) => transAmt)) : null };
}
