import type { Overview } from "../answers.ts";
import { Chart } from "../part/chart.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { linkTo } from "../route.ts";
import { oneHour } from "../statistics/ranges.ts";
import { clock, percent } from "../words.ts";

/** Payments by hour, approval rate, and why payments fail. */
export function Business({ overview }: { overview: Overview }) {
  const { hours, lastHour, lastDay, declines } = overview;
  return (
    <Panel title="Business" id="business-title">
      <ul class="figures">
        <Figure words="payments, last hour" value={sum(lastHour.transactions).toLocaleString("en")} hours="1" />
        <Figure words="payments, 24 hours" value={sum(lastDay.transactions).toLocaleString("en")} hours="24" />
        <Figure words="approved, 24 hours" value={rate(lastDay.approvalRate)} hours="24" />
      </ul>
      <Chart
        label="Payments by hour"
        kind="bars"
        times={hours.map(({ hour }) => Date.parse(hour) / 1000)}
        words={(value) => (Number.isInteger(value) ? value.toLocaleString("en") : "")}
        series={[
          { label: "Not approved", colour: "bad", values: hours.map(({ transactions }) => sum(transactions)) },
          { label: "Approved", colour: "good", values: hours.map(({ transactions }) => transactions["00"]) },
        ]}
      >
        <Table
          label="Payments by hour"
          compact
          rows={hours.toReversed()}
          keyOf={({ hour }) => hour}
          columns={[
            { head: "Hour", cell: ({ hour }) => <a href={linkTo("statistics", [], oneHour(hour))}>{clock(hour)}</a> },
            { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"] },
            { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"] },
            { head: "Approval rate", number: true, cell: ({ approvalRate }) => rate(approvalRate) },
          ]}
        />
      </Chart>
      {declines.length > 0 && (
        <>
          <h3>Why payments are not approved</h3>
          <Table
            label="Declines by reason"
            compact
            rows={declines.slice(0, 8)}
            keyOf={({ responseCode }) => responseCode}
            columns={[
              { head: "Reason", cell: ({ responseCode }) => <code>{responseCode}</code> },
              { head: "Payments", number: true, cell: ({ count }) => count.toLocaleString("en") },
            ]}
          />
          <p class="small row">
            <a href={linkTo("statistics", [], { by: "responseCode" })}>All reasons</a>
            <a href="/docs/outcomes" target="_blank" rel="noopener">
              What the codes mean
            </a>
          </p>
        </>
      )}
    </Panel>
  );
}

/** A number that links to the accounts behind it. */
function Figure({ value, words, hours }: { value: string; words: string; hours: string }) {
  return (
    <li>
      <a href={linkTo("statistics", [], { by: "account", hours })}>
        <strong>{value}</strong> {words}
      </a>
    </li>
  );
}

function sum(transactions: { "00": number; "11": number }): number {
  return transactions["00"] + transactions["11"];
}

function rate(share: number | null): string {
  return share === null ? "–" : percent(share);
}
