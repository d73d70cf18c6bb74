/**
 * What the terminal shows of a request that it has: that it accepted it, and how far it is. None of it has to be in the row
 * while the connection lasts that it came on, which outlives sleep: it is kept there. Where the connection is gone with all
 * that was on it, the terminal's next hello names what it has (I1). So a row may say less than was shown, never more.
 */
import type { Lane } from "./lane.ts";
import type { Step } from "./step.ts";
import { isWithTerminal, type Stage, type Transaction } from "./transaction.ts";

/** Stages that are kept on a connection, which has little room. With one more the row is written. */
export const STAGES_SHOWN = 8;

/** What was shown of one request beyond its row. */
export interface Shown {
  requestId: number;
  /** So many stages are in the row. One that has more has been written since. */
  stagesBefore: number;
  stages: readonly Stage[];
}

/** The same, with the number of the connection that it is kept on. */
export interface KeptShown extends Shown {
  connection: number;
}

/** What a step leaves to be written, and what is kept on the current connection after it; null: nothing. */
export interface Written {
  rows: readonly Transaction[];
  kept: KeptShown | null;
}

/**
 * The rows that a step has to write. I2: whatever changes more than `SHOWN_MEMBERS` is written: above all a row that was
 * taken for undelivered, and is shown to be accepted.
 *
 * @param before the lane before the step
 * @param kept what was kept on a connection then
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
    const known = next?.requestId === transaction.requestId ? next : null;
    const row = before.open.get(transaction.requestId);
    const hasRoom = next === known;
    const shown = row === undefined || !hasRoom ? null : shownBy(row, transaction, known);
    if (shown !== null && connection !== null) next = { ...shown, connection };
    else {
      rows.push(transaction);
      if (known !== null) next = null;
    }
  }
  if (next === null || next.connection === connection) return { rows, kept: next };
  // Its connection has ended.
  const transaction = lane.open.get(next.requestId);
  return { rows: transaction === undefined ? rows : [...rows, transaction], kept: null };
}

const SHOWN_MEMBERS: ReadonlySet<string> = new Set<keyof Transaction>(["state", "acceptanceProved", "stages"]);

/** What has been shown once `before` has become `after`; null where the row has to be written. */
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
 * The transaction that a row and what was shown beyond it make up. One whose own terminal has said since that it does not
 * have it stays what it is.
 */
export function withShown(row: Transaction, { requestId, stagesBefore, stages }: Shown): Transaction {
  const isAbout = row.requestId === requestId && row.stages.length === stagesBefore;
  if (!isAbout || !isWithTerminal(row) || row.undelivered !== null) return row;
  return { ...row, state: "accepted", acceptanceProved: true, stages: [...row.stages, ...stages] };
}
