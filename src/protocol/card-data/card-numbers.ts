/**
 * Card numbers are never kept (I6): whatever a POS, a terminal or an operator sends, nothing stored, shown or logged
 * contains one. `sensitive-data.ts` has the data that must not even be sent (track data, PIN blocks, CVV).
 */
import type { EpochMs } from "../time/units.ts";

/** The interface leaves this many digits readable. */
const SHOWN_DIGITS = 4;

const CARD_NO_LENGTH = 32;

/** ISO/IEC 7812-1: a card number has at most nineteen digits. No scheme issues one of fewer than twelve. */
const FEWEST_DIGITS = 12;
const MOST_DIGITS = 19;

/** From the first digit of a number to its last one, in characters. Marks on a digit are not counted. */
const NUMBER_CHARACTERS = 40;

/** Between two digits, unless all are blanks and dashes. */
const GAP_CHARACTERS = 8;

/** Keycaps, accents and invisible characters that belong to the digit before them. */
const MARKS = 3;

/**
 * The most UTF-16 code units of a number with its marks, and of the expiry and code that follow it: what must be read
 * beyond a cut, so that the cut hides no number from the search.
 */
export const NUMBER_UNITS = 256;

/**
 * The most UTF-16 code units that are searched, so that the cost is bounded even where a caller forgot a limit. All
 * texts of the service are shorter.
 */
export const SEARCHED_UNITS = 2_048;

/**
 * The card schemes' numbers: their lengths, and the ranges of the first four digits (ISO/IEC 7812-1 issuer
 * identification numbers as the schemes publish them). Without them, one number in ten passes the Luhn check by chance.
 * Maestro's short numbers count only in its own ranges: all of 50 and 56 to 69 would include phone numbers (+60) and
 * identity numbers, which start with a date.
 */
const SCHEMES: readonly { lengths: number[]; ranges: string }[] = [
  // Visa.
  { lengths: [13, 16, 18, 19], ranges: "4000-4999" },
  // American Express (2), UATP.
  { lengths: [15], ranges: "3400-3499 3700-3799 1000-1999" },
  // Mastercard (2), RuPay, Troy, Uzcard, Humo. RuPay also has numbers of Discover, JCB and UnionPay.
  { lengths: [16], ranges: "5100-5599 2221-2720 8200-8299 9792-9792 8600-8600 9860-9860" },
  // Maestro and domestic debit, with RuPay (508, 60), Discover (6011) and UnionPay (62); Discover, UnionPay, JCB, Mir, NAPAS.
  {
    lengths: [16, 17, 18, 19],
    ranges: "5000-5099 5600-6399 6700-6799 6440-6599 8100-8199 3528-3589 2200-2204 9704-9704",
  },
  // Diners Club.
  { lengths: [14, 15, 16, 17, 18, 19], ranges: "3000-3059 3095-3095 3600-3699 3800-3999" },
  // Maestro.
  { lengths: [12, 13, 14, 15], ranges: "5010-5039 5893-5893 6304-6304 6750-6779" },
];

/** The same ranges as numbers, with a bit for each length, because they are looked up for every digit of a text. */
const RANGES = SCHEMES.flatMap(({ lengths, ranges }) => {
  const bits = lengths.reduce((before, length) => before | (1 << length), 0);
  return ranges.split(" ").map((range) => ({ first: Number(range.slice(0, 4)), last: Number(range.slice(5)), bits }));
});

function lengthsFor(firstFour: number): number {
  return RANGES.reduce((all, { first, last, bits }) => (firstFour >= first && firstFour <= last ? all | bits : all), 0);
}

/** The digits of a number up to one of them: what the Luhn check (ISO/IEC 7812-1, B) and the ranges need of them. */
class NumberPrefix {
  length = 0;
  #firstFour = 0;
  #lengths = 0;
  /** The sums if the last digit is not doubled, and if it is. */
  #plain = 0;
  #doubled = 0;

