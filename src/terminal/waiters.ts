/**
 * The sockets of waiting tills. The till's Worker opens one with its call (`src/rpc/upgrade.ts`), and both sleep
 * until the transaction is concluded or one side hangs up.
 */
import type { Connections } from "./connections.ts";
import { newStages, type Transaction } from "./lane/index.ts";
import type { ToldStage } from "../protocol/stages.ts";
import type { Outcome } from "../protocol/transactions.ts";
import { type WaiterMessage } from "../rpc/transfers.ts";

/** Sends new stages to the waiters that asked for them. */
export function tellStages(
  connections: Pick<Connections, "sendText" | "watchers">,
  before: Transaction | undefined,
  after: Transaction,
): void {
  const reached = before === undefined || before.stages === after.stages ? [] : newStages(before, after);
  if (reached.length === 0) return;
  for (const socket of connections.watchers(after.requestId)) {
    for (const stage of reached) connections.sendText(socket, stageText(stage));
  }
}

/** Answers the waiters with the transaction's outcome. */
export function tellConclusion(
  connections: Pick<Connections, "sendText" | "waiters">,
  requestId: number,
  outcome: Outcome,
): void {
  const text = conclusionText(outcome);
  for (const socket of connections.waiters(requestId)) connections.sendText(socket, text);
}

function stageText({ stage, at }: ToldStage): string {
  return JSON.stringify({ type: "stage", stage, at } satisfies WaiterMessage);
}

function conclusionText(outcome: Outcome): string {
  return JSON.stringify({ type: "conclusion", outcome } satisfies WaiterMessage);
}
