/** Work that an isolate does in turn so that payments come first: logins and password hashes. */
import { Gate } from "../gate.ts";
import { hashGate } from "../keys/hash-gate.ts";
import { LOGIN_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import { err, type Result } from "../result.ts";
import { SECOND } from "../time/units.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";

/**
 * All tills of a chain log in after midnight. One login at a time calls D1 and the account's object; the others wait, as
 * long as leaves time for an answer.
 */
const loginGate = new Gate({
  atOnce: 1,
  waiting: 200,
  longestWait: 4 * SECOND,
  pollInterval: 5,
  abandonedAfter: 5 * SECOND,
});

const TOO_MANY_PASSWORDS = "too many passwords at once";

type InTurn = Pick<RequestContext, "get">;

/** Does the look-ups of a login in turn. Refuses with 429 if too many wait. */
export async function loginInTurn<T>(c: InTurn, work: () => Promise<T>): Promise<Result<T, Refusal>> {
  return orComeBack(c, "too many logins at once", await loginGate.run(work));
}

/** The refusal of a password that could not even wait to be hashed; null: it could. */
export function refusedHash(c: InTurn): Refusal | null {
  return hashGate.isFull ? comeBack(c, TOO_MANY_PASSWORDS) : null;
}

/**
 * Hashes or verifies a password in turn. Refuses with 429 if too many wait.
 *
 * @param work awaits `pause` between its pieces: the isolate can do nothing else during a piece
 */
export async function hashInTurn<T>(
  c: InTurn,
  work: (pause: () => Promise<void>) => Promise<T>,
): Promise<Result<T, Refusal>> {
  return orComeBack(c, TOO_MANY_PASSWORDS, await hashGate.run(work));
}

function orComeBack<T>(c: InTurn, reason: string, done: Result<T, "busy">): Result<T, Refusal> {
  return done.ok ? done : err(comeBack(c, reason));
}

function comeBack(c: InTurn, reason: string): Refusal {
  c.get("facts").reason = reason;
  return { kind: "rate_limit_exceeded", retryAfterSeconds: LOGIN_RETRY_SECONDS };
}
