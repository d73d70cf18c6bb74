import { statisticsCsv } from "../../../protocol/csv.ts";
import { STATISTICS_FILTERS } from "../../../protocol/operator-filters.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { OTHER_CODES, type StatisticsBy, TIMES } from "../../../protocol/statistics.ts";
import { Choice } from "../../page/controls.tsx";
import type { Field } from "../../page/declared.ts";
import { makePlace } from "../address.ts";
import type { StatisticsRow } from "../answers.ts";
import type { CallQuery } from "../operator-calls.ts";
import { filterFields, ListPanel } from "../part/list.tsx";
import { When } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { useList } from "../part/reading.tsx";
import { linkTo, type PlaceQuery } from "../route.ts";
import { amountsOrDash, BROWSERS_ZONE, rateText, shareWithin, shortDay, shortTime, bucketBoundText } from "../words.ts";
import {
  BY,
  sumCounts,
  DAY_RANGES,
  oneDay,
  oneHour,
  RANGES,
  reasonLink,
  statisticsFilter,
  rangeQuery,
} from "./ranges.ts";
import type { StatisticsFilter } from "./ranges.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

type Shown = Omit<StatisticsFilter, "hours" | "from" | "to">;

const SPEED_HEADS = { gateway: "Gateway", delivery: "Delivery", customer: "Customer" } as const;

/** The list behind a row: the payments of an account, the accounts of an hour, a day or a reason. */
function behind({ by, code, posId, shop }: Shown, period: CallQuery, row: StatisticsRow, statusCode?: string) {
  const { responseCode } = row;
  if (responseCode !== null)
    return responseCode === OTHER_CODES
      ? undefined
      : reasonLink(responseCode, { from: period["from"], to: period["to"], posId, shop });
  const { from, to } =
    by === "hour" ? oneHour(row.hour ?? "") : by === "day" ? oneDay(row.day ?? "", row.timezone) : period;
  const account = row.posId ?? posId;
  return account === ""
    ? linkTo("statistics", [], { by: "account", from, to, shop })
    : linkTo("accounts", [account], { from, to, statusCode, responseCode: code });
}

/** Several accounts are shown in the browser's zone, as everywhere. */
function describeZone(timezone: string): string {
  return timezone === "UTC" ? BROWSERS_ZONE : timezone;
}

const KEYS: Record<StatisticsBy, Pick<Column<StatisticsRow>, "head" | "cell">> = {
  account: { head: "Account", cell: ({ posId }) => posId },
  hour: {
    head: "Hour",
    cell: ({ hour, timezone }) => <When at={hour} zone={describeZone(timezone)} />,
  },
  day: { head: "Day", cell: ({ day }) => (day === null ? "–" : shortDay(day, "UTC")) },
  responseCode: { head: "Reason", cell: ({ responseCode }) => codeWithWords(responseCode ?? "") },
};

const BUSINESS: Column<StatisticsRow>[] = [
  { head: "Approval rate", number: true, cell: ({ approvalRate }) => rateText(approvalRate) },
  { head: "Turnover", number: true, cell: ({ turnover }) => amountsOrDash(turnover) },
];

const SPEED = TIMES.map((name): Column<StatisticsRow> => ({
  head: `${SPEED_HEADS[name]} within ${bucketBoundText(name)}`,
  number: true,
  cell: (row) => rateText(shareWithin(name, row[name])),
}));

function periodWords({ from, to }: StatisticsFilter): string {
  const until = to === "" ? "" : ` to ${shortTime(to)}`;
  return from === "" ? `The 24 hours${until}.` : `From ${shortTime(from)}${until}.`;
}

const FIELDS: Field[] = [
  ...filterFields(STATISTICS_FILTERS),
  { name: "code", label: "Reason", hint: "A response code, by account.", mono: true },
];

export function makeColumns(filter: Shown, parameters: CallQuery): Column<StatisticsRow>[] {
  const href = (statusCode?: string) => (row: StatisticsRow) => behind(filter, parameters, row, statusCode);
  const count = (head: string, statusCode: "00" | "11"): Column<StatisticsRow> => ({
    head,
    number: true,
    cell: ({ transactions }) => transactions[statusCode].toLocaleString("en"),
    href: href(statusCode),
  });
  const key = { ...KEYS[filter.by], href: href() };
  if (filter.code !== "") {
    const cell = (row: StatisticsRow) => sumCounts(row, filter.code).toLocaleString("en");
    return [key, { head: "Payments", number: true, cell, href: href() }];
  }
  const others = filter.by === "responseCode" ? [] : [...BUSINESS, ...SPEED];
  return [
    key,
    count("Approved", "00"),
    count("Not approved", "11"),
    ...others.map((column) => ({ ...column, href: href() })),
  ];
}

export function Statistics({ query }: { query: PlaceQuery }) {
  const filter = statisticsFilter(query);
  const keep =
    filter.code === ""
      ? {}
      : { keep: { by: filter.code, fits: (row: StatisticsRow) => sumCounts(row, filter.code) > 0 } };
  const timed = (now: EpochMs): CallQuery => rangeQuery(filter, now);
  const list = useList<StatisticsRow>("/statistics", { ...filter, hours: "", code: "" }, { ...keep, timed });
  const parameters = timed(list.readAt || Date.now());
  const { by, code, posId, shop, from, to } = filter;
  const { show, ...place } = makePlace({ ...filter }, [posId, shop, code, from, to]);
  return (
    <ListPanel
      title="Statistics"
      about={
        <>
          <div class="row">
            <Choice label="By" value={by} options={BY} onChoose={(value) => show({ by: value, code: "" })} />
            <Choice
              label="Time"
              value={filter.hours}
              options={filter.by === "day" ? DAY_RANGES : RANGES}
              onChoose={(hours) => show({ hours, from: "", to: "" })}
            />
          </div>
          {filter.hours === "" && <p class="soft">{periodWords(filter)}</p>}
        </>
      }
      list={list}
      place={{ ...place, show: (wanted) => show({ ...wanted, ...(wanted["code"] === "" ? {} : { by: "account" }) }) }}
      more={FIELDS}
      action="Show"
      save={{ name: "statistics", csv: statisticsCsv }}
      none="No payments in this period."
      zone={describeZone(list.rows?.[0]?.timezone ?? "UTC")}
      columns={makeColumns(filter, parameters)}
      keyOf={(row) => `${row.posId} ${row.hour} ${row.day} ${row.responseCode}`}
      below={<p class="small soft">Payments of the last minute may be missing.</p>}
    >
      {code !== "" && <p>Only payments with {codeWithWords(code)}.</p>}
    </ListPanel>
  );
}
