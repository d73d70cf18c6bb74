import { clockTime } from "../page/signals.ts";
import { Dot } from "../page/status.tsx";
import type { Till, Transaction } from "./till.ts";
import { amountOf } from "./transaction-view.tsx";
import { standingOf } from "./words.ts";

export interface HistoryProps {
  till: Till;
  transactions: readonly Transaction[];
  shown: number | null;
}

/** The transactions of this page, newest first. Only open ones survive a reload; the gateway keeps its own record. */
export function History({ till, transactions, shown }: HistoryProps) {
  if (transactions.length === 0) return null;
  return (
    <section class="panel history" aria-labelledby="history-title">
      <h3 id="history-title">On this page</h3>
      <ol class="history-list" reversed>
        {transactions.map((transaction) => {
          const { number, call, begun, state } = transaction;
          const { tone } = standingOf(transaction);
          return (
            <li key={number}>
              <button
                type="button"
                class="history-row"
                aria-current={number === shown ? "true" : undefined}
                onClick={() => till.show(number)}
              >
                <span class="mono soft history-time">{clockTime(begun)}</span>
                <span class="history-what">
                  {call.transType} <span class="mono">{amountOf(transaction)}</span>
                </span>
                <span class="mono soft history-where">{call.request.deviceId}</span>
                <span class="history-state">
                  <Dot tone={tone} /> {shortOf(state)}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function shortOf(state: Transaction["state"]): string {
  switch (state.kind) {
    case "running":
      return "in progress";
    case "failed":
      return state.problem.status === undefined ? "no answer" : String(state.problem.status);
    case "answered":
      return `${state.answer.statusCode} ${state.answer.statusCode === "00" ? "" : state.answer.responseCode}`.trim();
  }
}
