/** The answers to an account's POS other than transfers (parts 2.1 to 2.5 of the interface). Times are ISO 8601 with offset. */

/** A bearer token and its expiry. */
export interface Token {
  token: string;
  expiresAt: string;
}

export interface TokenPair {
  access: Token;
  refresh: Token;
}

/** A key with which a terminal binds itself to the account. */
export interface BindKey {
  key: string;
  expiresAt: string;
}

/** 1 virtual terminal, 0 other terminals. */
export type IsVT = 0 | 1;

/** A terminal of the account. */
export interface Terminal {
  terminalId: string;
  connected: boolean;
  isVT: IsVT;
}

/** The details of one terminal. */
export interface TerminalDetails extends Terminal {
  connectedSince: string | null;
  lastHeartbeat: string | null;
  softwareVersion: string | null;
  terminalSn: string | null;
}

/**
 * Whether a transfer's channel can be used. `inactive`: it is switched off, or does not support the account's currency.
 * `unread`: the channels cannot be read. A transfer that names none has a usable one.
 */
export type ChannelState = "usable" | "inactive" | "unread";

/** An e-wallet channel. */
export interface Channel {
  name: string;
  /** 0 inactive, 1 active. */
  status: 0 | 1;
  /** ISO 4217 codes. */
  currency: string[];
  logoUrl3: string;
}
