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

/** An e-wallet channel. */
export interface Channel {
  name: string;
  /** 0 inactive, 1 active. */
  status: number;
  currency: string[];
  logoUrl3: string;
}
