/**
 * What the terminal has shown about a request: that it accepted it, and its stages. While the connection that it arrived on
 * lasts, which includes sleep, it is stored on the connection instead of in the row. When the connection is gone, the
 * terminal's next hello names the requests that it has (I1). So a row may say less than the terminal has shown, never more.
 */
import { type Lane, isWithTerminal, type Transaction } from "./lane.ts";
import type { Step } from "./step.ts";
import type { Stage } from "../../protocol/stages.ts";

/** How many stages a connection stores: it has little room. With one more, the row is written. */
export const STAGES_SHOWN = 8;

/** What was shown about one request beyond its row. */
export interface Shown {
  requestId: number;
  /** How many stages the row has. If it has more, it has been written since. */
  stagesBefore: number;
  stages: readonly Stage[];
}

/** The same, with the number of its connection. */
export interface KeptShown extends Shown {
  connection: number;
}

/** What a step must write, and what the current connection stores after it; null: nothing. */
export interface Written {
  rows: readonly Transaction[];
  kept: KeptShown | null;
}

/**
 * The rows that a step must write. I2: a change of more than `SHOWN_MEMBERS` is always written, above all a row that was
 * taken for undelivered and is now shown to be accepted.
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
    const shown = connection === null ? null : shownNow(before.open.get(transaction.requestId), transaction, next);
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

/** What was shown of a changed row; null if it must be written: it is new, or the connection stores another row. */
function shownNow(row: Transaction | undefined, after: Transaction, kept: KeptShown | null): Shown | null {
  const hasRoom = kept === null || kept.requestId === after.requestId;
  return row === undefined || !hasRoom ? null : shownBy(row, after, kept);
}

const SHOWN_MEMBERS: ReadonlySet<string> = new Set<keyof Transaction>(["state", "acceptanceProved", "stages"]);

/** What was shown between `before` and `after`; null if the row must be written. */
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
 * The transaction: its row with what was shown beyond it. If its terminal has since denied having it, the row stays as it
 * is.
 */
export function withShown(row: Transaction, { requestId, stagesBefore, stages }: Shown): Transaction {
  const isAbout = row.requestId === requestId && row.stages.length === stagesBefore;
  if (!isAbout || !isWithTerminal(row) || row.undelivered !== null) return row;
  return { ...row, state: "accepted", acceptanceProved: true, stages: [...row.stages, ...stages] };
}
