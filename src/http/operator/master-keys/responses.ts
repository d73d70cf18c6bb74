import * as z from "zod";
import { count, named } from "../../../validation/described.ts";

const counts = z.object({
  accounts: count("Accounts.", 100),
  terminals: count("Terminals.", 100),
});

export const reseal = z
  .object({
    current: named("The id of the current master key.", "2026-11"),
    resealed: counts.meta({ description: "What this call has sealed anew." }),
    failed: counts.meta({ description: "What it could not seal anew; call again." }),
    left: z
      .array(
        z.object({
          kid: named("The id of an older master key.", "2025-11"),
          ...counts.shape,
          bindKeys: count("Bind keys that are stored under it; over in minutes.", 1),
        }),
      )
      .meta({ description: "What still needs an older key." }),
    droppable: z.array(z.string()).meta({
      description:
        "Older keys that nothing is encrypted under any more. Tokens that one of them signed end with their account's next " +
        "midnight: take it out of `MASTER_KEYS` a day after another key became the first one.",
    }),
  })
  .meta({ description: "What was moved to the current master key, and what is left." });

export type ResealAnswer = z.infer<typeof reseal>;
