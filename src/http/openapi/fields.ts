/** Fields that several responses share. */
import * as z from "zod";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { CURRENCY, named, shaped, upTo } from "../../validation/described.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";

type Zone = "the account's time zone" | "UTC";

const ISO_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}[+-][0-9]{2}:[0-9]{2}$/;

/** ISO 8601 with milliseconds and offset; `description` says what happens at that time. */
export function time(description: string, zone: Zone): z.ZodString {
  return z
    .string()
    .regex(ISO_TIME)
    .meta({
      format: "date-time",
      description: `${description} ISO 8601 with milliseconds and the offset of ${zone}, never \`Z\`.`,
      examples: [zone === "UTC" ? "2026-11-20T10:15:00.000+00:00" : "2026-11-20T18:15:00.000+08:00"],
    });
}

export const terminalId = upTo(TERMINAL_ID_LENGTH, "The terminal's unique id: `deviceId` in transfers.", "T-1001");
export const posId = upTo(POS_ID_LENGTH, "The account's id.", "POS-1001");
export const merchantId = upTo(MERCHANT_ID_LENGTH, "The merchant's id, assigned by the operator.", "M-1001");
export const currency = shaped(CURRENCY, "ISO 4217, three upper-case letters.", "MYR");
export const timezone = named("An IANA time zone name.", "Asia/Kuala_Lumpur");
export const isVT = z
  .literal([0, 1])
  .meta({ description: "1: a virtual terminal. 0: any other terminal.", examples: [0] });

/** The details of a terminal's connection, apart from `connected`. */
export function connection(zone: Zone) {
  return {
    connectedSince: time("When the terminal connected; null if it is not connected.", zone).nullable(),
    lastHeartbeat: time("When the gateway last heard from the terminal; null if it is not connected.", zone).nullable(),
    softwareVersion: upTo(
      RESULT_LENGTHS.softwareVersion,
      "The terminal's software version, as last reported; null if it never reported one.",
      "2.4.1",
    ).nullable(),
    terminalSn: upTo(
      RESULT_LENGTHS.terminalSn,
      "The terminal's serial number, as last reported; null if it never reported one.",
      "SN-20417",
    ).nullable(),
  };
}

export const done = z
  .object({
    code: z.literal(20000).meta({ description: "20000: success." }),
    message: named("The result, for people.", "Done."),
  })
  .meta({ description: "Success." });

export type Done = z.infer<typeof done>;
