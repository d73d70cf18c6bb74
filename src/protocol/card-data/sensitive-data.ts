/**
 * Sensitive authentication data as PCI DSS defines it (requirement 3.3): a card's tracks, its verification code, the PIN or
 * its block. Nobody between terminal and acquirer may store it, encrypted or not, so nobody may send it here. A POS's
 * message that contains some, or a member named like a card number, is refused. In a terminal's report it is dropped,
 * because the result must not be lost.
 *
 * It is recognised by the name of a member, with any value, and by the form of a value, under any name. A PIN or CVV under
 * a neutral name is three to twelve digits among others; nothing can recognise those.
 */
import { SIGNATURE } from "../signing/signature.ts";
import { isCardNumber, maskCardNumbers, NUMBER_UNITS } from "./card-numbers.ts";
import type { Problem } from "../problem.ts";
import { joinPath, type JsonObject, type JsonValue } from "../signing/json.ts";
import { JSON_PROBLEMS } from "../limits.ts";
import { onOneLine } from "../characters.ts";

/**
 * Names in lower case, letters and digits only: `CVV-2`, `card_cvv` and `cardCvv` match as `cvv2` and `cardcvv`. Names that
 * often mean something else (`pinCode`, `onlinePin`) are missing, and so is `cardNo`, which results have.
 */
const NAMES = new RegExp(
  `^(?:${[
    // Card verification codes, with each scheme's name: CVV2, CVC2, CVN2, CVD, CAV2, CSC; iCVV and dCVV of chips.
    "(?:card)?(?:i|d)?(?:cvv|cvc|cvn|cvd|cav)[12]?(?:code|value|number)?",
    "(?:card)?(?:csc|cid)",
    "(?:card)?(?:security|verification)(?:code|value|number)",
    // Full card numbers.
    "(?:card|customer|cardholder|encrypted|clear|full|raw)*pan",
    "(?:card|primary)?accountnumber",
    "(?:full|raw|credit|debit)*cardnum(?:ber)?",
    // PINs and PIN blocks.
    "(?:card|customer|cardholder|encrypted|clear)*pin(?:block|data)?(?:hex)?",
    // Magnetic stripes, and a chip's equivalent.
    "(?:card|full|encrypted|raw|mag|magstripe)?track(?:s|data|[123]|one|two|three)?(?:data|equivalent|equivalentdata|hex)?",
    "(?:card)?(?:magstripe|magneticstripe|magneticstrip|swipedata|stripedata)(?:data)?",
  ].join("|")})$`,
  "u",
);

/** Track 1 (ISO/IEC 7813): format code B, number, `^`. The start sentinel is often missing. */
const TRACK_1 = /(?:%|(?<![\p{L}\p{Nd}]))[Bb][0-9](?:[ -]?[0-9]){11,18}\^[^?]*\??/gu;

/**
 * Track 2 (ISO/IEC 7813), and the EMV tag 57 with the same content: number, `=` or `D`, expiry. The lookbehind makes the
 * search linear: each run of digits is read once.
 */
const TRACK_2 = /(?<![0-9])([0-9]{12,})[=Dd](?:[0-9]{2}(?:0[1-9]|1[0-2])|=)[0-9=]*[Ff]?\??/gu;

/** Where the number of a track begins: at the start sentinel, at the start of a word, or of the tag's value. */
const TRACK_2_START = /(?:;|(?<![0-9A-Za-z])|(?<=57[01][0-9A-Fa-f]))0*([0-9]{12,19})$/u;

/** The longest run before a track's separator that is looked at: a tag, padding, and a number. */
const TRACK_2_RUN = 64;

/** Longer than every name that is known here, however it is written. */
const LONGEST_NAME = 128;

const PLAIN_NAME = /^[A-Za-z0-9]+$/u;

export function isSensitiveName(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  // Most names, in every message, need only this fast check.
  if (PLAIN_NAME.test(name)) return NAMES.test(name.toLowerCase());
  return NAMES.test(
    name
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/gu, ""),
  );
}

