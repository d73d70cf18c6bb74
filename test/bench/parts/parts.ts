/** All parts of the bench, in the order in which they run, each with what it measures. */
import { measureAccount } from "./account.ts";
import { measureCold } from "./cold.ts";
import { measureDistance } from "./distance.ts";
import { measureLoad } from "./load.ts";
import { measureLogins } from "./logins.ts";

export const PARTS = {
  load: { what: "transfers next to the baseline", measure: measureLoad },
  cold: {
    what: "the first sale in a fresh isolate, with fresh objects and databases, 20 times",
    measure: measureCold,
  },
  distance: {
    what: "a sale whose till, Worker, objects and terminal are far from each other",
    measure: measureDistance,
  },
  logins: { what: "a sale while 30 tills log in at once, again and again", measure: measureLogins },
  account: {
    what: "the sales a second that one account with 1,000 terminals carries",
    measure: measureAccount,
  },
};
