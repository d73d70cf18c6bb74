/** The members of a journal's transaction that its account and the operator see. */
import * as z from "zod";
import { count, named, time } from "../../protocol/schemas/fields.ts";

type Zone = Parameters<typeof time>[1];

/** A report that is stored beside its transaction. */
export function keptEntry(zone: Zone) {
  return z.object({
    at: time("When it arrived.", zone),
    report: z
      .looseObject({})
      .meta({ description: "What the terminal reported, card data masked, with the amounts that it `named`." }),
  });
}

export function journalMembers(zone: Zone) {
  const kept = z.array(keptEntry(zone));
  return {
    state: z.enum(["queued", "sent", "accepted", "pending", "completed"]).meta({
      description:
        "queued: waits for the terminal. sent: in transit. accepted: the terminal has it. pending: not known yet, and " +
        "only a report of the terminal or the operator completes it. completed: final.",
    }),
    pendingReason: z
      .enum(["reported", "other-memory", "forgotten", "contradiction"])
      .nullable()
      .meta({
        description:
          "Why it is pending, otherwise null. reported: the terminal reported 22. other-memory: a terminal with another memory came " +
          "back. forgotten: the terminal accepted it, but no longer has it. contradiction: the result names another amount or " +
          "currency.",
      }),
    attempt: count("How often it was sent to the terminal.", 1),
    cancelled: z.boolean().meta({ description: "Whether a cancel was requested." }),
    endsAt: time("When its request ends.", zone),
    stages: z
      .array(
        z.object({
          stage: named(
            "received, queued, sent, accepted, pending, completed, or a stage of the terminal's own progress.",
            "authorising",
          ),
          at: time("When it was reached.", zone),
        }),
      )
      .meta({ description: "Its stages." }),
    conflicts: kept.meta({ description: "Results with another status that arrived after it was completed." }),
    evidence: kept.meta({ description: "Results with another amount or currency than the request." }),
  };
}
