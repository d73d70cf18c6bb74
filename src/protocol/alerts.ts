/** What the operators' own webhooks are told: the beginning of a matter, and its end. */
export const ALERT_TYPES = [
  "transaction.contradicted",
  "transaction.unresolved",
  "declines.many",
  "shop.offline",
  "terminal.offline",
  "objects.behind",
] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** After the type of a matter that has ended. */
export const ENDED = ".ended";

/** After how many minutes a matter of the type is told; null: never. */
export type AlertSettings = Record<AlertType, number | null>;

export const DEFAULT_ALERTS: AlertSettings = {
  "transaction.contradicted": 0,
  "transaction.unresolved": 15,
  "declines.many": 0,
  "shop.offline": 10,
  "terminal.offline": null,
  "objects.behind": 10,
};

/** A week. */
export const ALERT_MINUTES = 10_080;

/** Owns the operators' endpoints where accounts own theirs: no posId has a slash. */
export const OPERATORS = "/operators";
