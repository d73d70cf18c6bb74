import type { TokenPair } from "../../protocol/accounts.ts";
import * as z from "zod";
import { ACCESS_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { named } from "../../validation/described.ts";
import { time } from "../openapi/fields.ts";

export const tokenPair = z
  .object({
    access: z
      .object({
        token: named(
          "The access token, sent as `Authorization: Bearer`.",
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.access",
        ),
        expiresAt: time(
          `The earlier of ${duration(ACCESS_TOKEN_LIFE)} from now and the next 12 AM in the account's time zone.`,
          "the account's time zone",
        ),
      })
      .meta({ description: "For the calls of the account." }),
    refresh: z
      .object({
        token: named(
          "The refresh token, only for `/auth/refresh` and `/auth/logout`.",
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.refresh",
        ),
        expiresAt: time("The next 12 AM in the account's time zone.", "the account's time zone"),
      })
      .meta({ description: "For a new pair when the access token has expired." }),
  })
  .meta({ description: "An access token and a refresh token." }) satisfies z.ZodType<TokenPair>;
