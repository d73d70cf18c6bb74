/**
 * The kinds of fields that the service's messages are made of. Every message says how to mend the field. Lengths count
 * Unicode code points.
 */
import * as z from "zod";
import { isTimeZone } from "../time/zone.ts";

const IDENTIFIER = /^[A-Za-z0-9._-]+$/;
const CURRENCY = /^[A-Za-z]{3}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Lengths of the identifiers that the operator makes. */
export const POS_ID_LENGTH = 24;
export const MERCHANT_ID_LENGTH = 100;
export const TERMINAL_ID_LENGTH = 100;

/** Names that operators give to accounts and terminals for themselves. */
export const NAME_LENGTH = 100;

/** The length of a text as the interface counts it. */
export function codePoints(value: string): number {
  return Array.from(value).length;
}

/** The words for a mandatory member that is missing, null or empty, and for one of another type. */
function mandatory(otherwise: string): (issue: { input: unknown }) => string {
  return ({ input }) =>
    input === undefined || input === null || input === "" ? `This member is mandatory. ${otherwise}` : otherwise;
}

/** A mandatory text of at most `length` code points, on one line. */
export function text(length: number): z.ZodType<string> {
  const words = `Send a text of 1 to ${length} characters.`;
  return z
    .string({ error: mandatory(words) })
    .min(1, { error: `This member is mandatory. ${words}` })
    .refine((value) => codePoints(value) <= length, { error: words })
    .refine((value) => !CONTROL_CHARACTER.test(value), { error: "Send a text without control characters." });
}

/** A mandatory identifier: letters, digits, dot, underscore, hyphen. */
export function identifier(length: number): z.ZodType<string> {
  const words = `Send 1 to ${length} letters, digits, '.', '_' or '-'.`;
  return z
    .string({ error: mandatory(words) })
    .min(1, { error: `This member is mandatory. ${words}` })
    .refine((value) => value === "" || (value.length <= length && IDENTIFIER.test(value)), { error: words });
}

/** A currency code in any case; made upper case. */
export const currencyCode: z.ZodType<string> = z
  .string({ error: mandatory("Send a currency code of three letters, such as MYR.") })
  .regex(CURRENCY, { error: "Send a currency code of three letters, such as MYR." })
  .transform((value) => value.toUpperCase());

export const timeZoneName: z.ZodType<string> = z
  .string({ error: mandatory("Send the name of an IANA time zone, such as Asia/Kuala_Lumpur.") })
  .refine(isTimeZone, { error: "Send the name of an IANA time zone, such as Asia/Kuala_Lumpur." });

/** A flag that is written 0 or 1, as number or as text. */
export const zeroOrOne: z.ZodType<0 | 1> = z
  .union([z.literal(0), z.literal(1), z.literal("0"), z.literal("1")], { error: mandatory("Send 0 or 1.") })
  .transform((value) => (Number(value) === 1 ? 1 : 0));

/** A member that may be missing; null and the empty text count as missing. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema> | undefined> {
  return z.preprocess((value) => (value === null || value === "" ? undefined : value), schema.optional());
}

/** Whether `value` could be an identifier of at most `length` characters: what cannot exist is not looked up. */
export function isIdentifier(value: string, length: number): boolean {
  return value.length <= length && IDENTIFIER.test(value);
}

/** A password of `shortest` to `longest` code points, whatever they are; counted as they are hashed, composed. */
export function password(shortest: number, longest: number): z.ZodType<string> {
  const words = `Send a password of ${shortest} to ${longest} characters.`;
  const fits = (value: string): boolean => {
    const length = codePoints(value.normalize("NFC"));
    return length >= shortest && length <= longest;
  };
  return z.string({ error: mandatory(words) }).refine(fits, { error: words });
}

/** The name of an e-wallet channel: any text that a transfer's paymentChannel can carry. */
export const CHANNEL_NAME_LENGTH = 32;
/** More than the world has in circulation. */
export const CHANNEL_CURRENCIES = 200;
const WEB_ADDRESS_LENGTH = 2_048;

/** An absolute https or http address. */
export const webAddress: z.ZodType<string> = z
  .string({ error: mandatory("Send an absolute URL that begins with https:// or http://.") })
  .max(WEB_ADDRESS_LENGTH, { error: `Send a URL of at most ${WEB_ADDRESS_LENGTH} characters.` })
  .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
    error: "Send an absolute URL that begins with https:// or http://.",
  });

/** A signature: 64 hexadecimal digits. */
export const SIGNATURE_LENGTH = 64;

/** A bind key as it may be typed: every character followed by a dash. */
export const BIND_KEY_TYPED_LENGTH = 16;
