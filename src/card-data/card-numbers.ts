/**
 * Card numbers are never kept (I6): whatever a till, a terminal or an operator sends, nothing stored, shown or logged
 * contains one. `sensitive-data.ts` has the data that must not even be sent (track data, PIN blocks, CVV).
 */

/** The interface leaves this many digits readable. */
const SHOWN_DIGITS = 4;

const CARD_NO_LENGTH = 32;

/** Whether these ASCII digits are a card number: a scheme's range and length, and the Luhn check (ISO/IEC 7812-1, B). */
export function isCardNumber(digits: string): boolean {
  return fitsScheme(digits) && luhn(digits);
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

/** What follows a card number that was copied with its expiry (year and month in either order) and CVV. */
const EXPIRY_AND_MORE = /^(?:[2-4][0-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[2-4][0-9])(?:[0-9]{3,4})?$/u;

const ASCII = /^\p{ASCII}*$/u;

const DECORATED = /\p{No}/u;

/** Spaces, dashes and tabs. Groups between these may have any size. */
const LOOSE = /^[\p{Zs}\p{Pd}\t\u2212]+$/u;

/**
 * Masks every card number in a free text to its last four digits. Looks for numbers at the beginning of every group of
 * digits, and at every digit of a group that is too long to be one number. Masks overlapping numbers too, so that none
 * keeps more than its last four digits. Keeps the number of code points.
 */
export function maskCardNumbers(text: string): string {
  // Most texts are too short for a card number.
  if (text.length < FEWEST_DIGITS) return text;
  const hidden = new Set<Digit>();
  if (ASCII.test(text)) {
    // Most texts need none of the expressions with Unicode's large classes.
    findIn(digitGroups(text, ASCII_DIGITS), hidden);
  } else {
    findIn(digitGroups(text, PLAIN_DIGITS), hidden);
    // A decorated digit may be part of a number, or a list marker before one: both are checked.
    if (DECORATED.test(text)) findIn(digitGroups(text, ALL_DIGITS), hidden);
  }
  return hide(text, hidden);
}

function findIn(groups: readonly DigitGroup[], hidden: Set<Digit>): void {
  for (const [first, { digits }] of groups.entries()) {
    findInGroups(groups.slice(first, first + MOST_DIGITS), hidden);
    findInGroup(digits, hidden);
  }
}

/** Only at the start of the first group. Leading zeros are padding. */
function findInGroups(groups: readonly DigitGroup[], hidden: Set<Digit>): void {
  const digits: Digit[] = [];
  const sizes: number[] = [];
  const separators: string[] = [];
  for (const group of groups) {
    if (sizes.length > 0) {
      if (group.separator === null) return;
      separators.push(group.separator);
    }
    const significant = sizes.length > 0 ? group.digits : withoutPadding(group.digits);
    digits.push(...significant);
    sizes.push(significant.length);
    hideGrouped(digits, sizes, separators, hidden);
  }
}

function hideGrouped(
  digits: readonly Digit[],
  sizes: readonly number[],
  separators: readonly string[],
  hidden: Set<Digit>,
): void {
  if (digits.length < FEWEST_DIGITS) return;
  const printed = isPrinted(sizes, separators);
  if (printed || separators.every((separator) => LOOSE.test(separator))) hideNumber(digits, digits.length, hidden);
  // Printed as on the card, directly followed by its expiry.
  if (printed) hideUsual(digits, hidden);
}

/** Card numbers with text directly before or after them. */
function findInGroup(group: readonly Digit[], hidden: Set<Digit>): void {
  if (group.length < FEWEST_DIGITS) return;
  const digits = withoutPadding(group);
  const value = valueOf(digits);
  for (let length = FEWEST_DIGITS; length <= MOST_DIGITS; length++) {
    if (!EXPIRY_AND_MORE.test(value.slice(length)) || !isCardNumber(value.slice(0, length))) continue;
    for (const digit of [...digits.slice(0, length - SHOWN_DIGITS), ...digits.slice(length)]) hidden.add(digit);
  }
  // Longer than any card number: one may start anywhere in the group.
  const starts = digits.length > MOST_DIGITS ? digits.length : 1;
  for (let start = 0; start < starts; start++) hideUsual(digits.slice(start, start + 16), hidden);
}

/** Only at the start of these digits. Only American Express has fifteen; nearly all others have sixteen. */
function hideUsual(digits: readonly Digit[], hidden: Set<Digit>): void {
  hideNumber(digits, /^3[47]/u.test(valueOf(digits)) ? 15 : 16, hidden);
}

function hideNumber(digits: readonly Digit[], length: number, hidden: Set<Digit>): void {
  if (digits.length < length || !isCardNumber(valueOf(digits.slice(0, length)))) return;
  for (const digit of digits.slice(0, length - SHOWN_DIGITS)) hidden.add(digit);
}

/** No scheme's numbers start with a zero: old hosts pad with zeros. Of zeros alone, one is left. */
function withoutPadding(digits: readonly Digit[]): readonly Digit[] {
  return digits.slice(digits.findIndex(({ value }) => value !== "0"));
}

function valueOf(digits: readonly Digit[]): string {
  return digits.map(({ value }) => value).join("");
}

function hide(text: string, digits: ReadonlySet<Digit>): string {
  let result = "";
  let from = 0;
  for (const { start, end } of [...digits].toSorted((one, other) => one.start - other.start)) {
    // Found twice: as a plain digit, and among decorated ones.
    if (start < from) continue;
    result += `${text.slice(from, start)}x`;
    from = end;
  }
  return result + text.slice(from);
}

/** Masks everything but the last four digits of any text. At most 32 characters. */
export function maskCardNo(cardNo: string): string {
  const compact = [...cardNo.replace(/[ -]/gu, "")].slice(-CARD_NO_LENGTH);
  return compact
    .map((character, index) => (index >= compact.length - SHOWN_DIGITS && /[0-9]/u.test(character) ? character : "x"))
    .join("");
}

/** `start`: code units. */
interface Digit {
  start: number;
  end: number;
  /** One ASCII digit. */
  value: string;
}

interface DigitGroup {
  digits: Digit[];
  /** The text since the previous group; null if it is too long, or has a letter. */
  separator: string | null;
}

/** Between two groups of one number: any number of blanks and dashes, or up to eight other characters. */
const SEPARATOR = /^(?:[\p{Zs}\p{Pd}\t\u2212]+|[^\p{L}\p{N}]{1,8})$/u;

/** Marks of a digit: keycaps, other combining marks, and invisible characters. */
const ONLY_MARKS = /^[\p{M}\p{Cf}]{0,3}$/u;

/**
 * The maximum length of a card number in code units: nineteen digits of two units each, three marks after every digit
 * and eight characters between them. There may be as many blanks between two digits.
 */
export const LONGEST_NUMBER = 512;

const ASCII_DIGITS = /[0-9]/gu;

const PLAIN_DIGITS = /\p{Nd}/gu;

/** Digits of every script, and their compatibility forms (Unicode NFKC): superscripts, circled digits, keycaps. */
const ALL_DIGITS = /[\p{Nd}\p{No}]/gu;

function digitGroups(text: string, pattern: RegExp): DigitGroup[] {
  const groups: DigitGroup[] = [];
  let current: DigitGroup | null = null;
  let end = -Infinity;
  for (const { index, 0: character } of text.matchAll(pattern)) {
    const value = digitOf(character);
    if (value === null) continue;
    const digit = { start: index, end: index + character.length, value };
    const between = index - end > LONGEST_NUMBER ? null : text.slice(end, index);
    if (current !== null && between !== null && ONLY_MARKS.test(between)) current.digits.push(digit);
    else {
      const separator = between !== null && SEPARATOR.test(between) ? between : null;
      groups.push((current = { digits: [digit], separator }));
    }
    end = digit.end;
  }
  return groups;
}

const DIGIT = /^\p{Nd}$/u;

/** One ASCII digit, or null. @param character of these patterns */
function digitOf(character: string): string | null {
  if (character <= "9") return character;
  // Brackets and full stops belong to some digits: ⑴, ⒈.
  const plain = character.normalize("NFKC").replaceAll(/[().,]/gu, "");
  const code = plain.codePointAt(0) ?? 0;
  if (!DIGIT.test(plain)) return null;
  // Unicode orders each script's digits from zero to nine, without gaps.
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** ISO/IEC 7812-1: a card number has at most nineteen digits. No scheme issues one of fewer than twelve. */
const FEWEST_DIGITS = 12;
const MOST_DIGITS = 19;

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
function fitsScheme(digits: string): boolean {
  return SCHEMES.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits));
}

/**
 * Whether groups of these sizes are grouped like a card number: as on the card, or typed digit by digit. Such groups
 * may have different separators of anything but letters; other groups are mostly amounts, dates and lists.
 *
 * @param sizes of each group; the last one may include what directly follows the number
 */
function isPrinted(sizes: readonly number[], separators: readonly string[]): boolean {
  const [first, second] = sizes;
  const leading = sizes.slice(0, -1);
  if (leading.length >= 2 && leading.every((size) => size === 4)) return true;
  if (sizes.every((size) => size === 1)) return true;
  if (sizes.every((size) => size === 2)) return separators.every((separator) => separator === separators[0]);
  return (first === 4 && second === 6 && sizes.length <= 3) || (first === 6 && sizes.length === 2);
}