  /** @returns whether the digits up to this one are a card number */
  add(digit: number): boolean {
    const plain = this.#doubled + digit;
    this.#doubled = this.#plain + (digit > 4 ? 2 * digit - 9 : 2 * digit);
    this.#plain = plain;
    this.length++;
    if (this.length <= 4) this.#firstFour = 10 * this.#firstFour + digit;
    if (this.length === 4) this.#lengths = lengthsFor(this.#firstFour);
    return ((this.#lengths >> this.length) & 1) === 1 && plain % 10 === 0;
  }

  /** Whether no number begins like this. */
  get isHopeless(): boolean {
    return this.length >= 4 && this.#lengths >> this.length === 0;
  }
}

/** Whether these ASCII digits are a card number: a scheme's range and length, and the Luhn check. */
export function isCardNumber(digits: string): boolean {
  const prefix = new NumberPrefix();
  return digits.length <= MOST_DIGITS && [...digits].map((digit) => prefix.add(Number(digit))).at(-1) === true;
}

interface Digit {
  /** Where it stands among the characters. */
  at: EpochMs;
  value: number;
  /** The same, without the marks of other digits. */
  place: number;
  /** What separates it from the digit before it: nothing, blanks and dashes, a few other characters, or more. */
  gap: "none" | "blank" | "other" | "break";
  gapText: string;
  /** The index of the last digit of its group, the digits without a gap between them. */
  last: number;
}

/**
 * Masks every card number in a free text to its last four digits. Looks for numbers at the beginning of every group of
 * digits, and at every digit of a group that is too long to be one number. Masks overlapping numbers too, so that none
 * keeps more than its last four digits. Keeps the number of code points of up to `SEARCHED_UNITS`, and drops the rest.
 */
export function maskCardNumbers(text: string): string {
  return searchCardNumbers(text).masked;
}

/**
 * Passes over the text once, and looks at most nineteen digits ahead of each digit.
 *
 * @returns also how many characters and digits were looked at
 */
export function searchCardNumbers(text: string): { masked: string; steps: number } {
  // Most texts are too short for a card number.
  if (text.length < FEWEST_DIGITS) return { masked: text, steps: 0 };
  const characters = Array.from(text.slice(0, SEARCHED_UNITS));
  const hidden = new Set<number>();
  let steps = characters.length + findAmong(readDigits(characters, false), hidden);
  // A decorated digit may be part of a number, or a list marker before one: both are checked.
  if (characters.some((character) => character > "\u007f" && DECORATED.test(character))) {
    steps += characters.length + findAmong(readDigits(characters, true), hidden);
  }
  return { masked: characters.map((character, at) => (hidden.has(at) ? "x" : character)).join(""), steps };
}

/** @returns the number of digits that were looked at */
function findAmong(digits: readonly Digit[], hidden: Set<number>): number {
  let steps = 0;
  for (let first = 0; first < digits.length;) {
    // No scheme's numbers start with a zero: old hosts pad with zeros.
    while (digits[first]?.value === 0 && first < (digits[first]?.last ?? 0)) first++;
    const last = digits[first]?.last ?? first;
    steps += findFrom(digits, first, false, hidden);
    // The group is longer than any card number, so one may start anywhere in it.
    if (last - first >= MOST_DIGITS) {
      for (let inside = first + 1; inside <= last; inside++) steps += findFrom(digits, inside, true, hidden);
    }
    first = last + 1;
  }
  return steps;
}

/** @param isInside of a long group, whose end is no end of a number */
function findFrom(digits: readonly Digit[], first: number, isInside: boolean, hidden: Set<number>): number {
  const prefix = new NumberPrefix();
  for (let last = first; !prefix.isHopeless && goesOn(digits, first, last, isInside); last++) {
    if (!prefix.add(digits[last]?.value ?? 0)) continue;
    const group = digits[last]?.last ?? last;
    const hasExpiry = !isInside && group === digits[first]?.last && isExpiry(digits.slice(last + 1, group + 1));
    if (!hasExpiry && !isWritten(digits, first, last, isInside)) continue;
    for (const { at } of digits.slice(first, last + 1 - SHOWN_DIGITS)) hidden.add(at);
    if (hasExpiry) for (const { at } of digits.slice(last + 1, group + 1)) hidden.add(at);
  }
  return prefix.length;
}

/** Whether the digit may belong to a number that begins with the first one. */
function goesOn(digits: readonly Digit[], first: number, last: number, isInside: boolean): boolean {
  const [begin, digit] = [digits[first], digits[last]];
  if (begin === undefined || digit === undefined || last - first >= MOST_DIGITS) return false;
  if (digit.place - begin.place >= NUMBER_CHARACTERS) return false;
  return last === first || digit.gap === "none" || (!isInside && digit.gap !== "break");
}

/** Whether people write card numbers like this. */
function isWritten(digits: readonly Digit[], first: number, last: number, isInside: boolean): boolean {
  const [begin, second] = digits.slice(first, first + 2);
  const group = digits[last]?.last ?? last;
  // Only American Express has fifteen digits; nearly all others have sixteen.
  const isUsual = last - first + 1 === (begin?.value === 3 && [4, 7].includes(second?.value ?? 0) ? 15 : 16);
  if (isUsual && group === begin?.last) return true;
  if (isInside) return false;
  const isWhole = last === group;
  const isBlank = digits.slice(first + 1, last + 1).every(({ gap }) => gap === "none" || gap === "blank");
  return (isWhole && isBlank) || ((isWhole || isUsual) && isPrinted(digits, first, group));
}

/** What follows a card number that was copied with its expiry (year and month in either order) and CVV. */
const EXPIRY_AND_MORE = /^(?:[2-4][0-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[2-4][0-9])(?:[0-9]{3,4})?$/u;

function isExpiry(digits: readonly Digit[]): boolean {
  return digits.length <= 8 && EXPIRY_AND_MORE.test(digits.map(({ value }) => value).join(""));
}

/**
 * Whether these groups are grouped like a card number: as on the card, or typed digit by digit. Such groups may have
 * different characters but letters between them; other groups are mostly amounts, dates and lists. The last group may
 * include what directly follows the number.
 */
function isPrinted(digits: readonly Digit[], from: number, last: number): boolean {
  const sizes: number[] = [];
  const gaps = new Set<string>();
  for (let index = from; index <= last; index = (digits[index]?.last ?? last) + 1) {
    if (index > from) gaps.add(digits[index]?.gapText ?? "");
    sizes.push((digits[index]?.last ?? last) - index + 1);
  }
  const [first, second] = sizes;
  if (sizes.length >= 3 && sizes.slice(0, -1).every((size) => size === 4)) return true;
  if (sizes.every((size) => size === 1)) return true;
  if (sizes.every((size) => size === 2)) return gaps.size === 1;
  return (first === 4 && second === 6 && sizes.length <= 3) || (first === 6 && sizes.length === 2);
}

/** @param decorated whether superscripts, circled digits and the like count as digits */
function readDigits(characters: readonly string[], decorated: boolean): Digit[] {
  const digits: Digit[] = [];
  let marksBefore = 0;
  let gap: Kind[] = ["letter"];
  for (const [at, character] of characters.entries()) {
    const kind = classifyCharacter(character, decorated);
    if (typeof kind !== "number") {
      gap.push(kind);
      continue;
    }
    const gapKind = classifyGap(gap);
    // Marks do not count, so that they hide no number.
    if (gapKind === "none") marksBefore += gap.length;
    const gapText = characters.slice(at - gap.length, at).join("");
    digits.push({ at, value: kind, place: at - marksBefore, gap: gapKind, gapText, last: 0 });
    gap = [];
  }
  for (const [index, digit] of [...digits.entries()].toReversed()) {
    const next = digits[index + 1];
    digit.last = next?.gap === "none" ? next.last : index;
  }
  return digits;
}

function classifyGap(gap: readonly Kind[]): Digit["gap"] {
  if (gap.length <= MARKS && gap.every((kind) => kind === "mark")) return "none";
  if (gap.every((kind) => kind === "blank")) return "blank";
  return gap.length <= GAP_CHARACTERS && !gap.includes("letter") ? "other" : "break";
}

type Kind = number | "letter" | "blank" | "mark" | "other";

const DIGIT = /^\p{Nd}$/u;
const DECORATED = /^\p{No}$/u;

function classifyCharacter(character: string, decorated: boolean): Kind {
  if (character >= "0" && character <= "9") return Number(character);
  if (character > "\u007f" && (DIGIT.test(character) || (decorated && DECORATED.test(character)))) {
    return readDigit(character) ?? "letter";
  }
  if (/^[\p{L}\p{N}]/u.test(character)) return "letter";
  if (/^[\p{Zs}\p{Pd}\t\u2212]/u.test(character)) return "blank";
  return /^[\p{M}\p{Cf}]/u.test(character) ? "mark" : "other";
}

/** Unicode has fewer than two thousand characters that are looked up here. */
const digitValues = new Map<string, number | null>();

/**
 * Returns the value of a digit of any script, and of its compatibility forms (Unicode NFKC): superscripts, circled
 * digits, keycaps. Returns null for another number.
 */
function readDigit(character: string): number | null {
  const known = digitValues.get(character);
  if (known !== undefined) return known;
  // Brackets and full stops belong to some digits: ⑴, ⒈.
  const plain = character.normalize("NFKC").replaceAll(/[().,]/gu, "");
  const code = plain.codePointAt(0) ?? 0;
  // Unicode orders each script's digits from zero to nine, without gaps.
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  const value = DIGIT.test(plain) ? (code - zero) % 10 : null;
  digitValues.set(character, value);
  return value;
}

/** Masks everything but the last four digits of any text. At most 32 characters. */
export function maskCardNo(cardNo: string): string {
  const compact = [...cardNo.replace(/[ -]/gu, "")].slice(-CARD_NO_LENGTH);
  return compact
    .map((character, index) => (index >= compact.length - SHOWN_DIGITS && /[0-9]/u.test(character) ? character : "x"))
    .join("");
}
