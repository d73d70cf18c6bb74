import { readMasterKeys } from "../keys/master-keys.ts";
import { factory } from "./context.ts";
import { refuse } from "./errors.ts";
import { logError } from "../outcomes/log.ts";

/** Refuses every request without usable secrets: there are no defaults. The log names the missing secret. */
export const requireConfiguration = factory.createMiddleware(async (c, next) => {
  const read = readMasterKeys(c.env.MASTER_KEYS);
  if (!read.ok) {
    logError("configuration", new Error(read.error), { traceId: c.get("traceId") });
    return refuse(c, { kind: "internal_server_error" });
  }
  c.set("keys", read.value);
  return next();
});
