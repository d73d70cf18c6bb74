import { amountsText, moneyText } from "../../protocol/amounts.ts";
import { codeWithWords } from "../../protocol/response-codes.ts";
import { OTHER_CODES, TIMES } from "../../protocol/statistics.ts";
import { Dot, Notice } from "../page/shown.tsx";
import type { Overview } from "./answers.ts";
import type { CallQuery } from "./operator-calls.ts";
import { Chart } from "./part/chart.tsx";
import { Elapsed, Panel, Updated } from "./part/panel.tsx";
import { PanelTable, TimesTable, type Column } from "./part/table.tsx";
import { useReading } from "./part/reading.tsx";
import { linkTo } from "./route.ts";
import { hourLink, incidentLink, reasonLink } from "./statistics/ranges.ts";
import {
  amountsOrDash,
  BROWSERS_ZONE,
  clock,
  countText,
  percent,
  rateText,
  shareWithin,
  bucketBoundText,
} from "./words.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export function OverviewSection() {
  const { value, readAt, problem } = useReading((calls) => calls.get<Overview>("/overview"), []);
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  return (
    <>
      {problem !== null && (
        <Notice tone="pending">
          As of {clock(value.at)}. {problem}
        </Notice>
      )}
      <div class="overview">
        <Broken overview={value} readAt={readAt} />
        <Business overview={value} />
        <Fast overview={value} />
      </div>
    </>
  );
}

interface Figure {
  value: number | string;
  words: string;
  /** Of the list behind the number. */
  href: string;
  tone?: "bad" | "pending" | false;
}

function Figures({ figures }: { figures: Figure[] }) {
  return (
    <ul class="figures">
      {figures.map(({ value, words, href, tone }) => (
        <li key={words}>
          <a href={href}>
            <strong data-tone={tone || undefined}>{value}</strong> {words}
          </a>
        </li>
      ))}
    </ul>
  );
}

function ofTerminals(query: CallQuery): string {
  return linkTo("terminals", [], query);
}

function byAccount(from: string): string {
  return linkTo("statistics", [], { by: "account", from });
}

function Broken({ overview, readAt }: { overview: Overview; readAt: EpochMs }) {
  const { terminals, pending, incidents, offline } = overview;
  const away = terminals.enrolled - terminals.connected;
  return (
    <Panel title="Now" aside={<Updated at={readAt} />}>
      <Figures
        figures={[
          { value: terminals.connected, words: "connected", href: ofTerminals({ state: "connected" }) },
          {
            value: away,
            words: "not connected",
            href: ofTerminals({ state: "offline" }),
            tone: offline.terminals > 0 && "bad",
          },
          { value: terminals.bound, words: `of ${terminals.enrolled} bound`, href: ofTerminals({ bound: "true" }) },
          {
            value: pending.count,
            words: "pending",
            href: linkTo("pending"),
            tone: pending.count > 0 && "pending",
          },
        ]}
      />
      <Lately overview={overview} />
      {incidents.length === 0 && (
        <p>
          <Dot tone="good" /> Nothing is broken.
        </p>
      )}
      {incidents.length > 0 && (
        <ul class="alerts" aria-label={countText(incidents.length, "problem")}>
          {incidents.map((incident) => (
            <li key={incident.id}>
              <Dot tone={incident.kind === "pending" ? "pending" : "bad"} />{" "}
              <a href={incidentLink(incident)}>
                <strong>{incident.title}</strong>
              </a>{" "}
              <span class="soft">
                {incident.detail} For <Elapsed since={incident.since} />.
              </span>
            </li>
          ))}
        </ul>
      )}
      {offline.more && (
        <p>
          <a href={ofTerminals({ state: "offline" })}>More shops have terminals offline</a>
        </p>
      )}
    </Panel>
  );
}

function Lately({ overview: { lastHour, hours } }: { overview: Overview }) {
  const since = hours.at(-2)?.hour;
  if (since === undefined) return null;
  return (
    <p>
      Since {clock(since)}: {countText(sum(lastHour), "payment")}, {rateText(lastHour.approvalRate)} approved
      {lastHour.turnover.length > 0 && `, ${amountsText(lastHour.turnover)}`}.{" "}
      <span class="soft">Payments of the last minute may be missing. Times are {BROWSERS_ZONE}.</span>
    </p>
  );
}

type Hour = Overview["hours"][number];

function ofHour(head: string, cell: Column<Hour>["cell"]): Column<Hour> {
  return { head, number: true, cell, href: hourLink };
}

