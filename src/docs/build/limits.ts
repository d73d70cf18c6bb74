/** Every limit of the gateway by its name: the pages and the README name them. */
export * from "../../gateway/binding/limits.ts";
export * from "../../sdk/client/limits.ts";
export * from "../../gateway/secrets/limits.ts";
export * from "../../protocol/lengths.ts";
export * from "../../protocol/limits/connections.ts";
export * from "../../protocol/limits/days.ts";
export * from "../../protocol/limits/events.ts";
export * from "../../protocol/limits/keys.ts";
export * from "../../protocol/limits/messages.ts";
export * from "../../protocol/limits/transfers.ts";
export * from "../../protocol/limits/webhooks.ts";
export * from "../../gateway/statistics/limits.ts";
export * from "../../gateway/d1/limits.ts";
export * from "../../gateway/terminal/lane/limits.ts";
export * from "../../gateway/terminal/limits.ts";
export * from "../../gateway/http/pos/transfer/limits.ts";
