/** The service at this moment, as operators see it. Times are ISO 8601 with the offset of UTC. */
import type { DisabledBy } from "./webhooks.ts";
import type { Figures, HourFigures, ResponseCodeCount } from "./statistics.ts";
import type { TransactionType } from "./transfer-types.ts";

/** Terminals of one shop whose connection has ended. */
export interface OfflineShop {
  /** null: terminals without a merchant and without an account. */
  merchantId: string | null;
  /** null where the merchant has no name. */
  shopName: string | null;
  terminals: number;
  /** When the first and the last of them went offline. */
  since: string;
  latest: string;
}

/** Money at risk: what is `22` in one currency. */
export interface UnresolvedAmount {
  currency: string;
  count: number;
  /** What cards may have been charged, cash included, in decimal notation; without those whose amount is unknown. */
  transAmt: string;
}

/** An endpoint that gets no events, or whose events fail. */
export interface WebhookAlert {
  posId: string;
  webhookId: string;
  host: string;
  /** null: it is enabled, and deliveries to it fail. */
  disabledBy: DisabledBy | null;
  since: string;
}

export interface Overview {
  at: string;
  /** Terminals that are not retired. */
  terminals: { enrolled: number; bound: number; connected: number };
  /** Terminals that were connected once and are not now: the longest first. `more`: there are further ones. */
  offline: { terminals: number; shops: OfflineShop[]; more: boolean };
  /** Everything that is `22` now. `oldest`: when the oldest was received. */
  unresolved: { count: number; oldest: string | null; amounts: UnresolvedAmount[] };
  /** Endpoints that are disabled, not by their account; and enabled ones that are behind. The oldest problem first. */
  webhooks: { disabled: number; behind: number; endpoints: WebhookAlert[] };
  /** The oldest change that an object has announced and D1 lacks. */
  untold: { oldest: string | null };
  /** The current hour and the one before. */
  lastHour: Figures;
  /** The current hour and the 24 before. */
  lastDay: Figures;
  /** The same by hour, oldest first: 25, those without a transaction included. */
  hours: HourFigures[];
  /** Why transactions of these hours are `11`, the most frequent first. */
  declines: ResponseCodeCount[];
}

/** A transaction that is `22` now. */
export interface UnresolvedTransaction {
  requestId: string;
  posId: string;
  terminalId: string;
  shopName: string | null;
  referenceId: string;
  transType: TransactionType;
  responseCode: string;
  /** What is known, and what to do. */
  responseText: string | null;
  transAmt: string | null;
  cashAmt: string | null;
  currency: string;
  receivedAt: string;
}
