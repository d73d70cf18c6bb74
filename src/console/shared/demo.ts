/** The account and terminal that the console signs in with when it was opened from the link of `npm start`. */
export interface DemoCredentials {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
  /** This browser's own terminal, for the virtual terminal half; bound to the account already. */
  terminalId: string;
  terminalSecret: string;
}

/** What the halves of the page hand to each other: a bind key, as a terminal's camera would read it from a QR code. */
export interface HandedKey {
  key: string;
}
