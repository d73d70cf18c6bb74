/** Amounts as whole numbers of hundredths, so that sums are exact. Every supported currency has two decimals. */

/** @param amount in decimal notation, with two decimals */
export function hundredths(amount: string): number;
export function hundredths(amount: string | null): number | null;
export function hundredths(amount: string | null): number | null {
  return amount === null ? null : Number(amount.replace(".", ""));
}

/** @param amount hundredths, negative where more was voided than sold */
export function decimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, "0");
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Formats an amount for people: `MYR 1,208.90`.
 *
 * @param amount in decimal notation, with two decimals
 */
export function moneyText(amount: string, currency: string): string {
  return `${currency} ${Number(amount).toLocaleString("en", { minimumFractionDigits: 2 })}`;
}

/** Formats sums in several currencies: `MYR 12.50, SGD 3.00`. */
export function amountsText(amounts: readonly { transAmt: string; currency: string }[]): string {
  return amounts.map(({ transAmt, currency }) => moneyText(transAmt, currency)).join(", ");
}
