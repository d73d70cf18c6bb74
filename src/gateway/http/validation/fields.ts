/**
 * The kinds of fields in the service's messages. Every error message says what to send: a check without words of its own
 * says those of its schema. Lengths count Unicode code points, as zod and JSON Schema do. Rules are zod's own checks
 * where possible, because the published contracts are generated from them.
 */
import { maskCardNumbers } from "../../../protocol/card-data/card-numbers.ts";
import { SINGLE_LINE, MULTI_LINE } from "../../../protocol/characters.ts";
import { NAME_LENGTH, WEB_ADDRESS_LENGTH } from "../../../protocol/lengths.ts";
import * as z from "zod";
import { DATETIME, parseDatetime } from "../../../protocol/time/datetime.ts";
import { isTimeZone } from "../../../protocol/time/zone.ts";

const IDENTIFIER = /^[A-Za-z0-9._-]+$/;
/** "." and ".." would not arrive in a path. */
const NOT_DOTS = /^(?!\.{1,2}$)/;
const CURRENCY = /^[A-Za-z]{3}$/;
const ONE_LINE_WORDS = "Send one line without control characters.";
const LINES_WORDS = "Send text without control characters other than line feeds.";

/** For a field that is missing, null, empty, or of another type. */
export function mandatory(otherwise: string): (issue: { input: unknown }) => string {
  return ({ input }) => (isAbsent(input) ? `This field is required. ${otherwise}` : otherwise);
}

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/**
 * A required string on one line.
 *
 * @param length the most code points
 */
export function textField(length: number): z.ZodString {
  const words = `Send a string of 1 to ${length} characters.`;
  return z
    .string({ error: mandatory(words) })
    .check(z.minLength(1), z.maxLength(length), z.regex(SINGLE_LINE, { error: ONE_LINE_WORDS }));
}

/**
 * Text for people, possibly empty. Card numbers in it are masked before it is stored (I6). A text over its length is
 * refused before it is searched for them.
 */
export function freeTextField(length: number, lines: "one line" | "lines" = "one line") {
  const words = `Send a string of at most ${length} characters.`;
  const printable =
    lines === "lines" ? z.regex(MULTI_LINE, { error: LINES_WORDS }) : z.regex(SINGLE_LINE, { error: ONE_LINE_WORDS });
  return z.string({ error: words }).check(z.maxLength(length), printable).transform(maskCardNumbers);
}

export const displayName = textField(NAME_LENGTH).transform(maskCardNumbers);

/** Accepts letters, digits, dot, underscore and hyphen. */
export function identifier(length: number): z.ZodString {
  const words = `Send 1 to ${length} letters, digits, '.', '_' or '-'.`;
  const dots = z.regex(NOT_DOTS, { error: "Send more than one or two dots." });
  return z.string({ error: mandatory(words) }).check(z.minLength(1), z.maxLength(length), z.regex(IDENTIFIER), dots);
}

const CURRENCY_WORDS = mandatory("Send a three-letter currency code, such as MYR.");

/** Accepts any case, and converts it to upper case. */
export const currencyCode: z.ZodType<string> = z
  .string({ error: CURRENCY_WORDS })
  .regex(CURRENCY)
  .transform((value) => value.toUpperCase());

/**
 * The currencies of ISO 4217 (list one) with no, three or four decimals. `Intl` has the digits that people write
 * instead.
 */
const OTHER_DECIMALS = new Set(
  (
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF " +
    "BHD IQD JOD KWD LYD OMR TND " +
    "CLF UYW"
  ).split(" "),
);

const TWO_DECIMALS =
  "This currency does not have two decimals, which all amounts of the interface have. Send another one, such as MYR.";

/** A currency in which an account sells: amounts are texts with two decimals (part 2.9 of the interface). */
export const amountCurrency: z.ZodType<string> = currencyCode.refine((code) => !OTHER_DECIMALS.has(code), {
  error: TWO_DECIMALS,
});

const ZONE_WORDS = mandatory("Send an IANA time zone name, such as Asia/Kuala_Lumpur.");

export const timeZoneName: z.ZodType<string> = z.string({ error: ZONE_WORDS }).refine(isTimeZone);

const DATE_WORDS = mandatory("Send a date as YYYY-MM-DD, such as 2026-11-20.");

/** A date that exists, of this millennium. */
export const date: z.ZodType<string> = z
  .string({ error: DATE_WORDS })
  .regex(/^2[0-9]{3}-[0-9]{2}-[0-9]{2}$/)
  .refine((value) => new Date(value).toString() !== "Invalid Date" && new Date(value).toISOString().startsWith(value));

const NO_DATETIME = "Send the time in UTC as YYYYMMDDTHHMMSS or YYYYMMDDHHMMSS.";
const DATETIME_WORDS = mandatory(NO_DATETIME);

/** The text becomes an `EpochMs`. */
export const signedTime: z.ZodType<number> = z
  .string({ error: DATETIME_WORDS })
  .regex(DATETIME)
  .transform((value, context) => {
    const at = parseDatetime(value);
    if (at !== null) return at;
    context.addIssue({ code: "custom", message: NO_DATETIME });
    return z.NEVER;
  });

/** A signature of another form gets the same answer as a wrong one, with the form that the gateway computed. */
export const requestSignature = z.string({ error: "Sign the request. Send 64 hexadecimal digits." });

export const zeroOrOne: z.ZodType<0 | 1> = z
  .literal([0, 1, "0", "1"], { error: mandatory("Send 0 or 1.") })
  .transform((value) => (Number(value) === 1 ? 1 : 0));

const takingNothing = new WeakSet<object>();

/** Whether this schema treats null and the empty string as missing. */
export function acceptsEmpty(schema: object): boolean {
  return takingNothing.has(schema);
}

function unlessAbsent<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  const taking = z.preprocess((value) => (value === null || value === "" ? undefined : value), schema);
  takingNothing.add(taking);
  return taking;
}

/** Null and the empty string count as missing. */
export function optionalField<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema> | undefined> {
  return unlessAbsent(schema.optional());
}

/** For a change: null and the empty string remove the stored value. */
export function removable<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema> | null | undefined> {
  const taking = z.preprocess((value) => (value === "" ? null : value), schema.nullable().optional());
  takingNothing.add(taking);
  return taking;
}

/**
 * In code points, counted in the composed form that is hashed.
 *
 * @param why shorter ones are refused
 */
export function password(shortest: number, longest: number, why = ""): z.ZodType<string> {
  const words = mandatory(`Send a password of ${shortest} to ${longest} characters. ${why}`.trim());
  return z.string({ error: words }).normalize("NFC").min(shortest).max(longest);
}

/** Fewer currencies are in circulation. */
export const CHANNEL_CURRENCIES = 200;
const WEB_ADDRESS_WORDS = mandatory("Send an absolute URL that begins with https:// or http://.");

export const webAddress: z.ZodType<string> = z
  .string({ error: WEB_ADDRESS_WORDS })
  .max(WEB_ADDRESS_LENGTH, { error: `Send a URL of at most ${WEB_ADDRESS_LENGTH} characters.` })
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//)
  .regex(SINGLE_LINE, { error: ONE_LINE_WORDS })
  .refine((value) => URL.canParse(value));
