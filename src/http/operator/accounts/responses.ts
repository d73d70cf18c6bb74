import * as z from "zod";
import { REGIONS } from "../../../rpc/region.ts";
import { currency, merchantId, posId, shaped, time, timezone, upTo } from "../../../protocol/schemas/fields.ts";
import { NAME_LENGTH } from "../../../protocol/lengths.ts";
import { createdAt, pageSchema, shownOnce } from "../responses.ts";

export const account = z
  .object({
    posId,
    merchantId,
    currency,
    timezone,
    name: upTo(NAME_LENGTH, "The operator's name for it, or null.", "Corner shop, till 1").nullable(),
    region: z
      .enum(REGIONS)
      .meta({
        description: `The region of the account's data that the operator chose: ${REGIONS.join(", ")}. Null: near its time zone.`,
        examples: ["apac"],
      })
      .nullable(),
    status: z
      .enum(["active", "suspended", "deleted"])
      .meta({ description: "A deleted account stays in the list; its posId is never reused." }),
    signedChanges: z
      .boolean()
      .meta({ description: "Whether the account must sign calls that unbind a terminal or replace its prebind list." }),
    createdAt,
  })
  .meta({ description: "An account of a point of sale." });

const DRAWN = /^[A-Za-z0-9_-]{27}$/;
const DRAWN_EXAMPLE = "b25jZSBhbmQgbmV2ZXIgYWdhaW4";

export const accountWithKey = z
  .object({
    ...account.shape,
    signingKey: shownOnce("The key that signs the account's transfers"),
    password: shaped(
      DRAWN,
      "The password that the gateway created: 20 random bytes in base64url. Only if the request had none. Shown here, " +
        "once, and never again.",
      DRAWN_EXAMPLE,
    ).optional(),
  })
  .meta({ description: "A new account with its signing key, and its password if the gateway created it." });

export const drawnPassword = z
  .object({
    posId,
    password: shaped(DRAWN, "20 random bytes in base64url. Only in this response.", DRAWN_EXAMPLE),
  })
  .meta({ description: "A password that the gateway created." });

export const accountPage = pageSchema(account, "Accounts, ordered by posId.");

export const signingKey = z
  .object({
    posId,
    signingKey: accountWithKey.shape.signingKey,
    previousValidUntil: time("Until when the previous key stays valid; null if it does not.", "UTC").nullable(),
  })
  .meta({ description: "A new signing key." });

export type AccountAnswer = z.infer<typeof account>;
export type AccountWithKey = z.infer<typeof accountWithKey>;
export type DrawnPassword = z.infer<typeof drawnPassword>;
export type AccountPage = z.infer<typeof accountPage>;
export type SigningKeyAnswer = z.infer<typeof signingKey>;
