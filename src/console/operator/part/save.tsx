import { useState } from "preact/hooks";
import { Button } from "../../page/button.tsx";
import { saveFile } from "../../page/save-file.ts";
import { Notice } from "../../page/status.tsx";
import { problemOf, type Query } from "../calls.ts";
import { counted } from "../words.ts";
import { useCalls } from "./reading.tsx";
import type { ListPage } from "./use-list.ts";

/** More rows do not fit in the memory of every browser. */
const MOST_ROWS = 100_000;

export interface SaveProps<Row> {
  /** The file's, without its ending. */
  name: string;
  path: string;
  query: Query;
  csv: (rows: readonly Row[]) => string;
}

/** Saves every page of a list as one CSV file. */
export function Save<Row>({ name, path, query, csv }: SaveProps<Row>) {
  const calls = useCalls();
  const [state, setState] = useState({ busy: false, problem: null as string | null });
  const save = async (): Promise<void> => {
    if (state.busy) return;
    setState({ busy: true, problem: null });
    try {
      const { rows, cut } = await allRows((cursor) => calls.get<ListPage<Row>>(path, { ...query, cursor }));
      saveFile(`${name}.csv`, "text/csv", csv(rows));
      const problem = cut ? `The file has only the first ${counted(rows.length, "row")}. Choose a shorter time.` : null;
      setState({ busy: false, problem });
    } catch (error) {
      setState({ busy: false, problem: `Nothing is saved. ${problemOf(error)}` });
    }
  };
  return (
    <div class="row" role="status">
      <Button disabled={state.busy} onClick={() => void save()}>
        {state.busy ? "Reading…" : "Save all as CSV"}
      </Button>
      {state.problem !== null && <Notice tone="pending">{state.problem}</Notice>}
    </div>
  );
}

async function allRows<Row>(
  readPage: (cursor: string | undefined) => Promise<ListPage<Row>>,
): Promise<{ rows: Row[]; cut: boolean }> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; rows.length < MOST_ROWS;) {
    const page = await readPage(cursor);
    rows.push(...page.data);
    if (page.next === null) return { rows, cut: false };
    cursor = page.next;
  }
  return { rows, cut: true };
}
