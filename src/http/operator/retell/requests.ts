import * as z from "zod";
import { TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { identifier, optional } from "../../../validation/fields.ts";

export const retelling = z.object({ id: optional(identifier(TERMINAL_ID_LENGTH)) });
