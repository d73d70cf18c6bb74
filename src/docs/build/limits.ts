/** Every limit that the pages and the README name. */
export * from "../../protocol/lengths.ts";
export * from "../../protocol/limits.ts";
export { AUDIT_LIFE, FINGERPRINTS_LIFE, NUMBER_BLOCK_LIFE, PENDING_ENDED_LIFE } from "../../gateway/d1/clean-up.ts";
export { COMMENT_EVERY } from "../../gateway/http/pos/transfer/follow.ts";
export { ACCOUNT_HOURS_LIFE, STATISTICS_LIFE } from "../../gateway/statistics/tally.ts";
export { PROBE_AFTER_SILENCE, SEND_BEFORE_END } from "../../gateway/terminal/lane/queue.ts";
export { LOGIN_MEMORY, LOGINS_REMEMBERED } from "../../gateway/terminal/secret.ts";
export { NUMBERS_AT_LEAST, NUMBERS_LOW } from "../../gateway/terminal/storage/record.ts";
export { POS_TRANSFER_WITHIN } from "../../sdk/client/pos/pos-calls.ts";
export { POS_HTTP_WITHIN } from "../../sdk/client/pos/http.ts";
export { REPEAT_WAIT } from "../../sdk/client/pos/repeat.ts";
export { TERMINAL_RECONNECT } from "../../sdk/client/terminal.ts";
