/**
 * Fields of what the gateway sends, described for readers of a contract. `src/gateway/http/validation/fields.ts` has the fields that
 * it accepts. The Worker and the clients use only the types: no bundle has this folder.
 */
import * as z from "zod";
import { linkToError, type ErrorCode } from "../errors.ts";
import type { FrameError } from "../frames.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH, RESULT_LENGTHS, TERMINAL_ID_LENGTH } from "../lengths.ts";

/** ISO 4217, as the gateway writes it. */
export const CURRENCY = /^[A-Z]{3}$/;

/** `YYYY-MM-DD` */
export const DAY_PATTERN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** At most `length` characters, so that a reader can reserve room. */
export function boundedField(length: number, description: string, example: string): z.ZodString {
  return z
    .string()
    .max(length)
    .meta({ description, examples: [example] });
}

export function patternField(pattern: RegExp, description: string, example: string): z.ZodString {
  return z
    .string()
    .regex(pattern)
    .meta({ description, examples: [example] });
}

/** Has no maximum length, for a sentence, a token or a name from elsewhere. */
export function stringField(description: string, example: string): z.ZodString {
  return z.string().meta({ description, examples: [example] });
}

export function object<Members extends z.core.$ZodLooseShape>(description: string, members: Members) {
  return z.object(members).meta({ description });
}

export function countField(description: string, example: number): z.ZodInt {
  return z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
}

/** Whose offset a time has. */
export type Zone = "the account's time zone" | "UTC";

const ISO_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}[+-][0-9]{2}:[0-9]{2}$/;

/** ISO 8601 with milliseconds and offset; `description` says what happens at that time. */
export function timeField(description: string, zone: Zone = "the account's time zone"): z.ZodString {
  return z
    .string()
    .regex(ISO_TIME)
    .meta({
      format: "date-time",
      description: `${description} ISO 8601 with milliseconds and the offset of ${zone}, never \`Z\`.`,
      examples: [zone === "UTC" ? "2026-11-20T10:15:00.000+00:00" : "2026-11-20T18:15:00.000+08:00"],
    });
}

export const terminalId = boundedField(
  TERMINAL_ID_LENGTH,
  "The terminal's unique id: `deviceId` in transfers.",
  "T-1001",
);
export const posId = boundedField(POS_ID_LENGTH, "The account's id.", "POS-1001");
export const merchantId = boundedField(MERCHANT_ID_LENGTH, "The merchant's id, assigned by the operator.", "M-1001");
export const currency = patternField(CURRENCY, "ISO 4217, three upper-case letters.", "MYR");
export const timezone = stringField("An IANA time zone name.", "Asia/Kuala_Lumpur");
export const isVT = z
  .literal([0, 1])
  .meta({ description: "1: a virtual terminal. 0: any other terminal.", examples: [0] });

/** Describes all members of a connection but `connected`. */
export function connection(zone?: Zone) {
  return {
    connectedSince: timeField("When the terminal connected; null if it is not connected.", zone).nullable(),
    lastHeartbeat: timeField("The terminal's last activity; null if it is not connected.", zone).nullable(),
    softwareVersion: boundedField(
      RESULT_LENGTHS.softwareVersion,
      "The terminal's software version, as last reported; null if it never reported one.",
      "2.4.1",
    ).nullable(),
    terminalSn: boundedField(
      RESULT_LENGTHS.terminalSn,
      "The terminal's serial number, as last reported; null if it never reported one.",
      "SN-20417",
    ).nullable(),
  };
}

/** @param key with which the gateway signs the `message` */
export function signatureField(message: "response" | "frame", key: string): z.ZodString {
  return patternField(
    /^[0-9a-f]{64}$/,
    `HMAC-SHA-256 over the RFC 8785 form of the ${message} without this field, ` +
      `${message === "response" ? "with" : "keyed with"} ${key}, in lowercase hexadecimal.`,
    "5bc2d4cbd954c76f32a2d1a287d299d6c029ab73761100af2a34e9a900854cda",
  );
}

export function exampleDoc(code: ErrorCode | FrameError): string {
  return linkToError(code, "https://gateway.example.com/");
}
