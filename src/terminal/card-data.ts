/**
 * Card numbers never stay (I6): whatever a POS or a terminal sends, what is stored, shown or logged holds none. What may
 * not even be sent (track data, PIN blocks, CVV) is in `sensitive-data.ts`.
 */

/** The digits of a card number that stay readable, as the interface has it. */
const SHOWN_DIGITS = 4;

/** A member `cardNo` is at most so long. */
const CARD_NO_LENGTH = 32;

/** ISO/IEC 7812-1: a card number has at most nineteen digits. No scheme issues one of fewer than twelve. */
const FEWEST_DIGITS = 12;
const MOST_DIGITS = 19;

/**
 * The number ranges and lengths of the card schemes (ISO/IEC 7812-1 issuer identification numbers as the schemes publish
 * them): without them one number in ten passes the Luhn check by chance. Maestro's short numbers are taken in its own
 * ranges alone: all of 50 and 56 to 69 would take in phone numbers (+60) and identity numbers, which begin with a date.
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
  { prefix: /^(?:50|5[6-9]|6[0137])/u, lengths: [16, 17, 18, 19] }, // Maestro and domestic debit
  { prefix: /^220[0-4]/u, lengths: [16, 17, 18, 19] }, // Mir
  { prefix: /^9792/u, lengths: [16] }, // Troy
];

/** Whether these ASCII digits are a card number: a scheme's range and length, and the Luhn check (ISO/IEC 7812-1, B). */
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

/** Groups of digits of any script, and what is put between the groups of one number: spaces, dashes, invisible marks. */
const GROUPS = /\p{Nd}+(?:[\p{Zs}\p{Pd}\p{Cf}\t\u2212]{1,3}\p{Nd}+)*/gu;
const GROUP = /\p{Nd}+/gu;

/** Sixteen or fifteen digits grouped as on the card: these may have anything between them, if it is always the same. */
const AS_PRINTED =
  /(?<!\p{Nd})\p{Nd}{4}([^\p{L}\p{Nd}])(?:\p{Nd}{4}\1\p{Nd}{4}\1\p{Nd}{4}|\p{Nd}{6}\1\p{Nd}{5})(?!\p{Nd})/gu;

/** What follows a card number that was copied together with its expiry (year and month in either order) and CVV. */
const EXPIRY_AND_MORE = /^(?:[2-4][0-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[2-4][0-9])(?:[0-9]{3,4})?$/u;

/**
 * A free text with every card number in it masked to its last four digits. A card number is made of whole groups of
 * digits. Digits within a longer group are none: every other long number would have some that fit. Only a number that
 * its expiry follows directly is known within its group.
 */
export function maskCardNumbers(text: string): string {
  // Most texts have too few characters to hold one.
  if (text.length < FEWEST_DIGITS) return text;
  return text.replace(AS_PRINTED, maskPrinted).replace(GROUPS, maskRun);
}

/** One digit of a text: where it is, in code units, and what it stands for. */
interface Digit {
  start: number;
  end: number;
  value: string;
}

function groupsOf(text: string): Digit[][] {
  return [...text.matchAll(GROUP)].map(({ index, 0: group }) => {
    let end = index;
    return [...group].map((digit) => {
      const start = end;
      end += digit.length;
      return { start, end, value: valueOf(digit) };
    });
  });
}

const DIGIT = /^\p{Nd}$/u;

/** The value of a digit of any script: Unicode lays each script's digits out from zero to nine, without gaps. */
function valueOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

function textOf(digits: readonly Digit[]): string {
  return digits.map(({ value }) => value).join("");
}

function maskPrinted(printed: string): string {
  const digits = groupsOf(printed).flat();
  return isCardNumber(textOf(digits)) ? hide(printed, digits.slice(0, -SHOWN_DIGITS)) : printed;
}

/** From the left, the longest sequence of whole groups that is a card number is masked, and so on behind it. */
function maskRun(run: string): string {
  const groups = groupsOf(run);
  const hidden: Digit[] = [];
  for (let first = 0; first < groups.length; first++) {
    const after = cardNumberFrom(groups, first);
    if (after !== null) {
      hidden.push(...groups.slice(first, after).flat().slice(0, -SHOWN_DIGITS));
      first = after - 1;
    } else hidden.push(...cardNumberWithin(groups[first] ?? []));
  }
  return hide(run, hidden);
}

/** The index after the last group of the longest card number that begins with the group `first`, or null. */
function cardNumberFrom(groups: readonly Digit[][], first: number): number | null {
  let digits = "";
  let after: number | null = null;
  for (let index = first; index < groups.length && digits.length <= MOST_DIGITS; index++) {
    digits += textOf(groups[index] ?? []);
    if (digits.length >= FEWEST_DIGITS && isCardNumber(digits)) after = index + 1;
  }
  return after;
}

/** What is to hide of a group that begins with a card number and goes on with its expiry: the latter, too. */
function cardNumberWithin(group: readonly Digit[]): Digit[] {
  const digits = textOf(group);
  // American Express alone has fifteen digits; nearly all others have sixteen.
  for (const length of [digits.startsWith("3") ? 15 : 16, 16]) {
    if (EXPIRY_AND_MORE.test(digits.slice(length)) && isCardNumber(digits.slice(0, length))) {
      return group.filter((_digit, index) => index < length - SHOWN_DIGITS || index >= length);
    }
  }
  return [];
}

/** `text` with an x for each of these digits, which are in their order. */
function hide(text: string, digits: readonly Digit[]): string {
  let result = "";
  let from = 0;
  for (const { start, end } of digits) {
    result += `${text.slice(from, start)}x`;
    from = end;
  }
  return result + text.slice(from);
}

/** `cardNo` as it is shown: everything but the last four digits is masked, whatever was sent. At most 32 characters. */
export function maskCardNo(cardNo: string): string {
  const compact = [...cardNo.replace(/[ -]/gu, "")].slice(-CARD_NO_LENGTH);
  return compact
    .map((character, index) => (index >= compact.length - SHOWN_DIGITS && /[0-9]/u.test(character) ? character : "x"))
    .join("");
}
