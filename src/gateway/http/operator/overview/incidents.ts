/** Lists everything that an operator must look at now, for the page, the metrics and the command line. */
import { amountsText, decimal } from "../../../../protocol/amounts.ts";
import type { CutList, ServiceState } from "../../../d1/overview.ts";
import type { PendingSum } from "../../../d1/pending.ts";
import { MINUTE, type EpochMs } from "../../../../protocol/time/units.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import type { Incident } from "../../../../protocol/schemas/incidents.ts";

/** An object updates D1 within seconds; a longer wait is a fault. */
export const LATE = 5 * MINUTE;

const NOTHING = { posId: null, merchantId: null };

/**
 * The worst comes first: money that has moved against the record, money at risk, offline terminals, webhooks, late
 * copies.
 */
export function findIncidents(
  state: Pick<ServiceState, "pending" | "offline" | "alerts" | "cut" | "outbox">,
  now: EpochMs,
): Incident[] {
  const { conflict, pending } = moneyOpen(state.pending);
  return [
    ...ofMoney("conflict", conflict, "contradicted by its terminal", "contradicted by their terminals"),
    ...ofMoney("pending", pending, "not completed", "not completed"),
    ...state.offline.map(({ merchantId, shopName, terminals, since }) => ({
      ...NOTHING,
      kind: "offline" as const,
      id: `offline ${merchantId ?? ""}`.trim(),
      title: `${counted(terminals, "terminal")} offline`,
      detail: `${shopName ?? merchantId ?? "Without a shop"}.`,
      since: utc(since),
      merchantId,
    })),
    ...state.alerts.map(({ posId, webhookId, host, disabledBy, since }) => ({
      ...NOTHING,
      kind: "webhook" as const,
      id: `webhook ${posId} ${webhookId}`,
      title: disabledBy === null ? "Webhook fails" : "Webhook disabled",
      detail: `${webhookId} of ${posId}, ${host}.`,
      since: utc(since),
      posId,
    })),
    ...databaseBehind(state.outbox, now),
    ...state.cut.map((list) => ({
      ...NOTHING,
      kind: "cut" as const,
      id: `cut ${list}`,
      title: CUT[list],
      detail: "The overview does not show all of them.",
      since: utc(now),
    })),
  ];
}

const CUT: Record<CutList, string> = {
  accounts: "Too many accounts with open payments",
  offline: "Too many terminals offline",
  webhooks: "Too many webhooks that fail",
};

interface MoneyOpen {
  count: number;
  oldest: string | null;
  amounts: { currency: string; count: number; transAmt: string }[];
}

/** The sums by kind: transactions with a conflicting result, and transactions that are pending. */
export function moneyOpen(sums: readonly PendingSum[]): Record<"conflict" | "pending", MoneyOpen> {
  const of = (kind: 0 | 1): MoneyOpen => {
    const own = sums.filter(({ isConflicting }) => isConflicting === kind);
    return {
      count: own.reduce((before, { count }) => before + count, 0),
      oldest: own.length === 0 ? null : utc(Math.min(...own.map(({ oldest }) => oldest))),
      amounts: own.map(({ currency, count, transAmt }) => ({ currency, count, transAmt: decimal(transAmt) })),
    };
  };
  return { conflict: of(1), pending: of(0) };
}

function ofMoney(
  kind: "conflict" | "pending",
  { count, oldest, amounts }: MoneyOpen,
  one: string,
  many: string,
): Incident[] {
  if (oldest === null) return [];
  return [
    {
      ...NOTHING,
      kind,
      id: kind,
      title: `${counted(count, "payment")} ${count === 1 ? one : many}`,
      detail: `${amountsText(amounts)} at risk.`,
      since: oldest,
    },
  ];
}

function databaseBehind({ oldest, objects, object }: ServiceState["outbox"], now: EpochMs): Incident[] {
  if (oldest === null || now - oldest < LATE) return [];
  const others = objects > 1 ? ` and ${counted(objects - 1, "other object")}` : "";
  const words = {
    title: "Lists are out of date",
    detail: `Waiting for an update from ${object ?? "an object"}${others}.`,
  };
  return [{ ...NOTHING, kind: "outbox", id: "outbox", ...words, since: utc(oldest) }];
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}
