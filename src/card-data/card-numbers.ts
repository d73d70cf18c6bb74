/**
 * Card numbers are never kept (I6): no matter what a till, a terminal or an operator sends, nothing stored, shown or logged
 * contains one. `sensitive-data.ts` has the data that must not even be sent (track data, PIN blocks, CVV).
 */
import { isPrinted, fitsScheme, FEWEST_DIGITS, MOST_DIGITS } from "./schemes.ts";
import { ALL_DIGITS, ASCII_DIGITS, digitGroups, PLAIN_DIGITS, type Digit, type DigitGroup } from "./digits.ts";

/** The interface leaves this many digits of a card number readable. */
const SHOWN_DIGITS = 4;

/** The maximum length of `cardNo`. */
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
 * digits, and at every digit of a group that is too long to be one number. Masks overlapping finds too, so that no number
 * keeps more than its last four digits. Keeps the number of code points.
 */
export function maskCardNumbers(text: string): string {
  // Most texts are too short for a card number.
  if (text.length < FEWEST_DIGITS) return text;
  const hidden = new Set<Digit>();
  if (ASCII.test(text)) {
    // Most texts, which need none of the expressions with Unicode's large classes.
    findIn(digitGroups(text, ASCII_DIGITS), hidden);
  } else {
    findIn(digitGroups(text, PLAIN_DIGITS), hidden);
    // A decorated digit may be part of a number, or a list marker before one: checks both.
    if (DECORATED.test(text)) findIn(digitGroups(text, ALL_DIGITS), hidden);
  }
  return hide(text, hidden);
}

function findIn(groups: readonly DigitGroup[], hidden: Set<Digit>): void {
  for (let first = 0; first < groups.length; first++) {
    findInGroups(groups, first, hidden);
    findInGroup(groups[first]?.digits ?? [], hidden);
  }
}

/** Card numbers of whole groups, starting with the group `first`; leading zeros are padding. */
function findInGroups(groups: readonly DigitGroup[], first: number, hidden: Set<Digit>): void {
  const digits: Digit[] = [];
  const sizes: number[] = [];
  const separators: string[] = [];
  for (let index = first; index < groups.length && digits.length <= MOST_DIGITS; index++) {
    const group = groups[index];
    const separator = index > first ? group?.separator : "";
    if (group === undefined || separator === null || separator === undefined) return;
    if (separator !== "") separators.push(separator);
    const significant = digits.length > 0 ? group.digits : withoutPadding(group.digits);
    digits.push(...significant);
    sizes.push(significant.length);
    hideGrouped(digits, sizes, separators, hidden);
  }
}

/** Hides a card number of these groups, if they are grouped like one. */
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

/** Card numbers within one group, with text directly before or after them. */
function findInGroup(group: readonly Digit[], hidden: Set<Digit>): void {
  if (group.length <= FEWEST_DIGITS) return;
  const digits = withoutPadding(group);
  const value = valueOf(digits);
  for (let length = FEWEST_DIGITS + 1; length <= MOST_DIGITS; length++) {
    if (!EXPIRY_AND_MORE.test(value.slice(length)) || !isCardNumber(value.slice(0, length))) continue;
    hideNumber(digits, length, hidden);
    for (const digit of digits.slice(length)) hidden.add(digit);
  }
  // Longer than any card number: one may start anywhere in it.
  const last = digits.length > MOST_DIGITS ? digits.length - 15 : 0;
  for (let start = 0; start <= last; start++) hideUsual(digits.slice(start, start + 16), hidden);
}

/** Hides a card number of the usual length at the start of these digits. */
function hideUsual(digits: readonly Digit[], hidden: Set<Digit>): void {
  const value = valueOf(digits.slice(0, 16));
  for (const length of [15, 16]) if (isUsual(value, length)) hideNumber(digits, length, hidden);
}

/** Only American Express has fifteen digits; nearly all others have sixteen. */
function isUsual(value: string, length: number): boolean {
  return (length === 16 || /^3[47]/u.test(value)) && isCardNumber(value.slice(0, length));
}

function hideNumber(digits: readonly Digit[], length: number, hidden: Set<Digit>): void {
  if (length < FEWEST_DIGITS || length > MOST_DIGITS || digits.length < length) return;
  if (!isCardNumber(valueOf(digits.slice(0, length)))) return;
  for (const digit of digits.slice(0, length - SHOWN_DIGITS)) hidden.add(digit);
}

/** No scheme's numbers start with a zero: old hosts pad with zeros. */
function withoutPadding(digits: readonly Digit[]): readonly Digit[] {
  const first = digits.findIndex(({ value }) => value !== "0");
  return first <= 0 ? digits : digits.slice(first);
}

function valueOf(digits: readonly Digit[]): string {
  return digits.map(({ value }) => value).join("");
}

/** `text` with an x for each of these digits. */
function hide(text: string, digits: ReadonlySet<Digit>): string {
  if (digits.size === 0) return text;
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

/** `cardNo` as it is shown: masks everything but the last four digits of any text. At most 32 characters. */
export function maskCardNo(cardNo: string): string {
  const compact = [...cardNo.replace(/[ -]/gu, "")].slice(-CARD_NO_LENGTH);
  return compact
    .map((character, index) => (index >= compact.length - SHOWN_DIGITS && /[0-9]/u.test(character) ? character : "x"))
    .join("");
}
