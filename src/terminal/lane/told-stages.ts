/** Which stages of a transaction a till is told of. */
import { TRANSFER_STAGES, type TransferStage } from "../../protocol/stages.ts";
import type { Stage, Transaction } from "./transaction.ts";

/** A stage that a till is told of. */
export interface ToldStage extends Stage {
  stage: TransferStage;
}

const TOLD: ReadonlySet<string> = new Set(TRANSFER_STAGES);

/** Those so far, in the order in which they came. How a transaction ended, its answer says. */
export function toldStages({ stages }: Pick<Transaction, "stages">): ToldStage[] {
  return stages.filter((stage): stage is ToldStage => TOLD.has(stage.stage));
}

/** Those that have come since. Stages are only ever added. */
export function newStages(before: Pick<Transaction, "stages">, after: Pick<Transaction, "stages">): ToldStage[] {
  return toldStages({ stages: after.stages.slice(before.stages.length) });
}
