/** Amounts in the object: whole numbers of hundredths, so that sums are exact. */

/** @param amount in decimal notation, with two decimals */
export function hundredths(amount: string): number;
export function hundredths(amount: string | null): number | null;
export function hundredths(amount: string | null): number | null {
  return amount === null ? null : Number(amount.replace(".", ""));
}

/** Hundredths in decimal notation, with two decimals. */
export function decimal(amount: number): string {
  const digits = String(amount).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
