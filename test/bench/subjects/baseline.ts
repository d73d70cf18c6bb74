/** The baseline below the gateway: nothing of it is read, and its terminals need no login. */
import { Terminal } from "../parties.ts";
import type { Kind } from "./subject.ts";

let accounts = 0;
let terminals = 0;

export const BASELINE: Kind = {
  name: "account baseline",
  worker: {
    entry: "test/bench/workers/baseline.ts",
    objects: { ACCOUNT: "BaselineAccount", TERMINAL: "BaselineTerminal" },
    variables: {},
  },
  /** Pairs with texts as long as the gateway's own. */
  async enrol(_subject, count, perAccount) {
    return Array.from({ length: count }, (_, index) => {
      if (index % perAccount === 0) accounts++;
      return {
        posId: `pos-${accounts}`,
        merchantId: `shop-${accounts}`,
        signingKey: "k".repeat(43),
        accessToken: "t".repeat(300),
        terminalId: `term-${++terminals}`,
        secret: "s".repeat(43),
      };
    });
  },
  connect: ({ url }, { terminalId, secret }) =>
    Terminal.connect(`${url}/terminal/connect?terminal=${terminalId}`, secret, "none"),
};
