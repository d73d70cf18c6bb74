/** Times are ISO 8601 with offset. */
import type * as schemas from "./schemas/accounts.ts";
import type { Infer } from "./schemas/infer.ts";

export type Done = Infer<typeof schemas.done>;
export type TokenPair = Infer<typeof schemas.tokenPair>;

export type Token = TokenPair["access"];

export type BindKey = Infer<typeof schemas.bindKey>;
export type PrebindList = Infer<typeof schemas.prebindList>;
export type AccountTerminal = Infer<typeof schemas.terminal>;
export type TerminalList = Infer<typeof schemas.terminalList>;
export type TerminalDetails = Infer<typeof schemas.terminalDetails>;

export type Channel = Infer<typeof schemas.channel>;
export type ChannelList = Infer<typeof schemas.channelList>;

/**
 * Whether a transfer's channel can be used. `inactive`: it is switched off, or does not support the account's currency.
 * `unread`: the channels cannot be read. A transfer that names no channel has a usable one.
 */
export type ChannelState = "usable" | "inactive" | "unread";

export type TerminalToken = Infer<typeof schemas.terminalToken>;
export type ActivatedTerminal = Infer<typeof schemas.activatedTerminal>;
export type Bound = Infer<typeof schemas.bound>;
export type Health = Infer<typeof schemas.health>;
