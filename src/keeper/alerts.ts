/**
 * The operators' webhooks: looks once a minute for matters that somebody must look at, as long as an endpoint is
 * enabled. What was told is stored here and not in D1, which may be away or restored. Deliveries are those of accounts.
 */
import { within } from "../bounds/within.ts";
import { Deliveries, type Feed } from "../account/webhooks/deliveries.ts";
import { EndpointSeals, resealedAll } from "../account/webhooks/endpoint.ts";
import { Endpoints } from "../account/webhooks/webhooks.ts";
import type { Endpoint, Webhooks } from "../account/storage/webhooks.ts";
import { troublesOf } from "../account/telling.ts";
import { wavesNow } from "../statistics/waves.ts";
import type { Alert, AlertWebhook } from "../protocol/schemas/alerts.ts";
import { masterKeysOf } from "../keys/master-keys.ts";
import { earliest, type Turns } from "../objects/turns.ts";
import type { Sql } from "../objects/storage/rows.ts";
import { log, logError } from "../outcomes/log.ts";
import { ENDED, OPERATORS } from "../protocol/alerts.ts";
import { type Webhook, webhookId } from "../protocol/webhooks.ts";
import type { PingOutcome } from "../rpc/account.ts";
import type { AlertChange, AlertOutcome } from "../rpc/keeper.ts";
import { audit, type AuditEntry } from "../storage/audit.ts";
import { offlineTerminals, untoldIn, type WebhookAlertCopy, webhookAlertsStatement } from "../storage/overview.ts";
import { oldestUntold, type UntoldSum } from "../storage/objects.ts";
import { lastDayOfService } from "../storage/statistics.ts";
import { listUnresolved } from "../storage/unresolved.ts";
import { SCANNED_ROWS } from "../storage/limits.ts";
import { HOUR, MINUTE } from "../time/units.ts";
import { utc } from "../time/zone.ts";
import { changesOf, knownFrom, openMatters, type OpenMatter, type OpenState } from "./matters.ts";
import { CALL_WAIT } from "./round.ts";
import { AlertStore } from "./storage/alerts.ts";
import type { WatchStore } from "./storage/tables.ts";

const LOOK_EVERY = MINUTE;

interface AlertsParts {
  env: Env;
  context: Pick<DurableObjectState, "waitUntil">;
  turns: Turns;
  sql: Sql;
  store: WatchStore;
  webhooks: Webhooks;
}

