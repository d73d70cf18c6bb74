/** A key with which a terminal binds itself to the account. */
export interface BindKey {
  key: string;
  expiresAt: string;
}

export interface Terminal {
  terminalId: string;
  connected: boolean;
  /** 1 virtual terminal, 0 other terminals. */
  isVT: number;
}

/** What the gateway knows of one terminal. Times are ISO 8601 in the account's time zone. */
export interface TerminalDetails extends Terminal {
  connectedSince: string | null;
  lastHeartbeat: string | null;
  softwareVersion: string | null;
  terminalSn: string | null;
}

/** An e-wallet channel. */
export interface Channel {
  name: string;
  /** 0 inactive, 1 active. */
  status: number;
  currency: string[];
  logoUrl3: string;
}
