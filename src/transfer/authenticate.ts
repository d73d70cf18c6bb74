/** First step: the session that a transfer comes from, by its token, and its rate. Nothing is read before. */
import { requireToken, type TokenEnvironment } from "../http/authentication.ts";
import { accountChecks } from "../http/rate-limit.ts";

export type TransferEnvironment = TokenEnvironment<"access">;

export const authenticate = requireToken({ use: "access", checks: accountChecks });
