/** Everything that `npm run capacity` prints, as data. */
import { type Bill, bill, CONNECTIONS_PER_MONTH } from "../cost/bill.ts";
import { MILLION, operations, type Term, times, total } from "../cost/prices.ts";
import { LOGIN } from "../cost/sale.ts";
import type { D1Bytes } from "./d1-bytes.ts";
import { type Latency, latencies } from "./latency.ts";
import type { Fleet } from "./options.ts";
import { type Part, parts } from "./parts.ts";
import { FLEET } from "./platform.ts";
import { type Storm, storm, type StormLimits, stormLimits } from "./storm.ts";

const DAYS_OF_MONTH = 30;

export interface Computed {
  fleet: Fleet;
  parts: Part[];
  bill: { terms: Term[]; total: number };
  latencies: Latency[];
  storm: Storm;
  stormLimits: StormLimits;
}

/** @param kept bytes that D1 keeps: those that the documentation has, because filling a database takes seconds */
export async function compute(fleet: Fleet, kept: D1Bytes): Promise<Computed> {
  const prices = await bill();
  const terms = fleetBill(fleet, prices);
  return {
    fleet,
    parts: parts(fleet, prices.recorded, kept),
    bill: { terms, total: total(terms) },
    latencies: latencies(),
    storm: storm(fleet.terminals),
    stormLimits: stormLimits(),
  };
}

/**
 * US dollars a month, once journals are as long as they get. What the plan includes is not deducted: some tens of dollars.
 *
 * @param prices of a million transfers, of a thousand terminals, and so on
 */
export function fleetBill({ terminals, perDay, perAccount, webhooks }: Fleet, prices: Bill): Term[] {
  const millions = (terminals * perDay * DAYS_OF_MONTH) / MILLION;
  const logins = (terminals / perAccount) * DAYS_OF_MONTH;
  return [
    { name: "transfers", dollars: total(prices.transfers) * millions },
    { name: "renewed tokens of tills", dollars: total(prices.refreshes) * millions * FLEET.refreshes.value },
    {
      name: `connections of terminals, ${CONNECTIONS_PER_MONTH} each`,
      dollars: (total(prices.terminals) * terminals) / 1_000,
    },
    { name: "asking terminals whether they were heard", dollars: (total(prices.rounds) * terminals) / 1_000 },
    { name: "logins of tills, one a day", dollars: total(times(operations(LOGIN, 1), logins)) },
    {
      name: `webhooks of ${webhooks} % of the accounts`,
      dollars: (total(prices.deliveries) * millions * webhooks) / 100,
    },
  ];
}
