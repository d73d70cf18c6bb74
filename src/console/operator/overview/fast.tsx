import type { Overview } from "../answers.ts";
import { Chart } from "../part/chart.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { linkTo } from "../route.ts";
import { hourLink } from "../statistics/ranges.ts";
import { clock, time } from "../words.ts";
import { TimesTable } from "./times.tsx";

/** The durations: the gateway's own share, the way to the terminal, customer and host. */
export function Fast({ overview: { lastDay, hours } }: { overview: Overview }) {
  const byHour = linkTo("statistics", [], { by: "hour", from: hours[0]?.hour });
  return (
    <Panel title="Speed" id="fast-title">
      <TimesTable label="Times of the last 24 hours" times={lastDay} href={byHour} />
      <Chart
        label="Gateway and delivery by hour, p95"
        kind="lines"
        times={hours.map(({ hour }) => Date.parse(hour) / 1000)}
        words={(value) => time(value)}
        series={[
          { label: "Gateway", colour: "accent", values: hours.map(({ gateway }) => gateway?.p95 ?? null) },
          { label: "Delivery", colour: "pending", values: hours.map(({ delivery }) => delivery?.p95 ?? null) },
        ]}
      >
        <Table
          label="p95 by hour"
          compact
          rows={hours.toReversed()}
          keyOf={({ hour }) => hour}
          columns={[
            { head: "Hour", cell: ({ hour }) => clock(hour), href: hourLink },
            { head: "Gateway", number: true, cell: ({ gateway }) => time(gateway?.p95), href: hourLink },
            { head: "Delivery", number: true, cell: ({ delivery }) => time(delivery?.p95), href: hourLink },
            { head: "Customer and host", number: true, cell: ({ customer }) => time(customer?.p95), href: hourLink },
          ]}
        />
      </Chart>
    </Panel>
  );
}
