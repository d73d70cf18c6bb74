/** Every request that was ever sent to a device: under which key and number, to whom, and whether it could be. */
import type { Device } from "./device.ts";
import { Violation, type Oracle } from "./oracle.ts";
import { LANE_AFTER_END, LEFT_WHEN_SENT, SAME_REQUEST, TERMINAL_BEFORE_END } from "./promises.ts";
import { keyOf, type Answer, type DownFrame, type RequestFrame } from "./vocabulary.ts";

export class SentRequests {
  readonly #oracle: Oracle;
  readonly #keys = new Map<number, string>();
  readonly #numbers = new Map<string, number>();
  /** When each key was sent first. */
  readonly #firstSent = new Map<string, number>();
  /** Per key, between which times the requests arrived that may have begun it. */
  readonly #arrivals = new Map<string, { from: number; to: number }[]>();
  readonly #devices = new Map<string, Set<Device>>();
  /** Requests that another device's hello has made the gateway doubt: the lane is free of them. */
  readonly #doubted = new Set<number>();
  /** The end of each request's life. */
  readonly #ends = new Map<number, number>();
  /** Keys that a POS has cancelled: they are never sent (again). */
  readonly #cancelled = new Set<string>();
  /** Those of this very moment: what was sent just before may still be on its way here. */
  readonly #justCancelled = new Set<string>();

  constructor(oracle: Oracle) {
    this.#oracle = oracle;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Their numbers, in the order of their first sending. */
  numbers(): number[] {
    return [...this.#keys.keys()];
  }

  keyOf(requestId: number): string | undefined {
    return this.#keys.get(requestId);
  }

  /** The number under which a key was sent, or null. */
  numberOf = (key: string): number | null => this.#numbers.get(key) ?? null;

  /** The numbers of sales and cashOuts that a device has charged. */
  chargedSales(): number[] {
    const numbers: number[] = [];
    for (const [requestId, key] of this.#keys) {
      const [charge] = this.#oracle.book(key).charges;
      if (charge !== undefined && !charge.reversed && charge.amount !== null) numbers.push(requestId);
    }
    return numbers;
  }

  /** A device that is gone permanently was sent this request, and may hold it. */
  wentToScrapped(key: string): boolean {
    for (const device of this.#devices.get(key) ?? []) if (device.scrapped) return true;
    return false;
  }

  /** A request that may begin a transaction; a Worker's clock that is ahead does not lengthen its life. */
  asked(key: string, arrivedAt: number, now: number): void {
    const arrivals = this.#arrivals.get(key) ?? [];
    this.#arrivals.set(key, [...arrivals, { from: Math.min(arrivedAt, now), to: arrivedAt }]);
  }

  /** A request was answered: one that is more than a day old is refused when it is repeated, whatever its outcome. */
  repeated(key: string, answer: Answer, askedAt: number): void {
    const first = this.#firstSent.get(key);
    if (answer.kind === "refused" || first === undefined || askedAt - first <= SAME_REQUEST) return;
    throw new Violation("I3", `${key} was sent at ${first}, and is joined or replayed when asked at ${askedAt}`);
  }

  cancelled(key: string): void {
    this.#justCancelled.add(key);
  }

  /** What was set off has come to rest. */
  atRest(): void {
    for (const key of this.#justCancelled) this.#cancelled.add(key);
    this.#justCancelled.clear();
  }

  /** The cancel was refused: it says nothing. */
  notCancelled(key: string): void {
    this.#cancelled.delete(key);
    this.#justCancelled.delete(key);
  }

  /** This device says hello: what another one was sent is in doubt. */
  helloOf(device: Device): void {
    for (const [requestId, key] of this.#keys) {
      const devices = this.#devices.get(key);
      if (devices !== undefined && (!devices.has(device) || devices.size > 1)) this.#doubted.add(requestId);
    }
  }

  /** The operator has resolved this request: a device must not have it in hand, within its time and without a doubt. */
  decided(requestId: number, now: number): void {
    const key = this.keyOf(requestId);
    if (key === undefined || this.#doubted.has(requestId) || now >= (this.#ends.get(requestId) ?? 0)) return;
    for (const { held } of this.#devices.get(key) ?? []) {
      const one = held.get(requestId);
      if (one !== undefined && one.result === null && !one.said22) {
        throw new Violation("I2", `the operator resolves ${key}, which its terminal has in hand`);
      }
    }
  }

  /** Judges a request that is sent to this device, after what is already in transit to it. */
  send(device: Device, onTheWay: readonly DownFrame[], frame: RequestFrame, now: number, life: number): void {
    const { requestId, posId, referenceId } = frame;
    const key = keyOf(posId, referenceId);
    const before = this.#keys.get(requestId) ?? key;
    if (before !== key) throw new Violation("I1", `${requestId} is ${before} and ${key}`);
    const number = this.#numbers.get(key) ?? requestId;
    if (number !== requestId) throw new Violation("I1", `${key} is sent as ${number} and as ${requestId}`);
    this.#keys.set(requestId, key);
    this.#numbers.set(key, requestId);
    this.#ends.set(requestId, frame.respondBy + TERMINAL_BEFORE_END);
    if (!this.#firstSent.has(key)) this.#firstSent.set(key, now);
    this.#mustBeInTime(key, frame, now, life);
    const devices = this.#devices.get(key) ?? new Set();
    this.#devices.set(key, devices.add(device));
    for (const { request, result, said22 } of device.held.values()) {
      if (result === null && !said22) this.#mustNotOverlap(request, frame, now);
    }
    for (const other of onTheWay) {
      if (other.type === "request" && other.requestId > device.highest) this.#mustNotOverlap(other, frame, now);
    }
    if (this.#cancelled.has(key)) throw new Violation("I2", `${key} is sent although it was cancelled`);
    const { final, operator } = this.#oracle.book(key);
    if (operator !== null) throw new Violation("I2", `${key} is sent although the operator has resolved it`);
    const shown = final?.statusCode;
    if (shown !== undefined) throw new Violation("I2", `${key} is sent although ${shown} was shown`);
  }

  /** Its life counts from its arrival, and what is left of it is enough. */
  #mustBeInTime(key: string, { deliverBy, respondBy }: RequestFrame, now: number, life: number): void {
    const end = respondBy + TERMINAL_BEFORE_END;
    const arrivals = this.#arrivals.get(key) ?? [];
    if (!arrivals.some(({ from, to }) => from + life <= end && end <= to + life)) {
      throw new Violation("times", `${key} ends at ${end}, which is ${life} after none of ${JSON.stringify(arrivals)}`);
    }
    if (end - now < LEFT_WHEN_SENT) throw new Violation("times", `${key} is sent ${end - now} ms before its end`);
    if (deliverBy > respondBy) throw new Violation("times", `${key} may be read after it must be answered`);
  }

  /** I5: nothing is sent to a device that has another request to work on, within that one's time. */
  #mustNotOverlap(other: RequestFrame, frame: RequestFrame, now: number): void {
    if (other.requestId === frame.requestId || this.#doubted.has(other.requestId)) return;
    if (now >= other.respondBy + TERMINAL_BEFORE_END + LANE_AFTER_END) return;
    // What the operator has resolved no longer has the lane, whatever the device does.
    if (this.#oracle.book(keyOf(other.posId, other.referenceId)).operator !== null) return;
    throw new Violation("I5", `${frame.requestId} is sent while ${other.requestId} has the lane`);
  }
}
