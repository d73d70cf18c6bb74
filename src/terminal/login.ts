/**
 * A terminal's login, which is valid once: a recorded login is worthless. A used one is remembered for as long as
 * its `datetime` is acceptable, and a little longer, as the Worker that judges the `datetime` has another clock.
 */
import type { JsonObject } from "../signing/json.ts";
import { signatureOf } from "../signing/signature.ts";
import { parseDatetime } from "../time/datetime.ts";
import type { LoginVerdict } from "./calls.ts";
import { LOGIN_MEMORY, LOGINS_REMEMBERED } from "./limits.ts";
import type { SecretKeeper } from "./secret.ts";
import type { UsedLogins } from "./storage/logins.ts";

/** Verifies a login and remembers it, in one turn: of two that arrive together one is good. */
export function takeLogin(secret: SecretKeeper, used: UsedLogins, message: JsonObject, now: number): LoginVerdict {
  const verdict = secret.verify(message);
  if (verdict.kind === "refused") return verdict;
  const { datetime } = message;
  const signature = signatureOf(message);
  const signedAt = typeof datetime === "string" ? parseDatetime(datetime) : null;
  if (signedAt === null || signature === null) return { kind: "refused" };
  const oldest = now - LOGIN_MEMORY;
  // What is so old may have been forgotten.
  if (signedAt < oldest) return { kind: "used" };
  used.forgetBefore(oldest);
  // A signature is taken in either case, and is the same one in both.
  const name = signature.toLowerCase();
  if (used.has(name)) return { kind: "used" };
  if (used.count >= LOGINS_REMEMBERED) return { kind: "too-many" };
  used.add(name, signedAt);
  return verdict;
}
