/**
 * What PCI DSS calls sensitive authentication data (requirement 3.3): the tracks of a card, its verification code, the
 * PIN or its block. Nobody between terminal and acquirer may keep it, encrypted or not, so nobody may send it here: a
 * message of a POS that carries some, or a member that is named like a card number, is refused. From a terminal's report
 * it is dropped (a result must not be lost for it).
 *
 * It is known by the name of a member, whatever its value, and by the form of a value, whatever its name. A PIN or a CVV
 * under a name that says nothing is three to twelve digits among others; nothing can know those.
 */
import { SIGNATURE } from "../signing/signature.ts";
import type { JsonObject, JsonValue } from "../signing/json.ts";
import { isCardNumber } from "./card-numbers.ts";
import type { Problem } from "../protocol/problem.ts";
import { pathTo } from "../signing/json-structure.ts";
import { JSON_PROBLEMS } from "../protocol/limits/messages.ts";

/**
 * Names in lower case, of letters and digits alone: `CVV-2`, `card_cvv` and `cardCvv` are found as `cvv2` and `cardcvv`.
 * Names that mean something else as often (`pinCode`, `onlinePin`) are left out, and `cardNo`, which results have.
 */
const NAMES = new RegExp(
  `^(?:${[
    // Card verification codes, as each scheme calls its own: CVV2, CVC2, CVN2, CVD, CAV2, CSC; iCVV, dCVV of chips.
    "(?:card)?(?:i|d)?(?:cvv|cvc|cvn|cvd|cav)[12]?(?:code|value|number)?",
    "(?:card)?(?:csc|cid)",
    "(?:card)?(?:security|verification)(?:code|value|number)",
    // Card numbers in full.
    "(?:card|customer|cardholder|encrypted|clear|full|raw)*pan",
    "(?:card|primary)?accountnumber",
    "(?:full|raw|credit|debit)*cardnum(?:ber)?",
    // PINs and their blocks.
    "(?:card|customer|cardholder|encrypted|clear)*pin(?:block|data)?(?:hex)?",
    // Magnetic stripes, and what a chip says instead of one.
    "(?:card|full|encrypted|raw|mag|magstripe)?track(?:s|data|[123]|one|two|three)?(?:data|equivalent|equivalentdata|hex)?",
    "(?:card)?(?:magstripe|magneticstripe|magneticstrip|swipedata|stripedata)(?:data)?",
  ].join("|")})$`,
  "u",
);

/** Track 1 (ISO/IEC 7813): format code B, number, `^`. The start sentinel is often lost on the way. */
const TRACK_1 = /(?:%|(?<![\p{L}\p{Nd}]))[Bb][0-9](?:[ -]?[0-9]){11,18}\^[^?]*\??/gu;

/**
 * Track 2 (ISO/IEC 7813), and the EMV tag 57 with the same content: number, `=` or `D`, expiry. The number begins where
 * the text, the word or the tag's value begins, perhaps behind zeros; within other digits four in a thousand would fit
 * by chance.
 */
const TRACK_2 =
  /(?:;|(?<![0-9A-Za-z])|(?<=57[01][0-9A-Fa-f]))0*([0-9]{12,19})[=Dd](?:[0-9]{2}(?:0[1-9]|1[0-2])|=)[0-9=]*[Ff]?\??/gu;

const PLAIN_NAME = /^[A-Za-z0-9]+$/u;

/** Whether a member of this name holds sensitive authentication data. */
export function isSensitiveName(name: string): boolean {
  // Names as programs write them need no more than that, and are asked about with every message.
  if (PLAIN_NAME.test(name)) return NAMES.test(name.toLowerCase());
  return NAMES.test(
    name
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/gu, ""),
  );
}

/** Whether there is track data anywhere in the text. */
export function holdsTrackData(text: string): boolean {
  return withoutTrackData(text) !== text;
}

/** What stands where track data was. */
const REMOVED = "[removed]";

/** The text without the track data that is in it. */
export function withoutTrackData(text: string): string {
  // Shorter than any track; nearly every text is, or has neither separator.
  if (text.length < 14 || !/[\^=Dd]/u.test(text)) return text;
  return text
    .replaceAll(TRACK_1, REMOVED)
    .replaceAll(TRACK_2, (track, number: string) => (track.startsWith(";") || isCardNumber(number) ? REMOVED : track));
}

/** A text that was given as a card number: of track data only the number. */
export function withoutDiscretionaryData(text: string): string {
  const track1 = /[Bb]([0-9](?:[ -]?[0-9]){11,18})\^/u.exec(text);
  const track2 = /([0-9]{12,19})[=Dd]/u.exec(text);
  return track1?.[1] ?? track2?.[1] ?? text;
}

/**
 * Names every member of a message, at any depth, known or not, that holds sensitive authentication data by its name or
 * its value; the value is not repeated. A member that is null or empty holds nothing. Recurses no deeper than a parsed
 * message nests.
 */
export function sensitiveMembers(message: JsonObject): Problem[] {
  // Nearly no message holds any, and needs no paths.
  if (!holdsSensitive(message, null)) return [];
  const problems: Problem[] = [];
  const visit = (value: JsonValue, path: string, name: string | null): void => {
    if (problems.length >= JSON_PROBLEMS || value === null || value === "") return;
    if (name !== null && isSensitiveName(name)) {
      problems.push({ path, message: NAMED });
    } else if (typeof value === "string") {
      if (!isSignature(name, value) && holdsTrackData(value)) problems.push({ path, message: TRACK });
    } else if (Array.isArray(value)) {
      value.forEach((element, index) => visit(element, pathTo(path, String(index)), null));
    } else if (typeof value === "object") {
      for (const [member, inside] of Object.entries(value)) visit(inside, pathTo(path, member), member);
    }
  };
  visit(message, "", null);
  return problems;
}

/** A signature's random digits look like a track once in some ten million messages, and a right one must not be refused. */
function isSignature(name: string | null, value: string): boolean {
  return name === "signature" && SIGNATURE.test(value);
}

function holdsSensitive(value: JsonValue, name: string | null): boolean {
  if (value === null || value === "") return false;
  if (name !== null && isSensitiveName(name)) return true;
  if (typeof value === "string") return !isSignature(name, value) && holdsTrackData(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.some((element) => holdsSensitive(element, null));
  for (const member of Object.keys(value)) if (holdsSensitive(value[member] ?? null, member)) return true;
  return false;
}

const NEVER = "this service never takes any. Let the terminal read the card";
const NAMED = `Leave this member out: it is named like a card number, track data, a PIN or a card verification code, and ${NEVER}.`;
const TRACK = `Leave this text out: it holds data of a card's magnetic stripe, and ${NEVER}.`;
