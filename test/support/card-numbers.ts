/** Card numbers that nobody has: the schemes' published test numbers, and drawn ones that pass for real. */
import * as fc from "fast-check";
import { withCheckDigit } from "./luhn.ts";

export { withCheckDigit };

export const SCHEME_SAMPLES: readonly (readonly [scheme: string, number: string])[] = [
  ["Visa", "4111111111111111"],
  ["Visa, 13 digits", "4222222222222"],
  ["Visa, 19 digits", "4000000000000000006"],
  ["Mastercard", "5555555555554444"],
  ["Mastercard, range 2", "2223003122003222"],
  ["American Express", "378282246310005"],
  ["Diners Club", "30569309025904"],
  ["Diners Club, 16 digits", "3622720627166700"],
  ["Discover", "6011111111111117"],
  ["JCB", "3530111333300000"],
  ["UnionPay", "6200000000000005"],
  ["UnionPay, 19 digits", "6205500000000000004"],
  ["Maestro", "6759649826438453"],
  ["Maestro, 12 digits", withCheckDigit("50180000000")],
  ["Maestro, 19 digits", "6799990100000000019"],
  ["Mir", "2200000000000053"],
  ["Troy", withCheckDigit("979200000000000")],
  ["RuPay", withCheckDigit("508500000000000")],
  ["RuPay, range 82", withCheckDigit("820100000000000")],
  ["NAPAS", "9704000000000018"],
  ["NAPAS, 19 digits", "9704198526191432198"],
  ["Uzcard", "8600495473316478"],
  ["Humo", withCheckDigit("986016660666066")],
  ["UATP", withCheckDigit("10000000000000")],
];

/** Any card number of the schemes that make up nearly all of them. */
export const cardNumber: fc.Arbitrary<string> = fc
  .oneof(
    fc.stringMatching(/^4[0-9]{14}$/u),
    fc.stringMatching(/^5[1-5][0-9]{13}$/u),
    fc.stringMatching(/^3[47][0-9]{12}$/u),
    fc.stringMatching(/^62[0-9]{13}$/u),
  )
  .map(withCheckDigit);
