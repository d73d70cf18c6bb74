import { useState } from "preact/hooks";
import { Button } from "../../page/button.tsx";
import { Notice } from "../../page/status.tsx";
import { DAY } from "../../../time/units.ts";
import type { StatisticsRow } from "../answers.ts";
import { isCallError, problemOf } from "../calls.ts";
import { TimesTable } from "../overview/times.tsx";
import { Panel } from "../part/section.tsx";
import { useCalls } from "../part/use-calls.ts";

/** The durations of this terminal's last day. Read on demand, because they are computed from its journal. */
export function Speed({ terminalId }: { terminalId: string }) {
  const calls = useCalls();
  const [state, setState] = useState<{ row: StatisticsRow | null; problem: string | null; isRead: boolean }>({
    row: null,
    problem: null,
    isRead: false,
  });
  const read = async (): Promise<void> => {
    const from = new Date(Date.now() - DAY).toISOString();
    try {
      const page = await calls.get<{ data: StatisticsRow[] }>("/statistics", { terminalId, by: "account", from });
      setState({ row: page.data[0] ?? null, problem: null, isRead: true });
    } catch (error) {
      if (!isCallError(error)) throw error;
      setState({ row: null, problem: problemOf(error), isRead: true });
    }
  };
  const { row, problem, isRead } = state;
  return (
    <Panel title="Speed" id="speed-title" aside={<Button onClick={() => void read()}>Last 24 hours</Button>}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {isRead && problem === null && row === null && <p class="soft">No payment in the last 24 hours.</p>}
      {row !== null && <TimesTable label={`Times of ${terminalId}`} times={row} />}
      {!isRead && <p class="soft">Computed from the terminal's journal when you ask for it.</p>}
    </Panel>
  );
}
