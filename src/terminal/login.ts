/**
 * A terminal's login, which is valid once, so a recorded login is worthless. A used login is remembered while its
 * `datetime` is acceptable, and a little longer, because the Worker that checks the `datetime` has another clock.
 */
import type { JsonObject } from "../signing/json.ts";
import { signatureOf } from "../signing/signature.ts";
import { parseDatetime } from "../time/datetime.ts";
import type { LoginVerdict } from "../rpc/terminal.ts";
import { LOGIN_MEMORY, LOGINS_REMEMBERED } from "./limits.ts";
import type { SecretKeeper } from "./secret.ts";
import type { UsedLogins } from "./storage/logins.ts";

/** Verifies a login and remembers it, in one turn: of two equal logins that arrive together, one is accepted. */
export function takeLogin(secret: SecretKeeper, used: UsedLogins, message: JsonObject, now: number): LoginVerdict {
  const verdict = secret.verify(message);
  if (verdict.kind === "refused") return verdict;
  const { datetime } = message;
  const signature = signatureOf(message);
  const signedAt = typeof datetime === "string" ? parseDatetime(datetime) : null;
  if (signedAt === null || signature === null) return { kind: "refused" };
  const oldest = now - LOGIN_MEMORY;
  // Older logins may have been forgotten.
  if (signedAt < oldest) return { kind: "used" };
  used.forgetBefore(oldest);
  // Upper and lower case hexadecimal are the same signature.
  const name = signature.toLowerCase();
  if (used.has(name)) return { kind: "used" };
  if (used.count >= LOGINS_REMEMBERED) return { kind: "too-many" };
  used.add(name, signedAt);
  return verdict;
}
