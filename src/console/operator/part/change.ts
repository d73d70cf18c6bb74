/** A change, and the row that it adds to the audit log. */
import type { AuditAction } from "../../../storage/audit-actions.ts";
import type { AuditAnswer, AuditPage } from "../answers.ts";
import type { Calls } from "../calls.ts";

export interface Change<Answer> {
  action: AuditAction;
  target: string;
  make: (calls: Calls) => Promise<Answer>;
}

export interface Changed<Answer> {
  answer: Answer;
  /** null: not in the log yet. */
  row: AuditAnswer | null;
}

/** An object sends its change to D1 after making it, so the row may appear later. */
const TRIES = 6;
const TRY_AGAIN_AFTER = 500;

/** Makes a change. Throws CallError if the gateway refuses it. */
export async function makeChange<Answer>(calls: Calls, change: Change<Answer>): Promise<Changed<Answer>> {
  const before = await newestRow(calls, change);
  const answer = await change.make(calls);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_AFTER));
    // The change is made, whether or not its row can be read.
    const row = await newestRow(calls, change).catch(() => null);
    if (row !== null && row.id !== before?.id) return { answer, row };
  }
  return { answer, row: null };
}

async function newestRow(calls: Calls, { action, target }: Change<unknown>): Promise<AuditAnswer | null> {
  const { data } = await calls.get<AuditPage>("/audit", { action, target, limit: "1" });
  return data[0] ?? null;
}
