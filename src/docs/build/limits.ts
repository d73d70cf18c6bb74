/** Every limit of the gateway by its name: the pages and the README name them. */
export * from "../../binding/limits.ts";
export * from "../../client/limits.ts";
export * from "../../keys/limits.ts";
export * from "../../protocol/lengths.ts";
export * from "../../protocol/limits/connections.ts";
export * from "../../protocol/limits/days.ts";
export * from "../../protocol/limits/events.ts";
export * from "../../protocol/limits/keys.ts";
export * from "../../protocol/limits/messages.ts";
export * from "../../protocol/limits/transfers.ts";
export * from "../../protocol/limits/webhooks.ts";
export * from "../../statistics/limits.ts";
export * from "../../storage/limits.ts";
export * from "../../terminal/lane/limits.ts";
export * from "../../terminal/limits.ts";
export * from "../../http/transfer/limits.ts";
