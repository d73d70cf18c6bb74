/**
 * Delivers in the background: no POS or terminal waits for an endpoint, and the alarm awaits nothing. Each endpoint
 * gets one event at a time; `endpoint.ts` decides what its answer means. If the object is reset meanwhile, its alarm
 * wakes it, and it sends the same event again.
 */
import { readMasterKeys } from "../../secrets/master-keys.ts";
import { log, logError } from "../../lib/log.ts";
import { earliest, type Schedule, type Turns } from "../../durable/turns.ts";
import { DELIVERY_WAIT } from "../../../protocol/limits.ts";
import { readWebhookId } from "../../../protocol/webhooks.ts";
import { eventId } from "../storage/events.ts";
import type { AccountTables } from "../storage/tables.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { type Answered, dueAt, judgeAnswer, type Sent, EndpointSeals } from "./endpoint.ts";
import { reportDisabled } from "./endpoints.ts";
import { deliveryHeaders, post } from "./sending.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";

/**
 * One wake-up delivers at most this many events to an endpoint. The platform limits the subrequests of an invocation
 * (1,000, https://developers.cloudflare.com/workers/platform/limits/); the next wake-up is an alarm, which is a new
 * invocation.
 */
export const DELIVERIES_AT_ONCE = 50;

/** The pause between two such wake-ups. */
export const DELIVERIES_PAUSE = SECOND / 10;

/** The alarm that resumes a delivery after a reset comes this much later than the call's timeout. */
export const DELIVERY_MARGIN = SECOND;

/** Another attempt to start deliveries follows after this time. */
export const NOT_STARTED_RETRY = 5 * SECOND;

interface DeliveriesParts {
  tables: Pick<AccountTables, "records" | "events" | "webhooks">;
  state: Pick<DurableObjectState, "waitUntil">;
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

interface Delivery extends Sent {
  /** The endpoint as it was when the delivery started. */
  endpoint: Endpoint;
  id: string;
  body: string;
  over: AbortController;
}

export class Deliveries implements Schedule {
  readonly #parts: DeliveriesParts;
  /** Deliveries by the endpoint's number. */
  readonly #onTheWay = new Map<number, Delivery>();
  readonly #restsUntil = new Map<number, number>();
  /** Whether a delivery has ended since the last look: its endpoint may get more. */
  #hasEnded = false;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
  }

  hasChanged(): boolean {
    const { records, events, webhooks } = this.#parts.tables;
    return this.#hasEnded || records.isChanged || events.isChanged || webhooks.isChanged;
  }

  /** Stops sending to endpoints that have changed, and sends what is due. */
  startDue(now: EpochMs): number | null {
    try {
      this.#start(now);
      this.#hasEnded = false;
    } catch (error) {
      for (const { id } of this.#parts.tables.webhooks.all) this.#rest(id, now + NOT_STARTED_RETRY);
      logError("webhooks_not_started", error, this.#about);
    }
    // The alarm serves an object that is reset during a delivery.
    const resumed = this.#onTheWay.size === 0 ? null : now + DELIVERY_WAIT + DELIVERY_MARGIN;
    return earliest(resumed, ...this.#idle().map((endpoint) => this.#dueAt(endpoint)));
  }

  #start(now: EpochMs): void {
    const { webhooks } = this.#parts.tables;
    for (const [id, { generation, over }] of this.#onTheWay) {
      if (webhooks.find(id)?.generation !== generation || !this.#delivers) over.abort();
    }
    for (const endpoint of this.#idle()) {
      const due = this.#dueAt(endpoint);
      if (due === null || due > now) continue;
      const delivery = this.#prepare(endpoint, now);
      if (delivery !== null) this.#parts.state.waitUntil(this.#deliver(delivery));
    }
  }

  /** A suspended account's endpoints wait; a deleted account's get nothing. Most accounts never had an endpoint. */
  get #delivers(): boolean {
    const { record } = this.#parts.tables.records;
    return record !== null && record.status === "active" && record.webhookNumber > 0;
  }

  /** Identifies the account in log lines. */
  get #about(): Record<string, unknown> {
    return { account: this.#parts.tables.records.posId };
  }

  #idle(): Endpoint[] {
    if (!this.#delivers) return [];
    return this.#parts.tables.webhooks.all.filter(({ id }) => !this.#onTheWay.has(id));
  }

  #dueAt(endpoint: Endpoint): number | null {
    const due = dueAt(endpoint, this.#parts.tables.events.newest);
    return due === null ? null : Math.max(due, this.#restsUntil.get(endpoint.id) ?? 0);
  }

  /** Without this pause, an alarm that cannot do its work would fire again immediately, without end. */
  #rest(id: number, until: EpochMs): void {
    this.#restsUntil.set(id, until);
  }

  #prepare(endpoint: Endpoint, now: EpochMs): Delivery | null {
    const { id, generation, cursor } = endpoint;
    const { records, events } = this.#parts.tables;
    const [event] = events.bodiesAfter(cursor, 1);
    if (event === undefined) return null;
    const { number, body } = event;
    const over = new AbortController();
    const delivery = { id: eventId(records.posId, number), number, body, endpoint, generation, cursor, at: now, over };
    this.#onTheWay.set(id, delivery);
    return delivery;
  }

  /** Delivers one wake-up's events, one after another, while the endpoint accepts them. */
  async #deliver(first: Delivery): Promise<void> {
    let delivery: Delivery | null = first;
    for (let sent = 1; delivery !== null; sent++) {
      const answered = await this.#send(delivery);
      delivery = this.#complete(delivery, answered, sent < DELIVERIES_AT_ONCE);
    }
  }

