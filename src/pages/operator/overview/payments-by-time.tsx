import { useState } from "preact/hooks";
import { DAY, MINUTE } from "../../../protocol/time/units.ts";
import { Choice } from "../../page/controls.tsx";
import type { Overview, StatisticsRow } from "../answers.ts";
import type { OperatorCalls } from "../operator-calls.ts";
import { Chart } from "../part/chart.tsx";
import { Panel } from "../part/panel.tsx";
import { useReading } from "../part/reading.tsx";
import { PanelTable, type Column } from "../part/table.tsx";
import { linkTo } from "../route.ts";
import { hourLink } from "../statistics/ranges.ts";
import { amountsOrDash, clock, rateText, shortDay } from "../words.ts";

const SPANS = [
  { value: "1", label: "24 h" },
  { value: "7", label: "7 d" },
  { value: "30", label: "30 d" },
] as const;

type Span = (typeof SPANS)[number]["value"];

interface Bar extends Pick<StatisticsRow, "transactions" | "turnover" | "approvalRate"> {
  key: string;
  words: string;
  href: string;
}

function barOfHour(hour: Overview["hours"][number]): Bar {
  return { ...hour, key: hour.hour, words: clock(hour.hour), href: hourLink(hour) };
}

/** The days of the whole service are those of UTC. Days without a payment are missing in the answer. */
async function readDays(calls: OperatorCalls, days: number): Promise<Bar[]> {
  const today = Math.floor(Date.now() / DAY);
  const from = new Date((today - days + 1) * DAY).toISOString();
  const { data } = await calls.get<{ data: StatisticsRow[] }>("/statistics", { by: "day", from, limit: "40" });
  const rows = new Map(data.map((row) => [row.day, row]));
  return Array.from({ length: days }, (_, index) => {
    const begin = (today - days + 1 + index) * DAY;
    const key = new Date(begin).toISOString().slice(0, 10);
    const { transactions = { "00": 0, "11": 0 }, turnover = [], approvalRate = null } = rows.get(key) ?? {};
    const period = { from: new Date(begin).toISOString(), to: new Date(begin + DAY).toISOString() };
    const href = linkTo("statistics", [], { by: "account", ...period });
    return { key, words: shortDay(key, "UTC"), href, transactions, turnover, approvalRate };
  });
}

const COLUMNS: Column<Bar>[] = [
  { head: "Time", cell: ({ words }) => words, href: ({ href }) => href },
  { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"].toLocaleString("en") },
  { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"].toLocaleString("en") },
  { head: "Turnover", number: true, cell: ({ turnover }) => amountsOrDash(turnover) },
];

export function PaymentsByTime({ overview }: { overview: Overview }) {
  const [span, setSpan] = useState<Span>("1");
  const days = useReading<Bar[] | null>(
    (calls) => (span === "1" ? Promise.resolve(null) : readDays(calls, Number(span))),
    [span],
    MINUTE,
  );
  const bars = span === "1" ? overview.hours.map(barOfHour) : days.value;
  const label = span === "1" ? "Payments by hour" : "Payments by day";
  return (
    <Panel title={label} aside={<Choice label="Time" value={span} options={SPANS} onChoose={setSpan} />}>
      {days.problem !== null && <p class="soft">{days.problem}</p>}
      <Chart
        label={label}
        bars={(bars ?? []).map(({ words, transactions, turnover, approvalRate }) => ({
          words,
          parts: [transactions["00"], transactions["11"]],
          more: approvalRate === null ? [] : [amountsOrDash(turnover), `${rateText(approvalRate)} approved`],
        }))}
        parts={[
          { label: "Approved", tone: "good" },
          { label: "Not approved", tone: "bad" },
        ]}
      >
        <PanelTable label={label} rows={(bars ?? []).toReversed()} keyOf={({ key }) => key} columns={COLUMNS} />
      </Chart>
    </Panel>
  );
}
