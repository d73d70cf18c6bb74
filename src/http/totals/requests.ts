import * as z from "zod";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { date, identifier, optional } from "../../validation/fields.ts";

export const totalsQuery = z.object({ day: optional(date), deviceId: optional(identifier(TERMINAL_ID_LENGTH)) });
