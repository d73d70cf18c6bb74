/**
 * What the terminal has shown about a request: that it accepted it, and its stages. While the connection lasts, sleep
 * included, this is stored on the connection instead of in the row. When the connection is gone, the terminal's next
 * hello names the requests that it has (I1). So a row may say less than the terminal has shown, never more.
 */
import { type Lane, isWithTerminal, type Transaction } from "./lane.ts";
import type { Step } from "./step.ts";
import type { Stage } from "../../protocol/stages.ts";

/** A connection has little room. One more stage writes the row. */
export const STAGES_SHOWN = 8;

export interface Shown {
  requestId: number;
  /** The number of stages in the row. If the row has more, it was written since. */
  stagesBefore: number;
  stages: readonly Stage[];
}

export interface KeptShown extends Shown {
  connection: number;
}

/** What a step must write, and what the current connection stores after it; null: nothing. */
export interface Written {
  rows: readonly Transaction[];
  kept: KeptShown | null;
}

/**
 * I2: a change of more than `SHOWN_MEMBERS` is always written, above all a row that was taken for undelivered and is
 * now shown to be accepted.
 *
 * @param before the lane before the step
 * @param kept what a connection stored before the step
 */
export function rowsOf(
  { changed, lane }: Pick<Step, "changed" | "lane">,
  before: Lane,
  kept: KeptShown | null,
): Written {
  const connection = lane.link.current?.number ?? null;
  const rows: Transaction[] = [];
  let next = kept;
  for (const transaction of changed) {
    const shown = shownNow(before.open.get(transaction.requestId), transaction, next);
    if (shown !== null && connection !== null) next = { ...shown, connection };
    else {
      rows.push(transaction);
      if (next?.requestId === transaction.requestId) next = null;
    }
  }
  if (next === null || next.connection === connection) return { rows, kept: next };
  // Its connection has ended.
  const transaction = lane.open.get(next.requestId);
  return { rows: transaction === undefined ? rows : [...rows, transaction], kept: null };
}

/** null: the row must be written, because it is new, or because the connection stores another row. */
function shownNow(row: Transaction | undefined, after: Transaction, kept: KeptShown | null): Shown | null {
  const hasRoom = kept === null || kept.requestId === after.requestId;
  return row === undefined || !hasRoom ? null : shownBy(row, after, kept);
}

const SHOWN_MEMBERS: ReadonlySet<string> = new Set<keyof Transaction>(["state", "acceptanceProved", "stages"]);

/** null: the row must be written. */
function shownBy(before: Transaction, after: Transaction, known: Shown | null): Shown | null {
  if (!isWithTerminal(before) || after.state !== "accepted") return null;
  const isMore = Object.entries(after).every(
    ([name, value]) => SHOWN_MEMBERS.has(name) || value === before[name as keyof Transaction],
  );
  if (!isMore) return null;
  const stagesBefore = known?.stagesBefore ?? before.stages.length;
  const stages = after.stages.slice(stagesBefore);
  return stages.length > STAGES_SHOWN ? null : { requestId: after.requestId, stagesBefore, stages };
}

/**
 * The row with what was shown beyond it. If the terminal has since denied having the request, the row stays as it is.
 */
export function withShown(row: Transaction, { requestId, stagesBefore, stages }: Shown): Transaction {
  const isAbout = row.requestId === requestId && row.stages.length === stagesBefore;
  if (!isAbout || !isWithTerminal(row) || row.undelivered !== null) return row;
  return { ...row, state: "accepted", acceptanceProved: true, stages: [...row.stages, ...stages] };
}
