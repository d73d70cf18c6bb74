/** Texts of a terminal, as they may be kept: on one line, without card data, of bounded length, at bounded cost. */
import { onOneLine } from "../validation/characters.ts";
import { maskCardNumbers } from "./card-numbers.ts";
import { LONGEST_NUMBER } from "./digits.ts";
import { withoutTrackData } from "./sensitive-data.ts";

/** A free text of at most `length` code points, without track data, its card numbers masked. */
export function freeText(text: string, length: number): string {
  return bounded(text, length, (part) => maskCardNumbers(withoutTrackData(part)));
}

/**
 * A number or code of at most `length` code points, without track data. It keeps its digits, one number in ten of which
 * would pass for a card's.
 */
export function structuredText(text: string, length: number): string {
  return bounded(text, length, withoutTrackData);
}

/**
 * Cleans no more of a text than can matter, and cuts it afterwards: a card number must not escape by being cut. What
 * was cleaned last may be the beginning of a number that goes on behind it, and is dropped as well.
 */
function bounded(text: string, length: number, clean: (text: string) => string): string {
  const most = 2 * (length + LONGEST_NUMBER);
  if (text.length <= most) return cut(clean(onOneLine(text)), length);
  return cut(clean(onOneLine(text.slice(0, most))).slice(0, -LONGEST_NUMBER), length);
}

/** The first so many code points. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join("");
}
