/** The fingerprints that D1 has of an account's day: each payment once, in order, whatever arrives twice, late or again. */
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, it } from "vitest";
import { unpackFingerprints } from "../../../../src/gateway/d1/fingerprints.ts";
import { statisticsStatements } from "../../../../src/gateway/d1/statistics.ts";
import { uniqueId } from "../../../support/gateway.ts";

const DAY = 20_000;
const RUNS = 60;

/** So many that looking for each one in all others would take a minute. */
const PAYMENTS = 20_000;

function digitsOf(event: number): string {
  const [reference, number] = [(event * 2_654_435_761) % 2 ** 32, event].map((of) => of.toString(16).padStart(8, "0"));
  return `${reference}000004e2${number}04571234`;
}

class Account {
  readonly #posId = uniqueId("pos");

  /** Payments with these events, in order. */
  async send(first: number, last: number): Promise<void> {
    const ofDay = Array.from({ length: last - first + 1 }, (_, index) => digitsOf(first + index));
    const update = { days: new Map(), payments: new Map([[DAY, ofDay]]) };
    await env.DATABASE.batch(statisticsStatements(env.DATABASE, this.#posId, update));
  }

  /** Whose payments D1 has. */
  async events(): Promise<number[]> {
    const query = env.DATABASE.prepare("SELECT hex(payments) AS digits FROM fingerprints WHERE pos_id = ?");
    const row = await query.bind(this.#posId).first<{ digits: string }>();
    return unpackFingerprints(DAY, row?.digits ?? "").map(({ event }) => event);
  }
}

describe("fingerprints of a day", () => {
  it("are there once and in order, whichever parts arrive, and how often", async ({ expect }) => {
    const part = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 }));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const account = new Account();
        const sent = new Set<number>();
        for (const [first, more] of parts) {
          await account.send(first, first + more);
          for (let event = first; event <= first + more; event++) sent.add(event);
        }
        expect(await account.events()).toEqual([...sent].toSorted((one, other) => one - other));
      }),
      { numRuns: RUNS },
    );
  });

  it("are recognised when a resync sends them in other parts", async ({ expect }) => {
    const account = new Account();
    for (let first = 1; first < PAYMENTS; first += 500) await account.send(first, first + 499);
    for (let first = 101; first < PAYMENTS; first += 500) await account.send(first, Math.min(first + 499, PAYMENTS));
    expect(await account.events()).toHaveLength(PAYMENTS);
  });
});
