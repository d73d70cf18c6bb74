/** What a fleet costs in a month, by the price list of `test/cost/prices.ts`, once journals are as long as they get. */
import { type Bill, CONNECTIONS_PER_MONTH } from "../cost/bill.ts";
import { MILLION, operations, type Term, times, total } from "../cost/prices.ts";
import { LOGIN } from "../cost/sale.ts";
import type { Options } from "./options.ts";
import { FLEET } from "./platform.ts";

const DAYS = 30;

/**
 * US dollars a month. What the plan includes is not deducted: some tens of dollars.
 *
 * @param bill of a million transfers, of a thousand terminals, and so on
 */
export function fleetBill(
  { terminals, perDay, perAccount, webhooks }: Pick<Options, "terminals" | "perDay" | "perAccount" | "webhooks">,
  bill: Bill,
): Term[] {
  const millions = (terminals * perDay * DAYS) / MILLION;
  const logins = (terminals / perAccount) * DAYS;
  return [
    { name: "transfers", dollars: total(bill.transfers) * millions },
    { name: "renewed tokens of tills", dollars: total(bill.refreshes) * millions * FLEET.refreshes.value },
    {
      name: `connections of terminals, ${CONNECTIONS_PER_MONTH} each`,
      dollars: (total(bill.terminals) * terminals) / 1_000,
    },
    { name: "asking terminals whether they were heard", dollars: (total(bill.rounds) * terminals) / 1_000 },
    { name: "logins of tills, one a day", dollars: total(times(operations(LOGIN, 1), logins)) },
    {
      name: `webhooks of ${webhooks} % of the accounts`,
      dollars: (total(bill.deliveries) * millions * webhooks) / 100,
    },
  ];
}
