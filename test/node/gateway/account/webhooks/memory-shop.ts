/** An account with webhook endpoints on Node: its turns, its alarm and its deliveries, without the object around them. */
import { afterEach, beforeEach, vi } from "vitest";
import { eventId } from "../../../../../src/gateway/account/storage/events.ts";
import { type Endpoint, Webhooks } from "../../../../../src/gateway/account/storage/webhooks.ts";
import type { SignedCall, WebhookChange, WebhookOutcome } from "../../../../../src/gateway/account/rpc.ts";
import { judgeCall } from "../../../../../src/gateway/account/admission.ts";
import { Deliveries } from "../../../../../src/gateway/account/webhooks/deliveries.ts";
import { Endpoints } from "../../../../../src/gateway/account/webhooks/endpoints.ts";
import { Turns } from "../../../../../src/gateway/durable/turns.ts";
import type { Webhook } from "../../../../../src/protocol/webhooks.ts";
import { AccountParts, MASTER_KEYS, MASTER_KEYS_TEXT } from "../parts.ts";

export const ADDRESS = "https://books.example.com/hooks/payments";
export const NOON = Date.parse("2031-05-10T12:00:00+08:00");

/** How many rounds of the event loop all deliveries may take: nothing here waits for anything else. */
const ROUNDS = 1_000;

const MOST_LINES = 1_000;

/** Each test begins at noon. Time passes only where a test says so. */
export function useNoon(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: NOON });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** What is logged from now on, until the test ends. */
export function logged(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      if (lines.length === MOST_LINES) throw new Error("the log has no end");
    });
  }
  return lines;
}

export class MemoryShop {
  readonly parts = new AccountParts();
  readonly env = { MASTER_KEYS: MASTER_KEYS_TEXT };
  readonly #work = new Set<Promise<void>>();
  instance = this.#started();

  /** A shop with one endpoint, `wh_1`, and its secret. */
  static withEndpoint(): { shop: MemoryShop; secret: string } {
    const shop = new MemoryShop();
    return { shop, secret: shop.add() };
  }

  #started() {
    const { parts, env } = this;
    const { storage, records, events, outbox } = parts;
    const webhooks = new Webhooks(parts.sql);
    const tables = { records, events, outbox, webhooks };
    const turns: Turns = new Turns({
      storage,
      participants: [records, events, webhooks],
      schedules: () => [deliveries],
    });
    const waitUntil = (work: Promise<unknown>): void => {
      const done: Promise<void> = work.then(() => void this.#work.delete(done));
      this.#work.add(done);
    };
    const deliveries: Deliveries = new Deliveries({ state: { waitUntil }, env, tables, turns });
    const endpoints = new Endpoints(tables, env);
    turns.alarmIsAt(storage.kept.alarm);
    return { webhooks, turns, deliveries, endpoints };
  }

  /** The object starts again: its memory is lost, and with it what it was doing. */
  reset(): void {
    this.#work.clear();
    this.instance = this.#started();
  }

  /** The object has lost the row of its account, and no other. */
  loseAccount(): void {
    this.parts.sql.exec("DELETE FROM account");
    this.parts.records.forget();
  }

  call(changes: Partial<SignedCall> = {}): SignedCall {
    const { sessionId, posId, signedForm, signature } = this.parts.question();
    return { sessionId, posId, datetime: Date.now(), nonce: crypto.randomUUID(), signedForm, signature, ...changes };
  }

  change(change: WebhookChange, call: Partial<SignedCall> = {}): WebhookOutcome {
    const { turns, endpoints } = this.instance;
    return turns.take((now) => {
      const verdict = judgeCall(this.parts, MASTER_KEYS, this.call(call), now);
      return verdict.kind === "good" ? endpoints.change(change, now) : verdict;
    });
  }

  must(change: WebhookChange): { webhook: Webhook; secret?: string } {
    const outcome = this.change(change);
    if (outcome.kind !== "changed") throw new Error(`not changed: ${outcome.kind}`);
    return outcome;
  }

  /** @returns the new endpoint's secret */
  add(url: string = ADDRESS): string {
    return this.must({ kind: "add", url }).secret ?? "";
  }

  /** Records this many sales in one turn. */
  sell(many = 1): void {
    const { parts } = this;
    this.instance.turns.take((now) => {
      parts.now = now;
      parts.recordAll(...Array.from({ length: many }, () => parts.entry(crypto.randomUUID())));
    });
  }

  endpoint(id = 1): Endpoint {
    const endpoint = this.instance.webhooks.find(id);
    if (endpoint === null) throw new Error(`there is no wh_${id}`);
    return endpoint;
  }

  /** The body of an event and its id in the headers. */
  event(number: number) {
    const { events, record } = this.parts;
    return { body: events.body(number), id: eventId(record.posId, number) };
  }

  get alarm(): number | null {
    return this.parts.storage.kept.alarm;
  }

  /** The alarm goes off at its time. */
  async ring(): Promise<void> {
    const { storage } = this.parts;
    if (storage.kept.alarm === null) throw new Error("no alarm is set");
    vi.setSystemTime(Math.max(storage.kept.alarm, Date.now()));
    storage.kept.alarm = null;
    this.instance.turns.takeAlarm(() => undefined);
    await this.rest();
  }

  /** Time passes, and the alarm goes off at each of its times. */
  async pass(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds;
    for (let rings = 0; this.alarm !== null && this.alarm <= until; rings++) {
      if (rings === ROUNDS) throw new Error("the alarm goes off without end");
      await this.ring();
    }
    vi.setSystemTime(until);
  }

  /** Waits until nothing is on its way. */
  async rest(): Promise<void> {
    for (let round = 0; this.#work.size > 0; round++) {
      if (round === ROUNDS) throw new Error("a delivery does not end");
      await Promise.race([...this.#work, new Promise((resolve) => void setImmediate(resolve))]);
    }
  }
}
