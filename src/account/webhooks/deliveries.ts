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
import type { Endpoint, Webhooks } from "../storage/webhooks.ts";
import { type Answered, dueAt, judgeAnswer, type Sent, EndpointSeals } from "./endpoint.ts";
import { within } from "../../bounds/within.ts";
import type { AuditEntry } from "../../storage/audit.ts";
import { createHmac, randomBytes } from "node:crypto";
import { SECOND } from "../../time/units.ts";

/** Whose endpoints these are, and what they get. */
export interface Feed {
  /** For log lines. */
  about: Record<string, unknown>;
  /** What addresses and secrets are sealed for (`EndpointSeals`); null: there is nobody. */
  owner: string | null;
  /** Of the times that the owner sees. */
  timezone: string;
  /** A suspended account's endpoints wait; a deleted account's get nothing. */
  delivers: boolean;
  /** For a new endpoint: never given before. */
  newId: () => number;
  /** The newest number of an endpoint, and the oldest that is kept; 0: none. */
  newest: (id: number) => number;
  oldest: (id: number) => number;
  /** The first event after the endpoint's cursor, as the text to deliver. */
  next: (endpoint: Endpoint) => { id: string; number: number; body: string } | null;
  /** In the turn of the owner's change. */
  changed: (endpoint: Endpoint, noted: Pick<AuditEntry, "action" | "details">, now: number) => void;
  /** In the turn that disables the endpoint. */
  givenUp: (endpoint: Endpoint, now: number) => void;
}

interface DeliveriesParts {
  feed: Feed;
  webhooks: Webhooks;
  context: Pick<DurableObjectState, "waitUntil">;
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

interface Delivery extends Sent {
  /** As it was when the delivery started. */
  endpoint: Endpoint;
  id: string;
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
      logError("webhooks-not-started", error, this.#parts.feed.about);
    }
  }

  #start(now: number): void {
    for (const [id, { generation, over }] of this.#onTheWay) {
      if (this.#parts.webhooks.find(id)?.generation !== generation || !this.#parts.feed.delivers) over.abort();
    }
    for (const endpoint of this.#idle()) {
      const due = this.#dueAt(endpoint);
      if (due === null || due > now) continue;
      const delivery = this.#next(endpoint, now);
      if (delivery !== null) this.#parts.context.waitUntil(this.#deliver(delivery));
    }
  }

  /** When to send an event, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    // An alarm in case the object is reset during a delivery.
    const resumed = this.#onTheWay.size === 0 ? null : now + DELIVERY_WAIT + DELIVERY_MARGIN;
    return earliest(resumed, ...this.#idle().map((endpoint) => this.#dueAt(endpoint)));
  }

  #idle(): Endpoint[] {
    const { webhooks, feed } = this.#parts;
    if (!feed.delivers) return [];
    return webhooks.all.filter(({ id }) => !this.#onTheWay.has(id));
  }

  #dueAt(endpoint: Endpoint): number | null {
    const due = dueAt(endpoint, this.#parts.feed.newest(endpoint.id));
    return due === null ? null : Math.max(due, this.#restsUntil.get(endpoint.id) ?? 0);
  }

  /** Without this pause, an alarm that cannot do its work would fire again at once, without end. */
  #rest(id: number, until: number): void {
    this.#restsUntil.set(id, until);
  }

  #next(endpoint: Endpoint, now: number): Delivery | null {
    const { id, generation, cursor } = endpoint;
    const event = this.#parts.feed.next(endpoint);
    if (event === null) return null;
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

  #send({ endpoint, id, body, at, over }: Delivery): Promise<Answered> {
    const { env, feed } = this.#parts;
    const keys = readMasterKeys(env.MASTER_KEYS);
    if (feed.owner === null || !keys.ok) return UNSENT;
    const seals = new EndpointSeals(keys.value, feed.owner);
    const address = seals.open(endpoint, "address");
    const secrets = seals.validSecrets(endpoint, at);
    if (address === null || secrets === null) {
      logError("webhook-not-readable", new Error("no master key opens it"), this.#about(endpoint));
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
    try {
      return this.#parts.turns.take((now) => {
        if (!this.#note(delivery, answered, now)) return null;
        if (!more) this.#rest(id, now + DELIVERIES_PAUSE);
        const { webhooks, feed } = this.#parts;
        const endpoint = more && feed.delivers ? webhooks.find(id) : null;
        const isDue = endpoint !== null && dueAt(endpoint, feed.newest(id)) !== null;
        return isDue ? this.#next(endpoint, now) : null;
      });
    } catch (error) {
      // The event was not noted as taken: it is sent again.
      this.#onTheWay.delete(id);
      logError("webhook-not-noted", error, this.#parts.feed.about);
      return null;
    }
  }

  /** @returns true if the endpoint has accepted the event */
  #note(delivery: Delivery, answered: Answered, now: number): boolean {
    const { webhooks, feed } = this.#parts;
    const verdict = judgeAnswer(webhooks.find(delivery.endpoint.id), delivery, answered, now);
    // The suspension ended the call without an answer: nothing is known about the endpoint.
    const isCutOff = answered.status === null && !feed.delivers;
    if (verdict.kind === "stale" || feed.owner === null || isCutOff) return false;
    const { endpoint } = verdict;
    webhooks.save(endpoint);
    if (verdict.kind === "given-up") feed.givenUp(endpoint, now);
    if (verdict.kind === "taken") return true;
    log("warning", "webhook-failed", {
      ...this.#about(endpoint),
      number: delivery.number,
      status: answered.status,
    });
    return false;
  }

  /** A log line contains an endpoint's name and host only (I6). */
  #about({ id, host }: Endpoint): Record<string, unknown> {
    return { ...this.#parts.feed.about, webhook: webhookId(id), host };
  }
}

const UNSENT = Promise.resolve<Answered>({ status: null, milliseconds: 0 });

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
