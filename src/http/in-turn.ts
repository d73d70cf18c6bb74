/** Work that an isolate does in turn so that payments come first: logins and password hashes. */
import { hashGate } from "../keys/hash-gate.ts";
import { Pace } from "../pace.ts";
import { LOGIN_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import { err, type Result } from "../result.ts";
import { SECOND } from "../time/units.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";

/**
 * All tills of a chain log in after midnight. A login takes some five milliseconds of CPU, so two thirds of the isolate's
 * time are left for payments. The longest wait leaves time for an answer.
 */
const loginPace = new Pace({ apart: 16, longestWait: 4 * SECOND });

const TOO_MANY_PASSWORDS = "too many passwords at once";

type InTurn = Pick<RequestContext, "get">;

/** Waits for a login's turn. Null: it may start; otherwise the refusal, 429, because too many wait. */
export async function waitForLogin(c: InTurn): Promise<Refusal | null> {
  return (await loginPace.turn()) ? null : comeBack(c, "too many logins at once");
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
  const done = await hashGate.run(work);
  return done.ok ? done : err(comeBack(c, TOO_MANY_PASSWORDS));
}

function comeBack(c: InTurn, reason: string): Refusal {
  c.get("facts").reason = reason;
  return { kind: "rate_limit_exceeded", retryAfterSeconds: LOGIN_RETRY_SECONDS };
}
