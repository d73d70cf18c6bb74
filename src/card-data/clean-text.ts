/** A terminal's texts as they may be stored: on one line, without card data, with bounded length and cost. */
import { onOneLine } from "../protocol/characters.ts";
import { maskCardNumbers } from "./card-numbers.ts";
import { LONGEST_NUMBER } from "./digits.ts";
import { withoutTrackData } from "./sensitive-data.ts";

/** A free text of at most `length` code points, without track data, its card numbers masked. */
export function freeText(text: string, length: number): string {
  return bounded(text, length, (part) => maskCardNumbers(withoutTrackData(part)));
}

/**
 * A number or code of at most `length` code points, without track data. Keeps its digits: one number in ten would pass for
 * a card number.
 */
export function structuredText(text: string, length: number): string {
  return bounded(text, length, withoutTrackData);
}

/**
 * Cleans only the part of a text that can matter, and cuts it afterwards: cutting must not hide a card number from the
 * check. The last part may be the beginning of a number that continues, so it is dropped as well.
 */
function bounded(text: string, length: number, clean: (text: string) => string): string {
  const most = 2 * (length + LONGEST_NUMBER);
  if (text.length <= most) return cut(clean(onOneLine(text)), length);
  return cut(clean(onOneLine(text.slice(0, most))).slice(0, -LONGEST_NUMBER), length);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join("");
}
