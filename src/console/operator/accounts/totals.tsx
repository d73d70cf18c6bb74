import { Notice } from "../../page/status.tsx";
import { DAY } from "../../../time/units.ts";
import type { StatisticsRow } from "../answers.ts";
import { TimesTable } from "../overview/times.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { useReading } from "../part/use-calls.ts";
import { linkTo } from "../route.ts";
import { oneDay } from "../statistics/ranges.ts";
import { percent } from "../words.ts";

const DAYS = 7;

/** What an account's payments add up to, by day. */
export function Totals({ posId }: { posId: string }) {
  const { value, problem } = useReading(
    (calls) => {
      const from = new Date(Date.now() - DAYS * DAY).toISOString();
      return calls.get<{ data: StatisticsRow[] }>("/statistics", { posId, by: "day", from });
    },
    0,
    [posId],
  );
  const days = value?.data ?? [];
  const [latest] = days;
  const ofDay =
    (statusCode?: string) =>
    ({ day }: StatisticsRow): string => {
      const { from, to } = oneDay(day ?? "");
      return linkTo("accounts", [posId], { from, to, statusCode });
    };
  return (
    <Panel
      title="Payments by day"
      id="totals-title"
      aside={<a href={linkTo("unresolved", [], { posId })}>What is unresolved</a>}
    >
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {value === null && problem === null && <p class="soft">Loading…</p>}
      {value !== null && days.length === 0 && <p class="soft">No payment in the last {DAYS} days.</p>}
      {days.length > 0 && (
        <Table
          label="Payments by day"
          compact
          rows={days}
          keyOf={({ day }) => day ?? ""}
          columns={[
            { head: "Day (UTC)", cell: ({ day }) => day, href: ofDay() },
            { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"], href: ofDay("00") },
            { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"], href: ofDay("11") },
            {
              head: "Approval rate",
              number: true,
              cell: ({ approvalRate }) => (approvalRate === null ? "–" : percent(approvalRate)),
            },
          ]}
        />
      )}
      {latest !== undefined && <TimesTable label={`Times on ${latest.day ?? "the last day"}`} times={latest} />}
    </Panel>
  );
}
