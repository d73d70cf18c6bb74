import { moneyText } from "../../../protocol/amounts.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { OTHER_CODES } from "../../../protocol/statistics.ts";
import { Dot, Notice, ToneTag } from "../../page/shown.tsx";
import type { Tone } from "../../page/declared.ts";
import type { Incident, Overview } from "../answers.ts";
import type { CallQuery } from "../operator-calls.ts";
import { Elapsed, Panel, Updated } from "../part/panel.tsx";
import { Reading } from "../part/reading.tsx";
import { TimesTable } from "../part/table.tsx";
import { linkTo } from "../route.ts";
import { incidentLink, reasonLink } from "../statistics/ranges.ts";
import { BROWSERS_ZONE, bucketBoundText, clock, countText, rateText, shareWithin } from "../words.ts";
import { Fleet } from "./fleet.tsx";
import { Latest } from "./latest.tsx";
import { PaymentsByTime } from "./payments-by-time.tsx";
import { useOverview } from "./service.ts";

/** What needs somebody first, then how business is and how fast it is, then every terminal and the newest payments. */
export function OverviewSection() {
  const reading = useOverview();
  return (
    <Reading reading={reading}>
      {(overview) => (
        <>
          {reading.problem !== null && (
            <Notice tone="pending">
              As of {clock(overview.at)}. {reading.problem}
            </Notice>
          )}
          <Needs overview={overview} readAt={reading.readAt} />
          <Figures overview={overview} />
          <div class="overview">
            <div class="column">
              <PaymentsByTime overview={overview} />
              <Fleet overview={overview} />
            </div>
            <div class="column">
              <Reasons overview={overview} />
              <Latest />
              <Speed overview={overview} />
            </div>
          </div>
        </>
      )}
    </Reading>
  );
}

const KINDS: Record<Incident["kind"], { words: string; action: string; tone: Tone }> = {
  conflict: { words: "Conflicting results", action: "Find out", tone: "bad" },
  pending: { words: "Pending", action: "Resolve", tone: "pending" },
  offline: { words: "Offline", action: "Show", tone: "bad" },
  webhook: { words: "Webhook", action: "Show", tone: "bad" },
  outbox: { words: "Lists", action: "Show", tone: "bad" },
  cut: { words: "Too many", action: "Show", tone: "bad" },
};

function Needs({ overview, readAt }: { overview: Overview; readAt: number }) {
  const { incidents, offline } = overview;
  return (
    <Panel
      title={
        incidents.length === 0
          ? "Nothing needs you"
          : `${countText(incidents.length, "thing")} need${incidents.length === 1 ? "s" : ""} you`
      }
      aside={<Updated at={readAt} zone={BROWSERS_ZONE} />}
      tone={incidents.length === 0 ? "good" : "bad"}
    >
      {incidents.length === 0 && (
        <p>
          <Dot tone="good" /> Every terminal that was connected is connected, and every outcome is known.
        </p>
      )}
      {incidents.length > 0 && (
        <ul class="needs" aria-label={countText(incidents.length, "problem")}>
          {incidents.map((incident) => (
            <li key={incident.id}>
              <ToneTag tone={KINDS[incident.kind].tone}>{KINDS[incident.kind].words}</ToneTag>
              <span>
                <strong>{incident.title}</strong>{" "}
                <span class="soft">
                  {incident.detail} {shareWords(incident, offline)} For <Elapsed since={incident.since} />.
                </span>
              </span>
              <a
                class="button"
                href={incidentLink(incident)}
                aria-label={`${KINDS[incident.kind].action}: ${incident.title}`}
              >
                {KINDS[incident.kind].action}
              </a>
            </li>
          ))}
        </ul>
      )}
      {offline.more && (
        <p>
          <a href={linkTo("terminals", [], { state: "offline" })}>More shops have terminals offline</a>
        </p>
      )}
    </Panel>
  );
}

/** Whether the shop can still sell. */
function shareWords({ kind, merchantId }: Incident, { shops }: Overview["offline"]): string {
  if (kind !== "offline" || merchantId === null) return "";
  const isClosed = shops.some((shop) => shop.merchantId === merchantId && shop.allOffline);
  return isClosed ? "None of this shop's terminals is connected: it cannot sell." : "Others of this shop still sell.";
}

interface Figure {
  words: string;
  value: string;
  /** Of the list behind the number. */
  href: string;
  /** Below the number. */
  note?: string | undefined;
  tone?: Tone | undefined;
}

