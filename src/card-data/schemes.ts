/** The number ranges of the card schemes. */

/** ISO/IEC 7812-1: a card number has at most nineteen digits. No scheme issues one of fewer than twelve. */
export const FEWEST_DIGITS = 12;
export const MOST_DIGITS = 19;

/**
 * The number ranges and lengths of the card schemes (ISO/IEC 7812-1 issuer identification numbers as the schemes publish
 * them). Without them, one number in ten passes the Luhn check by chance. Maestro's short numbers count only in its own
 * ranges: all of 50 and 56 to 69 would include phone numbers (+60) and identity numbers, which start with a date.
 */
const SCHEMES: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  { prefix: /^4/u, lengths: [13, 16, 18, 19] }, // Visa
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/u, lengths: [16] }, // Mastercard
  { prefix: /^3[47]/u, lengths: [15] }, // American Express
  { prefix: /^(?:30[0-5]|3095|36|3[89])/u, lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { prefix: /^(?:6011|64[4-9]|65)/u, lengths: [16, 17, 18, 19] }, // Discover
  { prefix: /^35(?:2[89]|[3-8])/u, lengths: [16, 17, 18, 19] }, // JCB
  { prefix: /^(?:62|81)/u, lengths: [16, 17, 18, 19] }, // UnionPay
  { prefix: /^(?:50[1-3]|5893|6304|67[5-7])/u, lengths: [12, 13, 14, 15] }, // Maestro, short
  { prefix: /^(?:50|5[6-9]|6[0137])/u, lengths: [16, 17, 18, 19] }, // Maestro and domestic debit, RuPay 508 and 60
  { prefix: /^8[12]/u, lengths: [16] }, // RuPay, which also has numbers of Discover's 65 and JCB's 353 and 356
  { prefix: /^220[0-4]/u, lengths: [16, 17, 18, 19] }, // Mir
  { prefix: /^9792/u, lengths: [16] }, // Troy
  { prefix: /^9704/u, lengths: [16, 17, 18, 19] }, // NAPAS
  { prefix: /^(?:8600|9860)/u, lengths: [16] }, // Uzcard, Humo
  { prefix: /^1/u, lengths: [15] }, // UATP
];

/** Whether these ASCII digits are in a scheme's range and have one of its lengths. */
export function fitsScheme(digits: string): boolean {
  return SCHEMES.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits));
}

/** How card numbers are grouped: as on the card, or typed digit by digit. */

/**
 * Whether groups of these sizes with these separators are grouped like a card number. Such groups may have different
 * separators of anything but letters; other groups are mostly amounts, dates and lists.
 *
 * @param sizes of each group; the last one may include what directly follows the number
 */
export function isPrinted(sizes: readonly number[], separators: readonly string[]): boolean {
  const [first = 0, second = 0] = sizes;
  const leading = sizes.slice(0, -1);
  if (leading.length >= 2 && leading.every((size) => size === 4)) return true;
  if (sizes.every((size) => size === 1)) return true;
  if (sizes.every((size) => size === 2)) return separators.every((separator) => separator === separators[0]);
  return (first === 4 && second === 6 && sizes.length <= 3) || (first === 6 && sizes.length === 2);
}
