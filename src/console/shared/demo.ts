export interface DemoCredentials {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
  /** This browser's own terminal, already bound to the account. */
  terminalId: string;
  terminalSecret: string;
}
