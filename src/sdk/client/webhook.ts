/**
 * The receiving end of a webhook, in any JavaScript runtime: verifies deliveries, and passes each event on once, in order.
 *
 * ```ts
 * const receiver = new WebhookReceiver({ secret, last: await books.last(), onEvent: (event) => books.add(event) });
 * // in your HTTP server, for every POST; of a Request, pass request.body
 * const { status } = await receiver.receive(request.headers, request);
 * ```
 */
import type { AccountEvent } from "../../protocol/events.ts";
import { checkOptions, func, wholeNumberOption, optionalOption, type Checks } from "./check-options.ts";
import { WEBHOOK_TOLERANCE } from "../../protocol/limits.ts";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../protocol/webhooks.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Maximum size of a webhook's body. Events are far smaller; anybody can post to the address. */
const WEBHOOK_BODY_BYTES = 1024 * 1024;

export type { AccountEvent } from "../../protocol/events.ts";

export interface WebhookReceiverOptions {
  /** `whsec_…`, as the gateway has shown it once. Two while you replace one. */
  secret: string | readonly string[];
  /**
   * The number of the last event that you have processed; 0: none. Store it together with the results of the events.
   */
  last: number;
  /**
   * The next event waits until this one is processed. If it throws, the gateway sends the event again. Ignore types
   * that you do not know.
   */
  onEvent: (event: AccountEvent) => void | Promise<void>;
  /** Must be right within 5 minutes. */
  now?: (() => EpochMs) | undefined;
}

/** As `fetch` has them, or as Node has them: lower-case names. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The body exactly as it came: the bytes, the text, or the stream, of which at most 1 MiB is read: a request of Node,
 * or the `body` of a `Request`.
 */
export type WebhookBody = Uint8Array | string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/**
 * With `no-signature`, a header is missing. With `wrong-signature`, no signature matches a secret and these bytes. With
 * `too-old`, the timestamp is more than five minutes from this machine's clock: set the clock, or someone sends an old
 * delivery.
 */
export type DeliveryMistake = "no-signature" | "wrong-signature" | "too-old";

/** The status to answer, and why. */
export type Reception =
  /** `onEvent` has processed it. */
  | { kind: "taken"; status: 204; number: number }
  /** It was processed before: the gateway delivers at least once. */
  | { kind: "known"; status: 204; number: number }
  | { kind: "ping"; status: 204 }
  /** It is not from the gateway, not for this endpoint, or too old. */
  | { kind: "refused"; status: 401; mistake: DeliveryMistake }
  /** A body of more than 1 MiB is not from the gateway. The rest was not read. */
  | { kind: "too-large"; status: 413 }
  /** `onEvent` threw, the body broke off, or it is not an event. The gateway sends it again. */
  | { kind: "failed"; status: 500; error: unknown };

const LAST = "the number of the last event that you have processed; 0 if there is none";

const OPTIONS: Checks<WebhookReceiverOptions> = {
  secret: (value) => {
    const secrets = [value].flat();
    if (secrets.length > 0 && secrets.every(isWebhookSecret)) return null;
    return "is not a webhook's secret. Pass whsec_ and base64, as the gateway has shown it.";
  },
  last: wholeNumberOption(LAST),
  onEvent: func("a function that processes an event"),
  now: optionalOption(func("a function like Date.now, or omit it")),
};

