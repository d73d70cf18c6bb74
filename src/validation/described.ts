/**
 * Schemas for the fields that the gateway sends, described for readers of a contract. The fields that it accepts are in
 * `fields.ts`. Types only for the Worker: this file is not in its bundle.
 */
import * as z from "zod";

/** ISO 4217, as the gateway writes it. */
export const CURRENCY = /^[A-Z]{3}$/;

/** An amount of money, zero included. */
export const AMOUNT = /^(?:0|[1-9][0-9]{0,8})\.[0-9]{2}$/;

/** A string of at most `length` characters, so that a reader can reserve room for it. */
export function upTo(length: number, description: string, example: string): z.ZodString {
  return z
    .string()
    .max(length)
    .meta({ description, examples: [example] });
}

/** A string of a certain form. */
export function shaped(pattern: RegExp, description: string, example: string): z.ZodString {
  return z
    .string()
    .regex(pattern)
    .meta({ description, examples: [example] });
}

/** A string without a maximum length: a sentence, a token, a name from elsewhere. */
export function named(description: string, example: string): z.ZodString {
  return z.string().meta({ description, examples: [example] });
}

/** A count. */
export function count(description: string, example: number): z.ZodInt {
  return z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
}
