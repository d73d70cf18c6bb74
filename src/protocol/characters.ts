/**
 * Characters that a printer, a display or a log executes instead of showing. A note must not open a cash drawer (ESC p), and
 * a name must not be read in another order than it was written (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */

// The characters are written out, because not every regex engine supports \p{Cc}: C1 and DEL, Arabic and other
// direction marks, line and paragraph separators, embeddings and overrides, isolates.
const OTHERS = String.raw`\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;
const CONTROLS = String.raw`\u0000-\u001f${OTHERS}`;

export const SINGLE_LINE = new RegExp(`^[^${CONTROLS}]*$`);

/** Allows any number of lines, with a line feed between them. */
export const MULTI_LINE = new RegExp(String.raw`^[^\u0000-\u0009\u000b-\u001f${OTHERS}]*$`);

/** Control characters between words or lines become a space; others are removed. */
const WHITE_SPACE = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const CONTROL = new RegExp(`[${CONTROLS}]+`, "gu");

export function onOneLine(text: string): string {
  return SINGLE_LINE.test(text) ? text : text.replaceAll(WHITE_SPACE, " ").replaceAll(CONTROL, "");
}
