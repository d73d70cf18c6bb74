/**
 * Passwords that attackers try first (NIST SP 800-63B-4, section 3.1.1.2: compare a new password with commonly used,
 * expected or compromised ones). Lists of leaked passwords have few of at least twelve characters, and nearly all of
 * these follow one of four patterns: a repeated character or short piece, neighbouring keys, digits alone, and common
 * words surrounded by digits or symbols.
 */

/** A password that has only these between and around digits and symbols is common. */
const WORDS = new RegExp(
  `^(?:${[
    "password|passwort|passwd|passphrase|pass|pwd|secret|letmein|changeme|change|default|temp|login|access|welcome|hello",
    "admin|administrator|root|user|guest|test|testing|demo|service|master|super|supervisor|operator|manager|system",
    "pos|terminal|till|cashier|cash|register|payment|pay|gateway|merchant|shop|store|company|bank|card|account",
    "qwerty|qwertz|azerty|qwert|asdfgh|asdf|zxcvbn|zxcv|qaz|wsx|edc|abcd|abc|xyz",
    "iloveyou|love|forever|monkey|dragon|football|baseball|soccer|sunshine|princess|superman|batman|shadow|michael",
    "jennifer|jordan|charlie|starwars|pokemon|trustno|whatever|freedom|computer|internet|samsung|google|facebook",
    "summer|winter|spring|autumn|monday|friday|january|december|malaysia|singapore|thailand|indonesia",
    "thequickbrownfox|correcthorsebatterystaple",
  ].join("|")})+$`,
);

/** Neighbouring keys, in the orders in which people type them. */
const TRACKS = [
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "zaq12wsxcde34rfvbgt56yhn",
  "1234qwerasdfzxcv",
].flatMap((track) => [track, [...track].toReversed().join("")]);

const LOOKALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "!": "i",
};

/** @param posId null: unknown */
export function isCommonPassword(password: string, posId: string | null = null): boolean {
  const text = password.normalize("NFKC").toLowerCase();
  return (
    /^[0-9\s.,/-]*$/u.test(text) ||
    isRepetition(text) ||
    TRACKS.some((track) => track.includes(text)) ||
    isMadeOfWords(text) ||
    (posId !== null && saysOnly(text, posId.toLowerCase()))
  );
}

/** One or two characters, or a piece that repeats at least three times and fills the text. */
function isRepetition(text: string): boolean {
  const characters = [...text];
  return new Set(characters).size <= 2 || /^(.+?)\1{2,}$/su.test(text);
}

function isMadeOfWords(text: string): boolean {
  const words = text.replace(/^[^\p{L}@$]+/u, "").replace(/[^\p{L}]+$/u, "");
  const readAs = [...words].map((character) => LOOKALIKES[character] ?? character).join("");
  return [words, readAs].some((spelling) => WORDS.test(spelling.replaceAll(/\P{L}/gu, "")));
}

/** Whether the text has only this name, digits and symbols. */
function saysOnly(text: string, name: string): boolean {
  return text.includes(name) && !/\p{L}/u.test(text.replaceAll(name, ""));
}
