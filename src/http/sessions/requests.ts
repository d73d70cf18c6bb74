import * as z from "zod";
import { PASSWORD_LONGEST } from "../../protocol/limits/keys.ts";
import { password, text } from "../../validation/fields.ts";
import { POS_ID_LENGTH } from "../../protocol/lengths.ts";

export const loginRequest = z.object({ posId: text(POS_ID_LENGTH), password: password(1, PASSWORD_LONGEST) });
