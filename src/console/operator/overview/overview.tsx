import { ALARM_AFTER, OTHER_CODES, SEND_EVERY, SEND_EVERY_QUIET } from "../../../statistics/limits.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { duration, shortDuration } from "../../../time/duration.ts";
import { Dot, Notice } from "../../page/status.tsx";
import type { Overview, ResponseCodeCount } from "../answers.ts";
import { Chart } from "../part/chart.tsx";
import { Panel } from "../part/panel.tsx";
import { useReading } from "../part/reading.tsx";
import { Table } from "../part/table.tsx";
import { TimesTable } from "../part/times.tsx";
import { linkTo } from "../route.ts";
import { hourLink, reasonLink } from "../statistics/ranges.ts";
import { clock, counted, rate, time } from "../words.ts";
import { matterLink } from "./broken.ts";

/** D1 gets new numbers at most every five minutes, but unresolved payments at once. Reading them asks no object. */
const LOOK_EVERY = 30_000;

/** The state of the service on one screen. */
export function OverviewSection() {
  const { value, problem } = useReading((calls) => calls.get<Overview>("/overview"), LOOK_EVERY, []);
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  return (
    <>
      {problem !== null && (
        <Notice tone="pending">
          As of {clock(value.at)}. {problem}
        </Notice>
      )}
      <div class="overview">
        <Broken overview={value} now={Date.parse(value.at)} />
        <Business overview={value} />
        <Fast overview={value} />
      </div>
    </>
  );
}

/** What is broken now. */
function Broken({ overview, now }: { overview: Overview; now: number }) {
  const { enrolled, bound, connected } = overview.terminals;
  const { matters } = overview;
  return (
    <Panel title="Now" id="now-title">
      <ul class="figures">
        <li>
          <a href={linkTo("terminals", [], { state: "connected" })}>
            <strong>{connected}</strong> connected
          </a>
        </li>
        <li>
          <a href={linkTo("terminals", [], { state: "offline" })}>
            <strong data-tone={enrolled > connected ? "bad" : undefined}>{enrolled - connected}</strong> not connected
          </a>
        </li>
        <li>
          <a href={linkTo("terminals", [], { bound: "true" })}>
            <strong>{bound}</strong> of {enrolled} bound
          </a>
        </li>
        <li>
          <a href={linkTo("unresolved")}>
            <strong data-tone={overview.unresolved.count > 0 ? "pending" : undefined}>
              {overview.unresolved.count}
            </strong>{" "}
            not completed
          </a>
        </li>
      </ul>
      <Lately overview={overview} />
      {matters.length === 0 && (
        <p>
          <Dot tone="good" /> Nothing is broken.
        </p>
      )}
      {matters.length > 0 && (
        <ul class="alerts" aria-label={counted(matters.length, "problem")}>
          {matters.map((matter) => (
            <li key={matter.id}>
              <Dot tone={matter.kind === "unresolved" ? "pending" : "bad"} />{" "}
              <a href={matterLink(matter)}>
                <strong>{matter.title}</strong>
              </a>{" "}
              <span class="soft">
                {matter.detail} For {shortDuration(now - Date.parse(matter.since))}.
              </span>
            </li>
          ))}
        </ul>
      )}
      {overview.offline.more && (
        <p>
          <a href={linkTo("terminals", [], { state: "offline" })}>More shops have terminals offline</a>
        </p>
      )}
    </Panel>
  );
}

/** The newest figures, and what they may lack: nothing old looks new. */
function Lately({ overview: { lastHour, hours } }: { overview: Overview }) {
  const since = hours.at(-2)?.hour;
  if (since === undefined) return null;
  const all = sum(lastHour.transactions);
  return (
    <p>
      Since {clock(since)}: {counted(all, "payment")}, {rate(lastHour.approvalRate)} approved.{" "}
      <span class="soft">
        May lack the last {duration(ALARM_AFTER * SEND_EVERY)} of busy accounts, and the last{" "}
        {duration(ALARM_AFTER * SEND_EVERY_QUIET)} of quiet ones.
      </span>
    </p>
  );
}

/** Payments by hour, approval rate, and why payments fail. */
function Business({ overview }: { overview: Overview }) {
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
              { head: "Reason", cell: ({ responseCode }) => codeWithWords(responseCode), href: ofReason },
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

/** The durations: the gateway's own share, the way to the terminal, customer and host. */
function Fast({ overview: { lastDay, hours } }: { overview: Overview }) {
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
