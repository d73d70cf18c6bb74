import { logError } from "../log.ts";
import type { Refusal } from "./errors.ts";

/** What is answered where no master key opens an account's signing key. The log says which account's. */
export function unreadableKey(posId: string): Refusal {
  logError("an account's signing key is not readable", new Error("no master key opens it"), { account: posId });
  return { kind: "internal_server_error" };
}
