import * as z from "zod";
import { count, named } from "../../../protocol/schemas/fields.ts";

const counts = z.object({
  accounts: count("Accounts.", 100),
  terminals: count("Terminals.", 100),
});

export const reseal = z
  .object({
    current: named("The id of the current master key.", "2026-11"),
    resealed: counts.meta({ description: "How many this call has re-encrypted." }),
    failed: counts.meta({ description: "How many it could not re-encrypt. Call again." }),
    left: z
      .array(
        z.object({
          kid: named("The id of an older master key.", "2025-11"),
          ...counts.shape,
          bindKeys: count("Bind keys that are stored with it. They expire in minutes.", 1),
        }),
      )
      .meta({ description: "How much an older key still encrypts." }),
    droppable: z.array(z.string()).meta({
      description:
        "Older keys that encrypt nothing any more. Tokens that such a key signed end with their account's next " +
        "midnight: remove it from `MASTER_KEYS` a day after another key became the first one.",
    }),
  })
  .meta({ description: "The result of a re-encryption, and what is left." });

export type ResealAnswer = z.infer<typeof reseal>;
