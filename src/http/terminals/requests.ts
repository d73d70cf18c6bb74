import * as z from "zod";
import { identifier } from "../../validation/fields.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";

export const terminalPath = z.object({ terminalId: identifier(TERMINAL_ID_LENGTH) });
