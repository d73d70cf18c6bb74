/** Values of the interface: amounts as texts and as hundredths, and card numbers. */
import type { Random } from "../random.ts";

export function textOf(hundredths: number): string {
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

/** 0 for a text that is absent. */
export function hundredthsOf(text: unknown): number {
  return typeof text === "string" ? Number(text.replace(".", "")) : 0;
}

export function isLuhnValid(digits: string): boolean {
  return luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  return [...digits].toReversed().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
}

/** The digits, and the one that makes them pass (Luhn). */
export function withCheckDigit(digits: string): string {
  return `${digits}${(10 - (luhnSum(`${digits}0`) % 10)) % 10}`;
}

/** A card number that no bank has given out: sixteen digits of Visa's range, with a right check digit. */
export function madeUpCard(random: Random): string {
  return withCheckDigit(`4${Array.from({ length: 14 }, () => random.between(0, 9)).join("")}`);
}