function Hours({ label, hours, columns }: { label: string; hours: Hour[]; columns: Column<Hour>[] }) {
  const first = { head: "Hour", cell: ({ hour }: Hour) => clock(hour), href: hourLink };
  return (
    <PanelTable label={label} rows={hours.toReversed()} keyOf={({ hour }) => hour} columns={[first, ...columns]} />
  );
}

const PARTS = {
  gateway: `Gateway, ${bucketBoundText("gateway")}`,
  delivery: `Delivery, ${bucketBoundText("delivery")}`,
  customer: `Customer and host, ${bucketBoundText("customer")}`,
} as const;

const RESULTS = [
  ofHour("Approved", ({ transactions }) => transactions["00"]),
  ofHour("Not approved", ({ transactions }) => transactions["11"]),
  ofHour("Turnover", ({ turnover }) => amountsOrDash(turnover)),
];

function Business({ overview }: { overview: Overview }) {
  const { hours, lastDay, notApproved } = overview;
  const present = hours.at(-1);
  // The periods of the numbers, so that the list behind each adds up to it.
  const [day = "", thisHour = day] = [hours[0]?.hour, present?.hour];
  const ofReason = ({ responseCode }: (typeof notApproved)[number]): string | undefined =>
    responseCode === OTHER_CODES ? undefined : reasonLink(responseCode, { from: day });
  return (
    <Panel title="Business">
      <Figures
        figures={[
          {
            value: (present === undefined ? 0 : sum(present)).toLocaleString("en"),
            words: "payments, this hour",
            href: byAccount(thisHour),
          },
          { value: sum(lastDay).toLocaleString("en"), words: "payments, 24 hours", href: byAccount(day) },
          { value: rateText(lastDay.approvalRate), words: "approved, 24 hours", href: byAccount(day) },
          ...lastDay.turnover.map(({ currency, transAmt }) => ({
            value: moneyText(transAmt, currency),
            words: "turnover, 24 hours",
            href: byAccount(day),
          })),
        ]}
      />
      <Chart
        label="Payments by hour"
        kind="bars"
        times={hours.map(({ hour }) => Date.parse(hour) / 1000)}
        words={(value) => (Number.isInteger(value) ? value.toLocaleString("en") : "")}
        series={[
          { label: "Approved", colour: "good", values: hours.map(({ transactions }) => transactions["00"]) },
          { label: "Not approved", colour: "bad", values: hours.map(({ transactions }) => transactions["11"]) },
        ]}
      >
        <Hours label="Payments by hour" hours={hours} columns={RESULTS} />
      </Chart>
      {notApproved.length > 0 && (
        <>
          <h3>Why payments are not approved</h3>
          <PanelTable
            label="Declines by reason"
            rows={notApproved.slice(0, 8)}
            keyOf={({ responseCode }) => responseCode}
            columns={[
              { head: "Reason", cell: ({ responseCode }) => codeWithWords(responseCode), href: ofReason },
              { head: "Payments", number: true, cell: ({ count }) => count.toLocaleString("en"), href: ofReason },
            ]}
          />
          <p class="small row">
            <a href={linkTo("statistics", [], { by: "responseCode", from: day })}>All reasons</a>
            <a href="/docs/handle-responses" target="_blank" rel="noopener">
              What the codes mean
            </a>
          </p>
        </>
      )}
    </Panel>
  );
}

function sum({ transactions }: { transactions: { "00": number; "11": number } }): number {
  return transactions["00"] + transactions["11"];
}

const SPEEDS = TIMES.map((name) => ofHour(PARTS[name], (hour) => rateText(shareWithin(name, hour[name]))));

function Fast({ overview: { lastDay, hours } }: { overview: Overview }) {
  const byHour = linkTo("statistics", [], { by: "hour", from: hours[0]?.hour });
  return (
    <Panel title="Speed">
      <TimesTable label="Times of the last 24 hours" times={lastDay} href={byHour} />
      <Chart
        label="Share in time, by hour"
        kind="lines"
        times={hours.map(({ hour }) => Date.parse(hour) / 1000)}
        words={(value) => (value > 1 ? "" : percent(value))}
        series={[
          { label: PARTS.gateway, colour: "accent", values: hours.map((hour) => shareWithin("gateway", hour.gateway)) },
          {
            label: PARTS.delivery,
            colour: "pending",
            values: hours.map((hour) => shareWithin("delivery", hour.delivery)),
          },
        ]}
      >
        <Hours label="Share in time by hour" hours={hours} columns={SPEEDS} />
      </Chart>
    </Panel>
  );
}
