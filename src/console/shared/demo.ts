/** Whom the console signs in as by itself, when it was opened from the link that `npm start` prints. */
export interface DemoCredentials {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
  /** This browser's own terminal, for the virtual terminal half; bound to the account already. */
  terminalId: string;
  terminalSecret: string;
}

/** What the two halves of the page hand to each other: a bind key, as a terminal's camera would read it from a QR. */
export interface HandedKey {
  key: string;
}
