/** Logins and password hashes take turns in an isolate, so that payments come first. */
import { BoundedMap } from "../bounds/bounded-map.ts";
import { type Caller, FairQueue } from "../bounds/fair-queue.ts";
import { hashGate } from "../keys/passwords.ts";
import { BUSY_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import { err, ok, type Result } from "../outcomes/result.ts";
import { SECOND } from "../time/units.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";
import { addressOf, isUsedUp, type RateCheck } from "./rate-limit.ts";

/**
 * All tills of a chain log in after midnight. A login takes about five milliseconds of CPU, so two thirds of the
 * isolate's time are left for payments. The last waiting call begins after four seconds.
 */
const logins = new FairQueue({ apart: 16, atOnce: Infinity, waiting: 250, abandonedAfter: 2 * SECOND });

/**
 * Callers with too many wrong messages wait here: the right one among them still gets its turn, and the others seldom
 * wake an object.
 */
const suspects = new FairQueue({ apart: 250, atOnce: Infinity, waiting: 16, abandonedAfter: 2 * SECOND });

/** A caller expects its answer within 8 seconds. Work that would end later does not begin. */
const DONE_WITHIN = 7 * SECOND;
/** For an operator's own change, which no time limit ends. */
const OPERATOR_WITHIN = 30 * SECOND;

const TOO_MANY_PASSWORDS = "too many passwords at once";

type InTurn = Pick<RequestContext, "get" | "req">;

const familiar = new BoundedMap<string, true>(10_000);

/** @param name of the account or terminal, as the message states it: unverified */
export function callerOf(c: InTurn, name: string): Caller {
  const address = addressOf(c);
  return {
    address,
    name,
    familiar: familiar.get(`${address} ${name}`) === true,
    until: performance.now() + DONE_WITHIN,
    signal: c.req.raw.signal,
  };
}

/** Call this only after the caller has proved who it is. */
export function noteFamiliar({ address, name }: Caller): void {
  familiar.set(`${address} ${name}`, true);
}

/** An operator's change goes ahead of every login. */
export function operatorCaller(c: InTurn, name: string): Caller {
  const until = performance.now() + OPERATOR_WITHIN;
  return { address: "operator", name, urgent: true, until, signal: c.req.raw.signal };
}

/**
 * Waits for the turn to verify a signed message or a login. Returns 429 if too many wait; null: the work may start.
 *
 * @param failures the limits that count the caller's failures
 */
export async function waitForTurn(c: InTurn, caller: Caller, failures: RateCheck[]): Promise<Refusal | null> {
  const queue = isUsedUp(failures) ? suspects : logins;
  const turn = await queue.run(caller, () => Promise.resolve());
  return turn.ok ? null : comeBack(c, "too many logins at once");
}

/** The refusal of a password for which the queue has no place; null: there is a place. */
export function refusedHash(c: InTurn, { address }: Caller): Refusal | null {
  return hashGate.isFullFor(address) ? comeBack(c, TOO_MANY_PASSWORDS) : null;
}

/**
 * Hashes or verifies a password in turn. Returns 429 if too many wait or the work is not done in time.
 *
 * @param work awaits `pause` between its pieces: the isolate can do nothing else during a piece
 */
export async function hashInTurn<T>(
  c: InTurn,
  caller: Caller,
  work: (pause: () => Promise<void>) => Promise<T>,
): Promise<Result<T, Refusal>> {
  const done = await hashGate.run(caller, work);
  const isLate = performance.now() > caller.until;
  return done.ok && !isLate ? ok(done.value) : err(comeBack(c, TOO_MANY_PASSWORDS));
}

function comeBack(c: InTurn, reason: string): Refusal {
  c.get("facts").reason = reason;
  return { kind: "rate_limit_exceeded", retryAfterSeconds: BUSY_RETRY_SECONDS };
}
