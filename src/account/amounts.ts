/** Amounts as the object adds them up: whole numbers of hundredths, in which every amount is written. */

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