export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions;
  readonly #secrets: readonly string[];
  #last: number;
  /** Deliveries are handled one at a time: two with the same number at once would both look new. */
  #before: Promise<unknown> = Promise.resolve();

  /** Throws a TypeError that names every missing or invalid option. */
  constructor(options: WebhookReceiverOptions) {
    checkOptions("WebhookReceiver", options, OPTIONS);
    const { secret, last } = options;
    this.#options = options;
    this.#secrets = [secret].flat();
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  /**
   * Takes one delivery. Never throws.
   *
   * @param body not parsed and written again, which would not verify
   */
  async receive(headers: WebhookHeaders, body: WebhookBody): Promise<Reception> {
    let bytes: Uint8Array | null;
    try {
      bytes = Number(readHeader(headers, "content-length")) > WEBHOOK_BODY_BYTES ? null : await readBody(body);
    } catch (error) {
      return { kind: "failed", status: 500, error };
    }
    if (bytes === null) return { kind: "too-large", status: 413 };
    const now = (this.#options.now ?? Date.now)();
    const mistake = await deliveryMistake(this.#secrets, headers, bytes, now);
    if (mistake !== null) return { kind: "refused", status: 401, mistake };
    const mine = this.#before.then(() => this.#work(bytes));
    this.#before = mine;
    return mine;
  }

  async #work(body: Uint8Array): Promise<Reception> {
    try {
      const event = JSON.parse(new TextDecoder().decode(body)) as AccountEvent | { type: "ping"; number?: undefined };
      if (event.type === "ping") return { kind: "ping", status: 204 };
      const { number } = event;
      if (number <= this.#last) return { kind: "known", status: 204, number };
      await this.#options.onEvent(event);
      this.#last = number;
      return { kind: "taken", status: 204, number };
    } catch (error) {
      return { kind: "failed", status: 500, error };
    }
  }
}

/** Verifies as in Standard Webhooks 1.0. Returns null if one of the secrets matches. */
async function deliveryMistake(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: Uint8Array,
  now: EpochMs,
): Promise<DeliveryMistake | null> {
  const id = readHeader(headers, WEBHOOK_HEADERS.id);
  const timestamp = readHeader(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = readHeader(headers, WEBHOOK_HEADERS.signature);
  if (id === null || timestamp === null || signatures === null || !/^[0-9]{1,12}$/.test(timestamp))
    return "no-signature";
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const macs = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? [decodeBase64(one.slice(3))] : []));
  for (const secret of secrets) {
    const key = await importKey(secret);
    for (const mac of macs) {
      if (mac === null || !(await crypto.subtle.verify("HMAC", key, mac, content))) continue;
      return Math.abs(Number(timestamp) * 1_000 - now) > WEBHOOK_TOLERANCE ? "too-old" : null;
    }
  }
  return "wrong-signature";
}

/** Null as soon as there is too much. */
async function readBody(body: WebhookBody): Promise<Uint8Array | null> {
  if (typeof body === "string") return readBody(new TextEncoder().encode(body));
  if (body instanceof Uint8Array) return body.length > WEBHOOK_BODY_BYTES ? null : body;
  const chunks = "getReader" in body ? readChunks(body) : body;
  // Not for…of, whose end would break Node's connection before it has answered.
  const reading = chunks[Symbol.asyncIterator]();
  let [bytes, length] = [new Uint8Array(4096), 0];
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) {
    const after = length + next.value.length;
    if (after > WEBHOOK_BODY_BYTES) return null;
    // Doubled, so that many small chunks are not copied again for each.
    if (after > bytes.length) bytes = joined(bytes, new Uint8Array(Math.max(after, bytes.length)));
    bytes.set(next.value, length);
    length = after;
  }
  return bytes.subarray(0, length);
}

/** Not every runtime can iterate over a stream. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** A secret is `whsec_` and base64 of at least 24 bytes. */
function isWebhookSecret(secret: unknown): secret is string {
  if (typeof secret !== "string" || !secret.startsWith(WEBHOOK_SECRET_PREFIX)) return false;
  const bytes = decodeBase64(secret.slice(WEBHOOK_SECRET_PREFIX.length));
  return bytes !== null && bytes.length >= 24;
}

function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.slice(WEBHOOK_SECRET_PREFIX.length)) ?? new Uint8Array(1);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Returns null for invalid base64. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(before.length + after.length);
  whole.set(before);
  whole.set(after, before.length);
  return whole;
}
