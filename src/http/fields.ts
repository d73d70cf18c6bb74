/**
 * The kinds of fields that the service's messages are made of. Every message says how to mend the field. Lengths count
 * Unicode code points.
 */
import { z } from "zod";
import { isTimeZone } from "../time/zone.ts";

const IDENTIFIER = /^[A-Za-z0-9._-]+$/;
const CURRENCY = /^[A-Za-z]{3}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Lengths of the identifiers that the operator makes. */
export const POS_ID_LENGTH = 24;
export const MERCHANT_ID_LENGTH = 100;
export const TERMINAL_ID_LENGTH = 100;

/** The length of a text as the interface counts it. */
export function codePoints(text: string): number {
  return Array.from(text).length;
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
