/** The digits of a text in groups, in every script and decoration. */

/** One digit of a text: its position in code units, and its value. */
export interface Digit {
  start: number;
  end: number;
  /** One ASCII digit. */
  value: string;
}

/** Consecutive digits. */
export interface DigitGroup {
  digits: Digit[];
  /** The text between the previous group and this one; null if it is too long, or has a letter. */
  separator: string | null;
}

/** The possible separators between two groups of one number: any number of blanks and dashes, or up to eight other characters. */
const SEPARATOR = /^(?:[\p{Zs}\p{Pd}\t\u2212]+|[^\p{L}\p{N}]{1,8})$/u;

/** Marks of a digit: keycaps, other combining marks, and invisible characters. */
const ONLY_MARKS = /^[\p{M}\p{Cf}]{0,3}$/u;

/**
 * The maximum length of a card number in code units: nineteen digits of two units each, three marks after every digit and
 * eight characters between them. Blanks between two digits may be as many.
 */
export const LONGEST_NUMBER = 512;

/** Digits of a text that is ASCII. */
export const ASCII_DIGITS = /[0-9]/gu;

/** Digits of any script. */
export const PLAIN_DIGITS = /\p{Nd}/gu;

/** Digits of every script, and their compatibility forms (Unicode NFKC): superscripts, circled digits, keycaps. */
export const ALL_DIGITS = /[\p{Nd}\p{No}]/gu;

/** Every digit of the text that matches `pattern`. */
export function digitGroups(text: string, pattern: RegExp): DigitGroup[] {
  const groups: DigitGroup[] = [];
  let current: DigitGroup | null = null;
  let end = 0;
  for (const { index, 0: character } of text.matchAll(pattern)) {
    const value = valueOf(character);
    if (value === null) continue;
    const digit = { start: index, end: index + character.length, value };
    const between: string | null = current === null || index - end > LONGEST_NUMBER ? null : text.slice(end, index);
    if (current !== null && between !== null && onlyMarks(between)) current.digits.push(digit);
    else {
      const separator: string | null = between !== null && SEPARATOR.test(between) ? between : null;
      groups.push((current = { digits: [digit], separator }));
    }
    end = digit.end;
  }
  return groups;
}

function onlyMarks(between: string): boolean {
  return between === "" || ONLY_MARKS.test(between);
}

const DIGIT = /^\p{Nd}$/u;

/** A character's value: one ASCII digit, or null. */
function valueOf(character: string): string | null {
  if (character >= "0" && character <= "9") return character;
  // Brackets and full stops belong to some of them: ⑴, ⒈.
  const plain = character.normalize("NFKC").replaceAll(/[().,]/gu, "");
  const code = plain.codePointAt(0) ?? 0;
  if (!DIGIT.test(plain)) return null;
  // Unicode orders each script's digits from zero to nine, without gaps.
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
