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