export class Alerts {
  readonly #parts: AlertsParts;
  readonly #alerts: AlertStore;
  readonly #deliveries: Deliveries;
  readonly #endpoints: Endpoints;
  #isLooking = false;
  /** Lost with the instance: the next one looks at once. */
  #lookAt = 0;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(parts: AlertsParts) {
    this.#parts = parts;
    this.#alerts = new AlertStore(parts.sql);
    const { store } = parts;
    const feed: Feed = {
      changedBy: "operator",
      about: { account: OPERATORS },
      owner: OPERATORS,
      timezone: "UTC",
      delivers: true,
      newId() {
        const next = store.watch.webhookNumber + 1;
        store.update({ webhookNumber: next });
        return next;
      },
      newest: (id) => this.#alerts.newest(id),
      oldest: (id) => this.#alerts.oldest(id),
      next: ({ id, cursor }) => {
        const alert = this.#alerts.next(id, cursor);
        return alert === null ? null : { ...alert, id: alertId(id, alert.number) };
      },
      // The audit row is written before. D1 is told of troubles with the next look.
      changed: () => undefined,
      givenUp: () => undefined,
    };
    this.#deliveries = new Deliveries({ ...parts, feed });
    this.#endpoints = new Endpoints({ ...parts, feed });
  }

  start(now: number): void {
    this.#deliveries.start(now);
    if (!this.#hasWork || this.#isLooking || now < this.#lookAt) return;
    this.#isLooking = true;
    this.#parts.context.waitUntil(this.#look());
  }

  nextDeadline(now: number): number | null {
    const look = this.#isLooking ? now + LOOK_EVERY : this.#lookAt;
    return earliest(this.#deliveries.nextDeadline(now), this.#hasWork ? look : null);
  }

  /** Without an endpoint, nobody pays for alerts. */
  get #hasWork(): boolean {
    return this.#enabled.length > 0 || JSON.stringify(this.#troubles) !== this.#parts.store.watch.troubles;
  }

  get #enabled(): Endpoint[] {
    return this.#parts.webhooks.all.filter(({ disabledBy }) => disabledBy === null);
  }

  /** Of endpoints that fail, or that failed for too long: what D1 is told. */
  get #troubles(): WebhookAlertCopy[] {
    return troublesOf(this.#parts.webhooks).filter(({ disabledBy }) => disabledBy !== "operator");
  }

  async #look(): Promise<void> {
    const { env, turns } = this.#parts;
    const { DATABASE } = env;
    const alerts = this.#troubles;
    const troubles = JSON.stringify(alerts);
    let state: OpenState | null = null;
    let told = this.#parts.store.watch.troubles;
    try {
      state = await within(CALL_WAIT, readState(DATABASE, Date.now()));
      if (troubles !== told) {
        await within(CALL_WAIT, webhookAlertsStatement(DATABASE, OPERATORS, Date.now(), alerts).run());
        told = troubles;
      }
    } catch (error) {
      log("warning", "matters-not-read", { detail: String(error) });
    }
    this.#isLooking = false;
    this.#lookAt = Date.now() + LOOK_EVERY;
    try {
      turns.take((now) => this.#compare(state, told, now));
    } catch (error) {
      logError("alerts-not-noted", error);
    }
  }

  #compare(state: OpenState | null, troubles: string, now: number): void {
    const { store } = this.#parts;
    const { awaySince: before, kind } = store.watch;
    const awaySince = state === null ? (before ?? now) : null;
    if (awaySince !== before || troubles !== store.watch.troubles) store.update({ awaySince, troubles });
    const found = openMatters(state, awaySince, now);
    // While objects tell a restored D1 what it lacks, nothing that it lacks is over.
    const isKnown = kind === null ? knownFrom(state) : () => false;
    for (const endpoint of this.#enabled) this.#tell(endpoint, found, isKnown, now);
  }

  #tell(endpoint: Endpoint, found: OpenMatter[], isKnown: (matter: OpenMatter) => boolean, now: number): void {
    const { id } = endpoint;
    const alerts = this.#alerts;
    const told = alerts.told(id);
    const changes = changesOf(told, found, { settings: alerts.settings(id), isKnown, now });
    for (const one of changes.dropped) alerts.removeTold(id, one);
    for (const one of changes.seen) alerts.putTold(id, { ...one, seenAt: now });
    for (const one of changes.ended) {
      alerts.removeTold(id, one);
      this.#append(endpoint, { type: `${one.type}${ENDED}`, data: one.matter }, now);
    }
    for (const one of changes.began) {
      alerts.putTold(id, { ...one, seenAt: now });
      this.#append(endpoint, { type: one.type, data: one.matter }, now);
    }
  }

  #append({ id, cursor }: Endpoint, { type, data }: Pick<Alert, "type" | "data">, now: number): void {
    const number = this.#alerts.newest(id) + 1;
    const alert: Alert = { id: alertId(id, number), number, type, timestamp: utc(now), data };
    this.#alerts.append(id, { number, body: JSON.stringify(alert) }, cursor, now);
  }

  list(now: number): AlertWebhook[] {
    const endpoints = this.#endpoints;
    return endpoints.all.map((endpoint) => this.#withSettings(endpoint.id, endpoints.view(endpoint, now)));
  }

  /**
   * One change at a time, each judged, audited and made: what is refused leaves no audit row, and no change is without
   * one. Rejects, and changes nothing, if D1 fails or does not answer.
   */
  change(wanted: AlertChange, entry: AuditEntry): Promise<AlertOutcome> {
    const changed = this.#lastChange.then(async () => {
      const refusal = this.#endpoints.refusalOf(wanted);
      if (refusal !== null) return refusal;
      await within(CALL_WAIT, audit(this.#parts.env.DATABASE, entry).run());
      return this.#change(wanted);
    });
    this.#lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** Looks and delivers at once. */
  #change({ alerts = {}, ...wanted }: AlertChange): AlertOutcome {
    return this.#parts.turns.take((now): AlertOutcome => {
      const outcome = this.#endpoints.change(wanted, now);
      this.#lookAt = 0;
      if (wanted.kind === "remove") this.#alerts.remove(wanted.id);
      if (outcome.kind !== "changed") return outcome;
      const id = wanted.kind === "add" ? this.#parts.store.watch.webhookNumber : wanted.id;
      this.#alerts.setSettings(id, { ...this.#alerts.settings(id), ...alerts });
      return { ...outcome, webhook: this.#withSettings(id, outcome.webhook) };
    });
  }

  ping(id: number, now: number): Promise<PingOutcome> {
    return this.#endpoints.ping(id, now);
  }

  /** Returns the kid of the current master key; null if something cannot be decrypted. */
  reseal(): string | null {
    const { env, turns, webhooks } = this.#parts;
    const keys = masterKeysOf(env);
    const resealed = resealedAll(new EndpointSeals(keys, OPERATORS), webhooks.all);
    if (resealed === null) return null;
    turns.take((now) => {
      for (const endpoint of resealed) webhooks.save(endpoint, now);
    });
    return keys.current.kid;
  }

  #withSettings(id: number, webhook: Webhook): AlertWebhook {
    return { ...webhook, alerts: this.#alerts.settings(id) };
  }
}

/** In the alert and in the headers of its delivery. */
function alertId(endpoint: number, number: number): string {
  return `evt_${webhookId(endpoint)}_${number}`;
}

async function readState(db: D1Database, now: number): Promise<OpenState> {
  const present = Math.floor(now / HOUR);
  const [offline, { rows: unresolved }, untold, tallies] = await Promise.all([
    offlineTerminals(db),
    listUnresolved(db, {}, null, SCANNED_ROWS),
    oldestUntold(db, now).first<UntoldSum>(),
    lastDayOfService(db, present),
  ]);
  return { offline, unresolved, waves: wavesNow(tallies, present), ...untoldIn(untold) };
}
