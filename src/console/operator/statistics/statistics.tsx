import { useMemo } from "hono/jsx/dom";
import { Choice } from "../../page/choice.tsx";
import type { StatisticsBy } from "../../../protocol/statistics.ts";
import type { StatisticsRow } from "../answers.ts";
import type { Query } from "../calls.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { linkTo } from "../route.ts";
import { go } from "../use-route.ts";
import { percent, shortTime, time } from "../words.ts";
import { BY, oneHour, RANGES, statisticsFilter, statisticsQuery } from "./ranges.ts";

/** The column that identifies a row. An account links to its payments of that time. */
const keysOf = ({ from, to }: Query): Record<StatisticsBy, Column<StatisticsRow>> => ({
  account: {
    head: "Account",
    cell: ({ posId }) => <a href={linkTo("accounts", [posId ?? ""], { from, to })}>{posId}</a>,
  },
  hour: {
    head: "Hour",
    cell: ({ hour }) => <a href={linkTo("statistics", [], oneHour(hour ?? ""))}>{shortTime(hour ?? "")}</a>,
  },
  day: { head: "Day (UTC)", cell: ({ day }) => day },
  responseCode: { head: "Reason", cell: ({ responseCode }) => <code>{responseCode}</code> },
});

const COUNTS: Column<StatisticsRow>[] = [
  { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"].toLocaleString("en") },
  { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"].toLocaleString("en") },
];

const SPEED: Column<StatisticsRow>[] = [
  {
    head: "Approval rate",
    number: true,
    cell: ({ approvalRate }) => (approvalRate === null ? "–" : percent(approvalRate)),
  },
  { head: "Gateway p95", number: true, cell: ({ gateway }) => time(gateway?.p95) },
  { head: "Delivery p95", number: true, cell: ({ delivery }) => time(delivery?.p95) },
  { head: "Customer p50", number: true, cell: ({ customer }) => time(customer?.p50) },
];

/** What payments add up to, by account, hour, day or response code. */
export function Statistics({ query }: { query: Record<string, string> }) {
  const filter = statisticsFilter(query);
  const key = JSON.stringify(filter);
  // All pages of one list use the same time.
  const parameters = useMemo(() => statisticsQuery(filter, Date.now()), [key]);
  const list = useList<StatisticsRow>("/statistics", parameters);
  const show = (change: Record<string, string>): void => go(linkTo("statistics", [], { ...filter, ...change }));
  const { by } = filter;
  return (
    <Panel title="Statistics" id="statistics-title">
      <div class="row">
        <Choice label="By" value={by} options={[...BY]} onChoose={(value) => show({ by: value })} />
        <Choice
          label="Time"
          value={filter.hours}
          options={[...RANGES]}
          onChoose={(hours) => show({ hours, from: "", to: "" })}
        />
      </div>
      {filter.from !== "" && (
        <p class="soft">
          From {shortTime(filter.from)}
          {filter.to === "" ? "" : ` to ${shortTime(filter.to)}`}.
        </p>
      )}
      <ListTable
        label="Statistics"
        list={list}
        none="No payments in this period."
        columns={[keysOf(parameters)[by], ...COUNTS, ...(by === "responseCode" ? [] : SPEED)]}
        keyOf={({ posId, hour, day, responseCode }) => `${posId} ${hour} ${day} ${responseCode}`}
      />
      <p class="small soft">New numbers appear within five minutes at busy times, and within the hour otherwise.</p>
    </Panel>
  );
}