  #send({ endpoint, id, body, at, over }: Delivery): Promise<Answered> {
    const { env, tables } = this.#parts;
    const keys = readMasterKeys(env.MASTER_KEYS);
    if (!keys.ok) return UNSENT;
    const seals = new EndpointSeals(keys.value, tables.records.posId);
    const address = seals.open(endpoint, "address");
    const secrets = seals.validSecrets(endpoint, at);
    if (address === null || secrets === null) {
      logError("webhook_secret_not_decrypted", new Error("no master key opens it"), this.#aboutEndpoint(endpoint));
      return UNSENT;
    }
    return post(address, deliveryHeaders(id, body, secrets, at), body, over);
  }

  /**
   * @param more another event may follow in this wake-up
   * @returns the next delivery; null: this wake-up has ended
   */
  #complete(delivery: Delivery, answered: Answered, more: boolean): Delivery | null {
    const { id } = delivery.endpoint;
    this.#onTheWay.delete(id);
    this.#hasEnded = true;
    try {
      return this.#parts.turns.take((now) => {
        if (!this.#note(delivery, answered, now)) return null;
        if (!more) this.#rest(id, now + DELIVERIES_PAUSE);
        const { webhooks, events } = this.#parts.tables;
        const endpoint = more && this.#delivers ? webhooks.find(id) : null;
        const isDue = endpoint !== null && dueAt(endpoint, events.newest) !== null;
        return isDue ? this.#prepare(endpoint, now) : null;
      });
    } catch (error) {
      // The event was not recorded as taken, so it is sent again.
      this.#onTheWay.delete(id);
      logError("webhook_result_not_stored", error, this.#about);
      return null;
    }
  }

  /** @returns true if the endpoint has accepted the event */
  #note(delivery: Delivery, answered: Answered, now: EpochMs): boolean {
    const { records, webhooks, events } = this.#parts.tables;
    const { record } = records;
    const verdict = judgeAnswer(webhooks.find(delivery.endpoint.id), delivery, answered, now);
    // The suspension ended the call without an answer, so it proves nothing about the endpoint.
    const isCutOff = answered.status === null && !this.#delivers;
    if (verdict.kind === "stale" || record === null || isCutOff) return false;
    const { endpoint } = verdict;
    webhooks.save(endpoint);
    if (verdict.kind === "given-up") reportDisabled(events, record, endpoint, now);
    if (verdict.kind === "taken") return true;
    log("warning", "webhook_delivery_failed", {
      ...this.#aboutEndpoint(endpoint),
      number: delivery.number,
      status: answered.status,
    });
    return false;
  }

  /** A log line contains an endpoint's name and host only (I6). */
  #aboutEndpoint({ id, host }: Endpoint): Record<string, unknown> {
    return { ...this.#about, webhook: readWebhookId(id), host };
  }
}

const UNSENT = Promise.resolve<Answered>({ status: null, milliseconds: 0 });
