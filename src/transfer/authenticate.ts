/** First step: the transfer's token and rate, before anything is read. */
import { requireAccountToken, type TokenEnvironment } from "../http/authentication.ts";

export type TransferEnvironment = TokenEnvironment<"access">;

export const authenticate = requireAccountToken("access");
