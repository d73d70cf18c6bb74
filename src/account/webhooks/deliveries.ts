/**
 * Delivers in the background: no till or terminal waits for an endpoint, and the alarm awaits nothing. Each endpoint
 * gets one event at a time; `endpoint.ts` decides what its answer means. If the object is reset meanwhile, its alarm
 * wakes it, and it sends the same event again.
 */
import { readMasterKeys } from "../../keys/master-keys.ts";
import { log, logError } from "../../outcomes/log.ts";
import { earliest, type Turns } from "../../objects/turns.ts";
import { DELIVERY_WAIT } from "../../protocol/limits/webhooks.ts";
import { webhookId, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../protocol/webhooks.ts";
import { DELIVERIES_AT_ONCE, DELIVERIES_PAUSE, DELIVERY_MARGIN, NOT_STARTED_RETRY } from "../limits.ts";
import { eventId } from "../storage/events.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import type { AccountStores } from "../stores.ts";
import { tellDisabled } from "./webhooks.ts";
import { type Answered, dueAt, judgeAnswer, type Sent, EndpointSeals } from "./endpoint.ts";
import { within } from "../../bounds/within.ts";
import { createHmac, randomBytes } from "node:crypto";
import { SECOND } from "../../time/units.ts";

interface DeliveriesParts extends Pick<AccountStores, "records" | "webhooks" | "events"> {
  context: Pick<DurableObjectState, "waitUntil">;
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

interface Delivery extends Sent {
  /** As it was when the delivery started. */
  endpoint: Endpoint;
  body: string;
  over: AbortController;
}

export class Deliveries {
  readonly #parts: DeliveriesParts;
  /** By the endpoint's number. */
  readonly #onTheWay = new Map<number, Delivery>();
  readonly #restsUntil = new Map<number, number>();

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
  }

  /** Stops sending to endpoints that have changed, and sends what is due. Called at the end of every turn. */
  start(now: number): void {
    try {
      this.#start(now);
    } catch (error) {
      for (const { id } of this.#parts.webhooks.all) this.#rest(id, now + NOT_STARTED_RETRY);
      logError("webhooks-not-started", error, { account: this.#parts.records.posId });
    }
  }

  #start(now: number): void {
    for (const [id, { generation, over }] of this.#onTheWay) {
      if (this.#parts.webhooks.find(id)?.generation !== generation || !this.#delivers) over.abort();
    }
    for (const endpoint of this.#idle()) {
      const due = this.#dueAt(endpoint);
      if (due === null || due > now) continue;
      const delivery = this.#next(endpoint, now);
      if (delivery !== null) this.#parts.context.waitUntil(this.#deliver(delivery));
      else this.#rest(endpoint.id, now + NOT_STARTED_RETRY);
    }
  }

  /** When to send an event or write an endpoint's progress, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    const { webhooks } = this.#parts;
    // An alarm in case the object is reset during a delivery.
    const resumed = this.#onTheWay.size === 0 ? null : now + DELIVERY_WAIT + DELIVERY_MARGIN;
    return earliest(resumed, webhooks.nextSave, ...this.#idle().map((endpoint) => this.#dueAt(endpoint)));
  }

  /** A suspended account's endpoints wait; a deleted account's get nothing. */
  get #delivers(): boolean {
    return this.#parts.records.record?.status === "active";
  }

  #idle(): Endpoint[] {
    const { webhooks } = this.#parts;
    if (!this.#delivers) return [];
    return webhooks.all.filter(({ id }) => !this.#onTheWay.has(id));
  }

  #dueAt(endpoint: Endpoint): number | null {
    const due = dueAt(endpoint, this.#parts.events.newest);
    return due === null ? null : Math.max(due, this.#restsUntil.get(endpoint.id) ?? 0);
  }

  /** Without this pause, an alarm that cannot do its work would fire again at once, without end. */
  #rest(id: number, until: number): void {
    this.#restsUntil.set(id, until);
  }

  #next(endpoint: Endpoint, now: number): Delivery | null {
    const { id, generation, cursor } = endpoint;
    const [event] = this.#parts.events.bodiesAfter(cursor, 1);
    if (event === undefined) return null;
    const delivery = { ...event, endpoint, generation, cursor, at: now, over: new AbortController() };
    this.#onTheWay.set(id, delivery);
    return delivery;
  }

  /** One wake-up: sends event after event while the endpoint accepts them. */
  async #deliver(first: Delivery): Promise<void> {
    let delivery: Delivery | null = first;
    for (let sent = 1; delivery !== null; sent++) {
      const answered = await this.#send(delivery);
      delivery = this.#complete(delivery, answered, sent < DELIVERIES_AT_ONCE);
    }
  }

  #send({ endpoint, number, body, at, over }: Delivery): Promise<Answered> {
    const { env, records } = this.#parts;
    const { record } = records;
    const keys = readMasterKeys(env.MASTER_KEYS);
    if (record === null || !keys.ok) return UNSENT;
    const seals = new EndpointSeals(keys.value, record.posId);
    const address = seals.open(endpoint, "address");
    const secrets = seals.validSecrets(endpoint, at);
    if (address === null || secrets === null) {
      logError("webhook-not-readable", new Error("no master key opens it"), aboutEndpoint(record, endpoint));
      return UNSENT;
    }
    return post(address, deliveryHeaders(eventId(record.posId, number), body, secrets, at), body, over);
  }

  /**
   * @param more another event may follow in this wake-up
   * @returns the next delivery; null: this wake-up has ended
   */
  #complete(delivery: Delivery, answered: Answered, more: boolean): Delivery | null {
    const { id } = delivery.endpoint;
    this.#onTheWay.delete(id);
    try {
      return this.#parts.turns.take((now) => {
        if (!this.#note(delivery, answered, now)) return null;
        if (!more) this.#rest(id, now + DELIVERIES_PAUSE);
        const endpoint = more && this.#delivers ? this.#parts.webhooks.find(id) : null;
        const isDue = endpoint !== null && dueAt(endpoint, this.#parts.events.newest) !== null;
        return isDue ? this.#next(endpoint, now) : null;
      });
    } catch (error) {
      // The event was not noted as taken: it is sent again.
      this.#onTheWay.delete(id);
      logError("webhook-not-noted", error, { account: this.#parts.records.posId });
      return null;
    }
  }

  /** @returns true if the endpoint has accepted the event */
  #note(delivery: Delivery, answered: Answered, now: number): boolean {
    const { webhooks, records, events } = this.#parts;
    const verdict = judgeAnswer(webhooks.find(delivery.endpoint.id), delivery, answered, now);
    const { record } = records;
    // The suspension ended the call without an answer: nothing is known about the endpoint.
    const isCutOff = answered.status === null && !this.#delivers;
    if (verdict.kind === "stale" || record === null || isCutOff) return false;
    const { endpoint } = verdict;
    if (verdict.kind === "given-up") {
      // Written in the turn of its event: a reset must not enable it and tell the account a second time.
      webhooks.save(endpoint, now);
      tellDisabled({ events }, record, endpoint, now);
    } else webhooks.note(endpoint, now);
    if (verdict.kind === "taken") return true;
    log("warning", "webhook-failed", {
      ...aboutEndpoint(record, endpoint),
      number: delivery.number,
      status: answered.status,
    });
    return false;
  }
}

const UNSENT = Promise.resolve<Answered>({ status: null, milliseconds: 0 });

/** A log line contains an endpoint's name and host only (I6). */
function aboutEndpoint({ posId }: AccountRecord, { id, host }: Endpoint): Record<string, unknown> {
  return { account: posId, webhook: webhookId(id), host };
}

/**
 * The only call of the gateway to an address that someone else chose, and its signature (Standard Webhooks 1.0,
 * "Signature scheme": symmetric, `v1`).
 *
 * Reads only the status of the answer: follows no redirect and drops the body unread, so the body's length and speed do
 * not matter. Ends after `DELIVERY_WAIT`. Never throws: an error's text may contain the address, so it is dropped (I6).
 *
 * @param over aborts the call; always aborted when this returns
 */
export async function post(
  address: string,
  headers: Record<string, string>,
  body: string,
  over: AbortController,
): Promise<Answered> {
  const began = Date.now();
  let status: number | null = null;
  try {
    const call = fetch(address, { method: "POST", headers, body, redirect: "manual", signal: over.signal });
    const response = await within(DELIVERY_WAIT, call);
    response.body?.cancel().catch(() => undefined);
    ({ status } = response);
  } catch {
    // Without a status, the endpoint has not taken it.
  } finally {
    over.abort();
  }
  return { status, milliseconds: Date.now() - began };
}

/** The standard requires at least 24. The hash uses 32. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Every valid secret signs, newest first.
 *
 * @param id the same for each attempt of one event
 * @param now when it is sent, epoch milliseconds
 */
export function deliveryHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / SECOND);
  return {
    "content-type": "application/json",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: String(timestamp),
    [WEBHOOK_HEADERS.signature]: secrets.map((secret) => `v1,${mac(`${id}.${timestamp}.${body}`, secret)}`).join(" "),
  };
}

function mac(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(content, "utf8").digest("base64");
}
