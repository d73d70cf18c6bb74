/** What takes its turn in an isolate, so that payments go first: logins, and the hashes of passwords. */
import { Gate } from "../gate.ts";
import { hashGate } from "../keys/hash-gate.ts";
import { LOGIN_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import { err, type Result } from "../result.ts";
import { SECOND } from "../time/units.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";

/**
 * All tills of a chain log in after midnight. One at a time asks D1 and their account's object; the others wait, as long
 * as leaves time for an answer.
 */
const loginGate = new Gate({
  atOnce: 1,
  waiting: 200,
  longestWait: 4 * SECOND,
  pollInterval: 5,
  abandonedAfter: 5 * SECOND,
});

type InTurn = Pick<RequestContext, "get">;

/** Asks what a login has to ask when it is its turn; refuses with 429 where too many wait already. */
export async function loginInTurn<T>(c: InTurn, work: () => Promise<T>): Promise<Result<T, Refusal>> {
  return orComeBack(c, "too many logins at once", await loginGate.run(work));
}

/**
 * Hashes or verifies a password when it is its turn; refuses with 429 where too many wait already.
 *
 * @param work awaits `pause` between its pieces: nothing else of the isolate runs meanwhile
 */
export async function hashInTurn<T>(
  c: InTurn,
  work: (pause: () => Promise<void>) => Promise<T>,
): Promise<Result<T, Refusal>> {
  return orComeBack(c, "too many passwords at once", await hashGate.run(work));
}

function orComeBack<T>(c: InTurn, reason: string, done: Result<T, "busy">): Result<T, Refusal> {
  if (done.ok) return done;
  c.get("facts").reason = reason;
  return err({ kind: "rate_limit_exceeded", retryAfterSeconds: LOGIN_RETRY_SECONDS });
}
