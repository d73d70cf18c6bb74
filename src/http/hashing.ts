/** Password hashing, one at a time, because each hash blocks the isolate. */
import { hashGate } from "../keys/hash-gate.ts";
import { HASH_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import { err, type Result } from "../result.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";

/** Hashes or verifies a password when it is its turn. Refuses with 429 if too many are waiting. */
export async function hashInTurn<T>(
  c: Pick<RequestContext, "get">,
  work: () => Promise<T>,
): Promise<Result<T, Refusal>> {
  const done = await hashGate.run(work);
  if (done.ok) return done;
  c.get("facts").reason = "too many passwords at once";
  return err({ kind: "rate_limit_exceeded", retryAfterSeconds: HASH_RETRY_SECONDS });
}
