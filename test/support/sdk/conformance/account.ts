/** The account of the tills that the tests give to the kit. */
import type { KitAccount } from "../../../../src/sdk/conformance/pos/ledger.ts";

/** Those of a till's client. */
export const CREDENTIALS = {
  posId: "POS-1",
  merchantId: "M-1",
  password: "a password of the kit's test",
  signingKey: "a signing key of the kit's test",
};

export const ACCOUNT: KitAccount = { ...CREDENTIALS, deviceId: "T-1" };
