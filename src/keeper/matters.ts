/**
 * What operators' webhooks are told: each open matter once when it has lasted, and once when it is over. Terminals and
 * payments one by one, waves and late lists as the overview has them. Pure decisions.
 */
import { decimal } from "../protocol/amounts.ts";
import { LATE, mattersOf } from "./overview.ts";
import type { Waves } from "../statistics/waves.ts";
import type { Alert } from "../protocol/schemas/alerts.ts";
import type { AlertSettings, AlertType } from "../protocol/alerts.ts";
import type { OfflineTerminalRow } from "../storage/overview.ts";
import { SCANNED_ROWS } from "../storage/limits.ts";
import type { UnresolvedCopy, UnresolvedRow } from "../storage/unresolved.ts";
import { DAY, HOUR, MINUTE } from "../time/units.ts";
import { utc } from "../time/zone.ts";

export type Matter = Alert["data"];

/** Times are epoch milliseconds. */
export interface OpenMatter {
  type: AlertType;
  since: number;
  matter: Matter;
}

/** An open matter that was told. */
export interface ToldMatter extends OpenMatter {
  /** When it was last found open; only of a type that lingers. */
  seenAt: number;
}

export interface OpenState {
  /** Newest first. */
  offline: readonly OfflineTerminalRow[];
  unresolved: readonly UnresolvedRow[];
  waves: Waves;
  untold: number | null;
  untoldBy: string | null;
}

/** A wave is over when it was not seen for as long as waves are searched: hours do not end it. */
const LINGERS: Partial<Record<AlertType, number>> = { "declines.many": HOUR };

/** A terminal that has been offline for longer is no news: nobody has retired it. */
const FORGOTTEN = 30 * DAY;

const NOTHING = { posId: null, merchantId: null, terminalId: null, requestId: null, responseCode: null };

/** @param state null: D1 does not answer, since `awaySince` */
export function openMatters(state: OpenState | null, awaySince: number | null, now: number): OpenMatter[] {
  if (state !== null) return [...ofMoney(state), ...ofOverview(state, now), ...offline(state)];
  if (awaySince === null || now - awaySince < LATE) return [];
  const title = "The database does not answer";
  return [
    opened("objects.behind", awaySince, { id: "database", title, detail: "Payments continue. Lists lack changes." }),
  ];
}

function opened(
  type: AlertType,
  since: number,
  matter: Pick<Matter, "id" | "title" | "detail"> & Partial<Matter>,
): OpenMatter {
  return { type, since, matter: { ...NOTHING, since: utc(since), ...matter } };
}

function ofMoney({ unresolved }: OpenState): OpenMatter[] {
  return unresolved.map(({ posId, requestId, receivedAt, currency, transAmt, body }) => {
    const { terminalId, referenceId, contrary } = JSON.parse(body) as UnresolvedCopy;
    const number = String(requestId);
    const amount = transAmt === null ? "An unknown amount" : `${decimal(transAmt)} ${currency}`;
    const detail = `${amount}, reference ${referenceId}, ${posId} on ${terminalId}.`;
    const which = { detail, posId, terminalId, requestId: number };
    return contrary === undefined
      ? opened("transaction.unresolved", receivedAt, {
          id: `unresolved ${number} ${terminalId}`,
          title: `Payment ${number} not completed`,
          ...which,
        })
      : opened("transaction.contradicted", contrary.reportedAt, {
          id: `contrary ${number} ${terminalId}`,
          title: `Payment ${number} is ${contrary.statusCode}, its terminal says ${contrary.reported.statusCode}`,
          ...which,
        });
  });
}

function ofOverview({ waves, untold, untoldBy }: OpenState, now: number): OpenMatter[] {
  const found = mattersOf({ unresolved: [], offline: [], alerts: [], untold, untoldBy }, waves, now);
  return found.map(({ kind, since, ...matter }) =>
    opened(kind === "declines" ? "declines.many" : "objects.behind", Date.parse(since), matter),
  );
}

/** A shop is offline since its last terminal was heard. */
function offline({ offline: rows }: OpenState): OpenMatter[] {
  const terminals = rows.map(({ terminalId, merchantId, shopName, since }) =>
    opened("terminal.offline", since, {
      id: `terminal ${terminalId}`,
      title: `Terminal ${terminalId} offline`,
      detail: `${shopName ?? merchantId ?? "Without a shop"}.`,
      merchantId,
      terminalId,
    }),
  );
  const whole = Map.groupBy(
    rows.filter(({ isWholeShop }) => isWholeShop === 1),
    ({ merchantId }) => merchantId,
  );
  const shops = [...whole].flatMap(([merchantId, [latest, ...others]]) => {
    if (latest === undefined) return [];
    const title = `Shop ${latest.shopName ?? merchantId} offline`;
    const detail =
      others.length === 0 ? `Its terminal ${latest.terminalId}.` : `All its ${others.length + 1} terminals.`;
    return [opened("shop.offline", latest.since, { id: `offline ${merchantId}`, title, detail, merchantId })];
  });
  return [...terminals, ...shops];
}

export interface Changes {
  began: OpenMatter[];
  ended: ToldMatter[];
  /** Told before, and found again now. */
  seen: ToldMatter[];
  /** Told before, and of a type that is told no more. */
  dropped: ToldMatter[];
}

/**
 * @param told of this endpoint, by id
 * @param isKnown whether a matter that is not found is over: not if its list was cut, or could not be read
 */
export function changesOf(
  told: ReadonlyMap<string, ToldMatter>,
  found: readonly OpenMatter[],
  { settings, isKnown, now }: { settings: AlertSettings; isKnown: (matter: OpenMatter) => boolean; now: number },
): Changes {
  const ids = new Set(found.map(({ matter }) => matter.id));
  const isWanted = ({ type }: OpenMatter): boolean => settings[type] !== null;
  const hasLasted = ({ type, since }: OpenMatter): boolean => now - since >= (settings[type] ?? 0) * MINUTE;
  const isNews = ({ type, since }: OpenMatter): boolean => !type.endsWith(".offline") || now - since < FORGOTTEN;
  const isOver = (one: ToldMatter): boolean => isKnown(one) && now - one.seenAt >= (LINGERS[one.type] ?? 0);
  const wanted = [...told.values()].filter(isWanted);
  const isFound = ({ matter }: OpenMatter): boolean => ids.has(matter.id);
  return {
    began: found.filter((one) => !told.has(one.matter.id) && isWanted(one) && hasLasted(one) && isNews(one)),
    ended: wanted.filter((one) => !isFound(one) && isOver(one)),
    seen: wanted.filter((one) => isFound(one) && one.type in LINGERS),
    dropped: [...told.values()].filter((one) => !isWanted(one)),
  };
}

/**
 * Whether what is not found is over. A list that is cut has the newest terminals, and the oldest payments: nothing is
 * said about others.
 */
export function knownFrom(state: OpenState | null): (matter: OpenMatter) => boolean {
  if (state === null) return () => false;
  const oldest = state.offline.length < SCANNED_ROWS ? -Infinity : (state.offline.at(-1)?.since ?? -Infinity);
  const hasAll = state.unresolved.length < SCANNED_ROWS;
  return ({ type, since }) => (type.startsWith("transaction.") ? hasAll : !type.endsWith(".offline") || since > oldest);
}
