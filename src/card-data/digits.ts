/** The digits of a text, in groups, whatever script they are of and however they are decorated. */

/** One digit of a text: where it is, in code units, and what it stands for. */
export interface Digit {
  start: number;
  end: number;
  /** One ASCII digit. */
  value: string;
}

/** Digits that follow each other. */
export interface DigitGroup {
  digits: Digit[];
  /** What stands between the group before and this one; null where that is too much, or holds a letter. */
  separator: string | null;
}

/** What may stand between two groups of one number, in code points. */
const SEPARATOR = /^[^\p{L}\p{N}]{1,8}$/u;

/** Marks of a digit: keycaps and other combining marks, and characters that nobody sees. */
const ONLY_MARKS = /^[\p{M}\p{Cf}]{0,3}$/u;

/**
 * The most code units that one card number can take up: nineteen digits of two units each, three marks behind every
 * digit and eight characters between them.
 */
export const LONGEST_NUMBER = 512;

/** Digits of any script. */
export const PLAIN_DIGITS = /\p{Nd}/gu;

/** Digits of any script, and what is one in compatibility form (Unicode NFKC): superscripts, circled ones, keycaps. */
export const ALL_DIGITS = /[\p{Nd}\p{No}]/gu;

/** Every digit of the text that `pattern` takes for one. */
export function digitGroups(text: string, pattern: RegExp): DigitGroup[] {
  const groups: DigitGroup[] = [];
  let current: DigitGroup | null = null;
  let end = 0;
  for (const { index, 0: character } of text.matchAll(pattern)) {
    const value = valueOf(character);
    if (value === null) continue;
    const digit = { start: index, end: index + character.length, value };
    const between: string | null = current === null || index - end > LONGEST_NUMBER ? null : text.slice(end, index);
    if (current !== null && between !== null && ONLY_MARKS.test(between)) current.digits.push(digit);
    else {
      const separator: string | null = between !== null && SEPARATOR.test(between) ? between : null;
      groups.push((current = { digits: [digit], separator }));
    }
    end = digit.end;
  }
  return groups;
}

const DIGIT = /^\p{Nd}$/u;

/** What a character stands for: one ASCII digit, or null. */
function valueOf(character: string): string | null {
  if (character >= "0" && character <= "9") return character;
  // Brackets and full stops belong to some of them: ⑴, ⒈.
  const plain = character.normalize("NFKC").replaceAll(/[().,]/gu, "");
  const code = plain.codePointAt(0) ?? 0;
  if (!DIGIT.test(plain)) return null;
  // Unicode lays each script's digits out from zero to nine, without gaps.
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
