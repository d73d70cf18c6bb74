import type { Overview, ResponseCodeCount } from "../answers.ts";
import { Chart } from "../part/chart.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { linkTo } from "../route.ts";
import { OTHER_CODES } from "../../../statistics/limits.ts";
import { hourLink, reasonLink } from "../statistics/ranges.ts";
import { clock, percent } from "../words.ts";

/** Payments by hour, approval rate, and why payments fail. */
export function Business({ overview }: { overview: Overview }) {
  const { hours, lastHour, lastDay, declines } = overview;
  // The same periods as those of the numbers, so that the list behind each adds up to it.
  const [day = "", lately = day] = [hours[0]?.hour, hours.at(-2)?.hour];
  const ofReason = (row: ResponseCodeCount): string | undefined =>
    row.responseCode === OTHER_CODES ? undefined : reasonLink(row.responseCode, { from: day });
  return (
    <Panel title="Business" id="business-title">
      <ul class="figures">
        <Figure
          words={`payments since ${clock(lately)}`}
          value={sum(lastHour.transactions).toLocaleString("en")}
          from={lately}
        />
        <Figure words="payments, 24 hours" value={sum(lastDay.transactions).toLocaleString("en")} from={day} />
        <Figure words="approved, 24 hours" value={rate(lastDay.approvalRate)} from={day} />
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
          keyOf={(row) => row.hour}
          columns={[
            { head: "Hour", cell: (row) => clock(row.hour), href: hourLink },
            { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"], href: hourLink },
            { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"], href: hourLink },
            { head: "Approval rate", number: true, cell: ({ approvalRate }) => rate(approvalRate), href: hourLink },
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
              { head: "Reason", cell: ({ responseCode }) => <code>{responseCode}</code>, href: ofReason },
              { head: "Payments", number: true, cell: ({ count }) => count.toLocaleString("en"), href: ofReason },
            ]}
          />
          <p class="small row">
            <a href={linkTo("statistics", [], { by: "responseCode", from: day })}>All reasons</a>
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
function Figure({ value, words, from }: { value: string; words: string; from: string }) {
  return (
    <li>
      <a href={linkTo("statistics", [], { by: "account", from })}>
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
