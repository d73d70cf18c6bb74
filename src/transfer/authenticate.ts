/** First step: whose token a transfer comes with, and its rate. Nothing is read before. */
import { requireAccountToken, type TokenEnvironment } from "../http/authentication.ts";

export type TransferEnvironment = TokenEnvironment<"access">;

export const authenticate = requireAccountToken("access");
