import * as z from "zod";
import { REGIONS } from "../../../account/region.ts";
import { isCommonPassword } from "../../../keys/common-passwords.ts";
import { PASSWORD_CHARACTERS, PASSWORD_LONGEST } from "../../../protocol/limits/keys.ts";
import type { Problem } from "../../../protocol/problem.ts";
import {
  currencyCode,
  displayName,
  identifier,
  optional,
  password,
  removable,
  timeZoneName,
} from "../../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { beginning, merchantFilter, nameFilter } from "../filters.ts";
import { pageQuery } from "../../pages.ts";

export const accountPath = z.object({ posId: identifier(POS_ID_LENGTH) });

const COMMON = "Choose another password: this one is easy to guess. Let a password manager generate it.";

const newPassword = password(PASSWORD_CHARACTERS, PASSWORD_LONGEST).refine((value) => !isCommonPassword(value), {
  error: COMMON,
});

/** Why a new password of this account is refused; null if it is accepted. */
export function commonPasswordProblem(value: string, posId: string): Problem | null {
  return isCommonPassword(value, posId) ? { path: "password", message: COMMON } : null;
}

export const accountQuery = z.object({
  ...pageQuery.shape,
  posId: beginning(POS_ID_LENGTH),
  name: nameFilter,
  merchantId: merchantFilter,
  status: optional(z.enum(["active", "suspended", "deleted"], { error: "Send active, suspended or deleted." })),
});

export const newAccount = z
  .object({
    posId: identifier(POS_ID_LENGTH),
    password: optional(newPassword),
    merchantId: identifier(MERCHANT_ID_LENGTH),
    currency: currencyCode,
    timezone: timeZoneName,
    name: optional(displayName),
    region: optional(z.enum(REGIONS, { error: `Send one of ${REGIONS.join(", ")}, or omit it.` })),
  })
  .refine(({ password: chosen, posId }) => chosen === undefined || commonPasswordProblem(chosen, posId) === null, {
    path: ["password"],
    error: COMMON,
  });

export const accountChanges = z
  .object({
    status: optional(z.enum(["active", "suspended"], { error: "Send active or suspended." })),
    password: optional(newPassword),
    merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
    currency: optional(currencyCode),
    timezone: optional(timeZoneName),
    name: removable(displayName),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of status, password, merchantId, currency, timezone, name.",
  });

export const keyRotation = z.object({ revokePrevious: optional(z.boolean({ error: "Send true or false." })) });
