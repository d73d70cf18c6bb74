/**
 * `npm run bill`: what the operator pays for a million transfers and for a thousand connected terminals, by the public
 * price list. The operations are those that `counts.test.ts` counts.
 *
 * Each thing is priced as if what the plan includes were used up: the bill of the next million.
 */
import { NIGHT_ENDS, SWEEP_EVERY, SWEEP_EVERY_AT_NIGHT, STEP_OBJECTS } from "../../src/gateway/coordinator/sweep.ts";
import { EVENTS_WAIT, JOURNAL_LIFE } from "../../src/protocol/limits.ts";
import { HOUR } from "../../src/protocol/time/units.ts";
import { JOURNAL_ROW_BYTES, recordedBytes } from "./kept-bytes.ts";
import { ASSUMED, GIGABYTE, MILLION, MONTH, operations, PRICES, type Term, times, total } from "./prices.ts";
import { ASKED, CONNECTION, DELIVERY, POLL, REFRESH, ROUND_STEP, SALE, STATISTICS } from "./sale.ts";

/** Connections of a terminal in a month: one a day. */
export const CONNECTIONS_PER_MONTH = 30;

/** A POS's token has run out at every second transfer. */
export const REFRESHES_PER_TRANSFER = 0.5;

/** How often a terminal with a connection is asked in a month: hourly at night, and every quarter of an hour by day. */
const SWEEPS_PER_MONTH = 30 * ((NIGHT_ENDS * HOUR) / SWEEP_EVERY_AT_NIGHT + ((24 - NIGHT_ENDS) * HOUR) / SWEEP_EVERY);

/** Of a busy account, in each minute in which D1 gets its statistics. */
const TRANSFERS_A_MINUTE = 20;

/** What a million of each costs in US dollars, unless its member says otherwise. */
export async function bill() {
  /** Bytes that an account's object keeps of one completed sale. */
  const recorded = await recordedBytes();
  const kept = JOURNAL_LIFE / MONTH;
  const transfers = [
    ...times(operations(SALE, 1), MILLION),
    {
      name: `journal, kept for ${Math.round(kept)} months`,
      dollars: ((MILLION * JOURNAL_ROW_BYTES) / GIGABYTE) * kept * PRICES.objectGigabyteMonth,
    },
    {
      name: `references and events, kept for ${Math.round(kept)} months`,
      dollars: ((MILLION * recorded) / GIGABYTE) * kept * PRICES.objectGigabyteMonth,
    },
  ];
  return {
    transfers,
    /** A thousand connected terminals in a month. */
    terminals: times(operations(CONNECTION, 2), 1_000 * CONNECTIONS_PER_MONTH),
    /** Asking these terminals whether they were heard. */
    sweeps: [
      ...times(operations(ASKED, 0), 1_000 * SWEEPS_PER_MONTH),
      ...times(operations(ROUND_STEP, 0), (1_000 * SWEEPS_PER_MONTH) / STEP_OBJECTS),
    ],
    /** A reader that waits a month. */
    reader: times(operations(POLL, 1), MONTH / EVENTS_WAIT),
    deliveries: [
      ...times(operations(DELIVERY, 0), MILLION),
      {
        name: "objects awake while endpoints answer",
        dollars:
          ((MILLION * ASSUMED.endpointMilliseconds) / 1_000) * PRICES.objectGigabytes * PRICES.objectGigabyteSecond,
      },
    ],
    refreshes: times(operations(REFRESH, 1), MILLION),
    /** Of a million transfers: of accounts that seldom have two in a minute, and of busy ones. */
    statistics: {
      quiet: times(operations(STATISTICS, 0), MILLION),
      busy: times(operations(STATISTICS, 0), MILLION / TRANSFERS_A_MINUTE),
    },
    recorded,
  };
}

function printList(title: string, terms: Term[]): void {
  const sum = total(terms);
  console.log(`\n${title}: ${sum.toFixed(2)} USD`);
  for (const { name, dollars } of terms.toSorted((one, other) => other.dollars - one.dollars)) {
    console.log(
      `  ${name.padEnd(44)}${dollars.toFixed(2).padStart(8)}${`${((dollars / sum) * 100).toFixed(0)} %`.padStart(7)}`,
    );
  }
}

async function print(): Promise<void> {
  const { transfers, terminals, sweeps, reader, deliveries, refreshes, statistics } = await bill();
  printList("A million transfers", transfers);
  const renewed = total(refreshes) * REFRESHES_PER_TRANSFER;
  console.log(`  and ${renewed.toFixed(2)} USD for the tokens of their POS programs, renewed at every second transfer`);
  const held = MILLION * 15 * PRICES.objectGigabytes * PRICES.objectGigabyteSecond;
  console.log(`  (objects held awake while customers pay, 15 s each, would add ${held.toFixed(2)} USD)`);
  console.log(
    `  and ${total(statistics.quiet).toFixed(2)} USD for their statistics, each alone in its minute, ` +
      `${total(statistics.busy).toFixed(2)} USD with twenty a minute`,
  );
  printList(`A thousand connected terminals for a month, connecting once a day`, terminals);
  console.log(`  and ${total(sweeps).toFixed(2)} USD for asking them whether they were heard`);
  console.log("  Heartbeats are answered by the platform: no request, no duration, no row.");
  printList("A reader of events that waits for a month", reader);
  printList("A million deliveries to webhooks, each long after the one before", deliveries);
}

if (import.meta.main) await print();
