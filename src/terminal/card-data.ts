/**
 * Card numbers never stay (I6): whatever a POS or a terminal sends, what is stored, shown or logged holds none.
 */

/** What separates the digits of a card number that was typed or printed. */
const CANDIDATE = /[0-9](?:[ -]?[0-9]){11,18}/gu;

/**
 * The number ranges and lengths of the card schemes (ISO/IEC 7812-1 issuer identification numbers as the schemes publish
 * them): without them one number in ten passes the Luhn check by chance.
 */
const SCHEMES: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  { prefix: /^4/u, lengths: [13, 16, 18, 19] }, // Visa
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/u, lengths: [16] }, // Mastercard
  { prefix: /^3[47]/u, lengths: [15] }, // American Express
  { prefix: /^(?:30[0-5]|3095|36|3[89])/u, lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { prefix: /^(?:6011|64[4-9]|65)/u, lengths: [16, 17, 18, 19] }, // Discover
  { prefix: /^35(?:2[89]|[3-8])/u, lengths: [16, 17, 18, 19] }, // JCB
  { prefix: /^(?:62|81)/u, lengths: [16, 17, 18, 19] }, // UnionPay
  { prefix: /^(?:50|5[6-9]|6[0137])/u, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro and domestic debit
  { prefix: /^220[0-4]/u, lengths: [16, 17, 18, 19] }, // Mir
  { prefix: /^9792/u, lengths: [16] }, // Troy
];

/** Whether these digits are a card number: a scheme's range and length, and the Luhn check (ISO/IEC 7812-1, annex B). */
export function isCardNumber(digits: string): boolean {
  return SCHEMES.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits)) && luhn(digits);
}

function luhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** A free text with every card number in it masked to its last four digits. */
export function maskCardNumbers(text: string): string {
  return text.replace(CANDIDATE, maskRun);
}

/** A run of digits may hold a card number next to other digits: the longest that fits is masked, from the left. */
function maskRun(run: string): string {
  const positions = [...run].flatMap((character, index) => (character >= "0" && character <= "9" ? [index] : []));
  const digits = positions.map((position) => run[position]).join("");
  for (let start = 0; start + 12 <= digits.length; start++) {
    for (let length = Math.min(19, digits.length - start); length >= 12; length--) {
      if (!isCardNumber(digits.slice(start, start + length))) continue;
      const masked = new Set(positions.slice(start, start + length - 4));
      return [...run].map((character, index) => (masked.has(index) ? "x" : character)).join("");
    }
  }
  return run;
}

/** `cardNo` as it is shown: everything but the last four digits is masked, whatever was sent. At most 32 characters. */
export function maskCardNo(cardNo: string): string {
  const compact = [...cardNo.replace(/[ -]/gu, "")].slice(-32);
  return compact
    .map((character, index) => (index >= compact.length - 4 && /[0-9]/u.test(character) ? character : "x"))
    .join("");
}
