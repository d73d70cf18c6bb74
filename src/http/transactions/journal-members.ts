/** The members of a journal's transaction that its account and the operator see. */
import * as z from "zod";
import { count, named } from "../../validation/described.ts";
import { time } from "../openapi/fields.ts";

type Zone = Parameters<typeof time>[1];

/** A report that is stored beside its transaction. */
export function keptEntry(zone: Zone) {
  return z.object({
    at: time("When it came.", zone),
    report: z.looseObject({}).meta({ description: "The report, as it would have been shown, with what it `named`." }),
  });
}

export function journalMembers(zone: Zone) {
  const kept = z.array(keptEntry(zone));
  return {
    state: z.enum(["queued", "sent", "accepted", "pending", "settled"]).meta({
      description:
        "queued: waits for the terminal. sent: on its way. accepted: the terminal has it. pending: not known yet, and " +
        "only a report of the terminal or the operator ends it. settled: final.",
    }),
    pendingReason: z
      .enum(["reported", "other-memory", "forgotten", "contradiction"])
      .nullable()
      .meta({
        description:
          "Why it is pending, else null. reported: the terminal said 22. other-memory: a terminal with another memory came " +
          "back. forgotten: the terminal accepted it and has lost it. contradiction: the result names another amount or " +
          "currency.",
      }),
    attempt: count("How often it was sent to the terminal.", 1),
    cancelled: z.boolean().meta({ description: "Whether somebody wished to cancel it." }),
    endsAt: time("When its request ends, or ended.", zone),
    stages: z
      .array(
        z.object({
          stage: named(
            "received, queued, sent, accepted, pending, settled, or a stage of the terminal's own progress.",
            "authorising",
          ),
          at: time("When it was reached.", zone),
        }),
      )
      .meta({ description: "The stages that it went through." }),
    conflicts: kept.meta({ description: "Results that came after it was settled, with another status." }),
    evidence: kept.meta({ description: "Results that named another amount or currency than was asked for." }),
  };
}
