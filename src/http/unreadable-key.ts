import { logError } from "../outcomes/log.ts";
import type { Refusal } from "./errors.ts";

/** The response if no master key decrypts an account's signing key. The log names the account. */
export function unreadableKey(posId: string): Refusal {
  logError("an account's signing key is not readable", new Error("no master key decrypts it"), { account: posId });
  return { kind: "internal_server_error" };
}