export function holdsTrackData(text: string): boolean {
  return withoutTrackData(text) !== text;
}

const REMOVED = "[removed]";

export function withoutTrackData(text: string): string {
  // Nearly every text is without a separator, and needs no search.
  const rest = text.includes("^") ? text.replaceAll(TRACK_1, REMOVED) : text;
  if (!/[=Dd]/u.test(rest)) return rest;
  let cleaned = "";
  let from = 0;
  for (const { 0: track, 1: run = "", index } of rest.matchAll(TRACK_2)) {
    // Within other digits, four in a thousand would match by chance.
    const begun = TRACK_2_START.exec(rest.slice(Math.max(from, index + run.length - TRACK_2_RUN), index + run.length));
    if (begun === null || !(begun[0].startsWith(";") || isCardNumber(begun[1] ?? ""))) continue;
    cleaned += rest.slice(from, index + run.length - begun[0].length) + REMOVED;
    from = index + track.length;
  }
  return cleaned + rest.slice(from);
}

/** Keeps only the number of track data, for a text in a card number's place. */
export function withoutDiscretionaryData(text: string): string {
  const track1 = /[Bb]([0-9](?:[ -]?[0-9]){11,18})\^/u.exec(text);
  const track2 = /([0-9]{12,19})[=Dd]/u.exec(text);
  return track1?.[1] ?? track2?.[1] ?? text;
}

/**
 * Names every member, at any depth, known or not, that has sensitive authentication data by its name or value, without
 * repeating the value. A null or empty member has none. Recurses no deeper than a parsed message nests.
 */
export function sensitiveMembers(message: JsonObject): Problem[] {
  const problems: Problem[] = [];
  const visit = (value: JsonValue, path: string, name: string | null): void => {
    if (problems.length >= JSON_PROBLEMS || value === null || value === "") return;
    const problem = findProblem(value, name);
    if (problem !== null) problems.push({ path, message: problem });
    else if (typeof value === "object") {
      for (const [member, inside] of Object.entries(value)) visit(inside, joinPath(path, member), member);
    }
  };
  visit(message, "", null);
  return problems;
}

/** Regardless of what is inside the member; null: nothing is wrong. */
function findProblem(value: JsonValue, name: string | null): string | null {
  if (name !== null && isSensitiveName(name)) return NAMED;
  return typeof value === "string" && !isSignature(name, value) && holdsTrackData(value) ? TRACK : null;
}

/**
 * A signature's random digits look like a track once in some ten million messages, and a valid one must not be refused.
 */
function isSignature(name: string | null, value: string): boolean {
  return name === "signature" && SIGNATURE.test(value);
}

const NEVER = "this service never accepts any. Let the terminal read the card";
const NAMED = `Remove this field: it is named like a card number, track data, a PIN or a card verification code, and ${NEVER}.`;
const TRACK = `Remove this text: it contains data of a card's magnetic stripe, and ${NEVER}.`;

/** A terminal's texts as they may be stored: on one line, without card data, with bounded length and cost. */

/** Returns at most `length` code points, without track data and with card numbers masked. */
export function maskFreeText(text: string, length: number): string {
  return bounded(text, length, (part) => maskCardNumbers(withoutTrackData(part)));
}

/**
 * Returns at most `length` code points, without track data. It keeps the digits: one number in ten would pass for a
 * card number.
 */
export function structuredText(text: string, length: number): string {
  return bounded(text, length, withoutTrackData);
}

/**
 * Cleans only the part of a text that can matter, and cuts it afterwards: cutting must not hide a card number from the
 * check. The last part may be the beginning of a number that continues, so it is dropped too.
 */
function bounded(text: string, length: number, clean: (text: string) => string): string {
  const most = 2 * length + NUMBER_UNITS;
  if (text.length <= most) return cut(clean(onOneLine(text)), length);
  return cut(clean(onOneLine(text.slice(0, most))).slice(0, -NUMBER_UNITS), length);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join("");
}
