import type { AuditAction } from "../../../protocol/audit-actions.ts";
import type { AuditAnswer, AuditPage } from "../answers.ts";
import type { OperatorCalls, ChangeMethod } from "../operator-calls.ts";

export interface Change {
  action: AuditAction;
  /** The action if the change is only proposed. */
  orElse?: AuditAction;
  target: string;
  call: readonly [method: ChangeMethod, path: string, body?: object];
}

export interface Changed<Answer> {
  answer: Answer;
  /** It is null while the log does not have it. */
  row: AuditAnswer | null;
}

/** An object sends its change to D1 after making it, so the row may appear later. */
const TRIES = 6;
const TRY_AGAIN_AFTER = 500;

/** Throws CallError if the gateway refuses the change. */
export async function makeChange<Answer>(calls: OperatorCalls, change: Change): Promise<Changed<Answer>> {
  const before = await newestRow(calls, change);
  const answer = await calls.send<Answer>(...change.call);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_AFTER));
    // The change is made, whether or not its row can be read.
    const row = await newestRow(calls, change).catch(() => null);
    if (row !== null && row.id !== before?.id) return { answer, row };
  }
  return { answer, row: null };
}

async function newestRow(calls: OperatorCalls, { action, orElse, target }: Change): Promise<AuditAnswer | null> {
  const actions = orElse === undefined ? [action] : [action, orElse];
  const pages = await Promise.all(
    actions.map((one) => calls.get<AuditPage>("/audit", { action: one, target, limit: "1" })),
  );
  const rows = pages.flatMap(({ data }) => data);
  return rows.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0] ?? null;
}

/** What a change has set, or what it refers to: `merchantId M-1 → M-2, name Counter 3`. */
export function changeWords({ details, before, after }: Pick<AuditAnswer, "details" | "before" | "after">): string {
  if (before === null && after === null) return pairs(details);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => {
      const [was, is] = [before?.[name], after?.[name]];
      if (before !== null && after !== null && was !== undefined) return `${name} ${text(was)} → ${text(is)}`;
      return `${name} ${text(is ?? was)}`;
    })
    .join(", ");
}

function pairs(values: Record<string, Value>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(", ");
}

type Value = string | number | boolean | string[] | null;

function text(value: Value | undefined): string {
  if (value === undefined || value === null || value === "") return "none";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
