/** The stages of a transaction that a till sees. */
import { type ToldStage, TRANSFER_STAGES } from "../../protocol/stages.ts";
import type { Transaction } from "./transaction.ts";

const TOLD: ReadonlySet<string> = new Set(TRANSFER_STAGES);

/** The stages so far, in order. The answer says how the transaction ended. */
export function toldStages({ stages }: Pick<Transaction, "stages">): ToldStage[] {
  return stages.filter((stage): stage is ToldStage => TOLD.has(stage.stage));
}

/** The stages that were added since. Stages are never removed. */
export function newStages(before: Pick<Transaction, "stages">, after: Pick<Transaction, "stages">): ToldStage[] {
  return toldStages({ stages: after.stages.slice(before.stages.length) });
}