function Figures({ overview }: { overview: Overview }) {
  const { terminals, offline, lastDay, dayBefore, hours } = overview;
  const from = hours[0]?.hour;
  // The periods of the numbers, so that the list behind each adds up to it.
  const byAccount = linkTo("statistics", [], { by: "account", from });
  const amountBefore = (currency: string): number =>
    Number(dayBefore.turnover.find((one) => one.currency === currency)?.transAmt ?? 0);
  const figures: Figure[] = [
    ...lastDay.turnover.map(({ currency, transAmt }) => ({
      words: "Turnover, 24 hours",
      value: moneyText(transAmt, currency),
      href: byAccount,
      ...changeOf(Number(transAmt), amountBefore(currency)),
    })),
    {
      words: "Payments, 24 hours",
      value: sum(lastDay).toLocaleString("en"),
      href: byAccount,
      ...changeOf(sum(lastDay), sum(dayBefore)),
    },
    {
      words: "Approved",
      value: rateText(lastDay.approvalRate),
      href: linkTo("statistics", [], { by: "responseCode", from }),
      ...pointsOf(lastDay.approvalRate, dayBefore.approvalRate),
    },
    {
      words: "Terminals connected",
      value: `${terminals.connected.toLocaleString("en")} of ${terminals.enrolled.toLocaleString("en")}`,
      href: linkTo("terminals"),
      note: offline.terminals === 0 ? "none offline" : `${offline.terminals.toLocaleString("en")} offline`,
      tone: offline.terminals === 0 ? undefined : "bad",
    },
    {
      words: `Gateway within ${bucketBoundText("gateway")}`,
      value: rateText(shareWithin("gateway", lastDay.gateway)),
      href: linkTo("statistics", [], { by: "hour", from }),
      note: lastDay.gateway === null ? undefined : countText(lastDay.gateway.count, "payment"),
    },
  ];
  return (
    <ul class="figures">
      {figures.map(({ words, value, href, note, tone }) => (
        <li key={`${words} ${value}`} class="panel">
          <a href={href}>
            {words}
            <strong>{value}</strong>
          </a>
          {note !== undefined && (
            <span class="small change" data-tone={tone}>
              {note}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** `▲ 6.2 % on the day before`. */
function changeOf(now: number, before: number): Pick<Figure, "note" | "tone"> {
  if (before === 0) return { note: "nothing the day before" };
  const share = now / before - 1;
  return change(share, `${Math.abs(share * 100).toFixed(1)} %`);
}

/** In points of a percent. */
function pointsOf(now: number | null, before: number | null): Pick<Figure, "note" | "tone"> {
  if (now === null || before === null) return {};
  return change(now - before, `${Math.abs((now - before) * 100).toFixed(1)} points`);
}

function change(difference: number, words: string): Pick<Figure, "note" | "tone"> {
  if (difference === 0) return { note: "as the day before" };
  const isMore = difference > 0;
  return { note: `${isMore ? "▲" : "▼"} ${words} on the day before`, tone: isMore ? "good" : "bad" };
}

function sum({ transactions }: { transactions: { "00": number; "11": number } }): number {
  return transactions["00"] + transactions["11"];
}

/** How many reasons are shown. */
const REASONS = 8;

function Reasons({ overview: { notApproved, hours } }: { overview: Overview }) {
  const from = hours[0]?.hour;
  const shown = notApproved.slice(0, REASONS);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <Panel
      title="Why payments are not approved"
      aside={<a href={linkTo("statistics", [], { by: "responseCode", from })}>All reasons</a>}
    >
      {shown.length === 0 && <p class="soft">Nothing was declined in 24 hours.</p>}
      <ul class="bars" aria-label="Reasons">
        {shown.map(({ responseCode, count }) => (
          <li key={responseCode}>
            <a {...(responseCode === OTHER_CODES ? {} : { href: reasonLink(responseCode, { from }) })}>
              {codeWithWords(responseCode)}
            </a>
            <meter min={0} max={most} value={count} aria-label={codeWithWords(responseCode)} />
            <span class="number">{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Speed({ overview: { lastDay, hours } }: { overview: Overview }) {
  const query: CallQuery = { by: "hour", from: hours[0]?.hour };
  return (
    <Panel title="Speed">
      <TimesTable label="Times of the last 24 hours" times={lastDay} href={linkTo("statistics", [], query)} />
    </Panel>
  );
}
