/** What is broken now, as sentences with a link to each list. */
import { MINUTE } from "../../../time/units.ts";
import type { Overview } from "../answers.ts";
import { accountLink, linkTo } from "../route.ts";
import { ago, counted } from "../words.ts";

export interface Alert {
  key: string;
  /** The number first: "3 terminals offline". */
  title: string;
  detail: string;
  href: string;
}

/** An object updates D1 within seconds; a longer wait is a fault. */
const LATE = 5 * MINUTE;

/** The worst first: money at risk, offline terminals, webhooks, late copies. */
export function alertsOf(overview: Overview, now: number): Alert[] {
  return [
    ...unresolved(overview, now),
    ...offline(overview, now),
    ...webhooks(overview, now),
    ...untold(overview, now),
  ];
}

function unresolved({ unresolved: { count, oldest, amounts } }: Overview, now: number): Alert[] {
  if (count === 0) return [];
  const sums = amounts.map(({ transAmt, currency }) => `${transAmt} ${currency}`).join(", ");
  const since = oldest === null ? "" : ` The oldest arrived ${ago(oldest, now)}.`;
  const title = `${counted(count, "payment")} not completed`;
  return [{ key: "unresolved", title, detail: `${sums} at risk.${since}`, href: linkTo("unresolved") }];
}

function offline({ offline: { shops } }: Overview, now: number): Alert[] {
  return shops.map(({ merchantId, shopName, terminals, since }) => ({
    key: `shop ${merchantId ?? ""}`,
    title: `${counted(terminals, "terminal")} offline`,
    detail: `${shopName ?? merchantId ?? "Without a shop"}, ${terminals === 1 ? "" : "the first "}${ago(since, now)}.`,
    // Terminals without a merchant have no account either.
    href: linkTo("terminals", [], {
      state: "offline",
      offlineFor: "0",
      ...(merchantId === null ? { bound: "false" } : { shop: merchantId }),
    }),
  }));
}

function webhooks({ webhooks: { endpoints } }: Overview, now: number): Alert[] {
  return endpoints.map(({ posId, webhookId, host, disabledBy, since }) => ({
    key: `webhook ${posId} ${webhookId}`,
    title: disabledBy === null ? "Webhook fails" : "Webhook disabled",
    detail: `${host} of ${posId}, ${ago(since, now)}.`,
    href: accountLink(posId),
  }));
}

function untold({ untold: { oldest } }: Overview, now: number): Alert[] {
  if (oldest === null || now - Date.parse(oldest) < LATE) return [];
  const detail = `They lack a change made ${ago(oldest, now)}.`;
  return [{ key: "untold", title: "Lists are out of date", detail, href: linkTo("audit") }];
}
