/** The account and terminal that `npm start` makes, for the programs, the console and the reference. */
export const DEMO = { posId: "POS-DEMO", merchantId: "M-DEMO", deviceId: "T-DEMO" };

export interface BrowserDemoCredentials {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
  /** This browser's own terminal, already bound to the account. */
  terminalId: string;
  terminalSecret: string;
}
