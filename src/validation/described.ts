/**
 * Kinds of members that the gateway sends, each described for whoever reads it in a contract. What it takes is in
 * `fields.ts`. Types only for the Worker: this file is not in its bundle.
 */
import * as z from "zod";

/** ISO 4217, as the gateway writes it. */
export const CURRENCY = /^[A-Z]{3}$/;

/** The number of a transaction or request. */
export const NUMBER = /^[1-9][0-9]{9}$/;

/** An amount of money, zero included. */
export const AMOUNT = /^(?:0|[1-9][0-9]{0,8})\.[0-9]{2}$/;

/** A text of at most `length` characters: whoever gets it may have to set room aside for it. */
export function upTo(length: number, description: string, example: string): z.ZodString {
  return z
    .string()
    .max(length)
    .meta({ description, examples: [example] });
}

/** A text of a certain form. */
export function shaped(pattern: RegExp, description: string, example: string): z.ZodString {
  return z
    .string()
    .regex(pattern)
    .meta({ description, examples: [example] });
}

/** A sentence, a token, a name that others give: a text that has no longest length. */
export function named(description: string, example: string): z.ZodString {
  return z.string().meta({ description, examples: [example] });
}

/** How many there are of something. */
export function count(description: string, example: number): z.ZodInt {
  return z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
}
