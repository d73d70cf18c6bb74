/** How many transaction numbers a terminal has in reserve. */
import { describe, it } from "vitest";
import { Numbers } from "../../../../src/gateway/terminal/numbers.ts";
import {
  lastNumber,
  nextNumber,
  NO_RESERVE,
  type NumberReserve,
  numbersLeft,
  numbersWanted,
  withBlock,
} from "../../../../src/gateway/terminal/storage/record.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;

/** A terminal and a coordinator that counts blocks for others in between. */
class Shop {
  reserve: NumberReserve = NO_RESERVE;
  reservations = 0;
  readonly taken: { number: number; at: number }[] = [];
  #counted = 1_000_000_000;
  /** How many of its sales are older than a day. */
  #old = 0;

  constructor(now: number) {
    this.#keep(now);
  }

  get #from(): number {
    return (this.taken.at(-1)?.number ?? 0) + 1;
  }

  get left(): number {
    return numbersLeft(this.reserve, this.#from);
  }

  sell(now: number): void {
    const number = nextNumber(this.reserve, this.#from);
    if (number === null) throw new Error("no number is left");
    this.taken.push({ number, at: now });
    this.#keep(now);
  }

  /** How many it sold within the day before; times only grow. */
  soldBefore(now: number): number {
    while ((this.taken[this.#old]?.at ?? now) <= now - DAY) this.#old++;
    return this.taken.length - this.#old;
  }

  #keep(now: number): void {
    const wanted = numbersWanted(this.reserve, this.#from, now);
    if (wanted === null) return;
    this.reservations++;
    const block = { first: this.#counted, last: this.#counted + wanted - 1 };
    this.#counted = block.last + 5_000;
    this.reserve = withBlock(this.reserve, block, this.#from, now);
  }
}

/** Sales of a day, evenly between two hours. */
function* day(start: number, sales: number, [opens, closes]: [number, number] = [9, 19]): Generator<number> {
  for (let sale = 0; sale < sales; sale++) yield start + (opens + ((closes - opens) * sale) / sales) * HOUR;
}

describe("a terminal's reserve of numbers", () => {
  it.for([
    ["in a quiet shop", [3]],
    ["in a shop with 50 sales a day", [50]],
    ["in a shop with busy Saturdays and closed Sundays", [40, 40, 40, 40, 60, 120, 0]],
    ["in a canteen that opens with a thousand a day", [1_000, 1_000, 1_000, 1_000, 1_000, 0, 0]],
    ["in a machine that sells twenty times more from day three", [50, 50, 1_000]],
  ] as const)("lasts as long as its last 24 hours %s", ([, week], { expect }) => {
    const shop = new Shop(0);
    const problems: string[] = [];
    for (let at = 0; at < 60; at++) {
      const sales = week[Math.min(at, at % week.length)] ?? 0;
      for (const now of day(at * DAY, sales)) {
        shop.sell(now);
        const needed = Math.max(shop.soldBefore(now), 20);
        if (shop.left < needed) problems.push(`day ${at}: ${shop.left} left, ${needed} needed`);
      }
    }
    expect(problems).toEqual([]);
    const numbers = shop.taken.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  });

  it("is filled about monthly in a shop with 50 sales daily", ({ expect }) => {
    const shop = new Shop(0);
    for (let at = 0; at < 400; at++) for (const now of day(at * DAY, 50)) shop.sell(now);
    expect(shop.reservations).toBeLessThanOrEqual(18);
  });

  it("is filled once within the journal's life at very low sales", ({ expect }) => {
    const shop = new Shop(0);
    for (let week = 0; week < 57; week++) shop.sell(week * 7 * DAY);
    expect([shop.reservations, shop.left]).toEqual([1, 43]);
    shop.sell(400 * DAY);
    expect([shop.reservations, shop.left]).toEqual([2, 142]);
  });

  it("is filled for thirty days when three days' numbers are left", ({ expect }) => {
    const reserve = withBlock(NO_RESERVE, { first: 1, last: 1_000 }, 0, 0);
    expect([lastNumber(NO_RESERVE), numbersLeft(NO_RESERVE, 0), reserve.filledTo]).toEqual([0, 0, 1_000]);
    const wanted = (days: number, left: number): number | null => numbersWanted(reserve, 1_001 - left, days * DAY);
    expect([wanted(7, 301), wanted(7, 300), wanted(7, 299)]).toEqual([null, 3_000, 3_005]);
    expect([wanted(0, 751), wanted(0, 750)]).toEqual([null, 7_500]);
  });

  it("drops a late block that is lower than its own", ({ expect }) => {
    const reserve = withBlock(NO_RESERVE, { first: 200, last: 299 }, 0, 0);
    for (const first of [100, 299]) expect(withBlock(reserve, { first, last: first + 99 }, 0, 0)).toBe(reserve);
    expect(nextNumber(withBlock(reserve, { first: 300, last: 399 }, 0, 0), 0)).toBe(200);
  });

  it("forgets a block that is used up when the next one comes", ({ expect }) => {
    const reserve = withBlock(NO_RESERVE, { first: 100, last: 199 }, 0, 0);
    const more = { first: 500, last: 599 };
    const both = withBlock(reserve, more, 199, 0);
    expect([both.blocks.length, numbersLeft(both, 199), numbersLeft(both, 201)]).toEqual([2, 101, 100]);
    expect(withBlock(reserve, more, 200, 0).blocks).toEqual([more]);
  });
});

describe("the reservation of numbers", () => {
  it("is shared by simultaneous needs, and made anew for later ones", async ({ expect }) => {
    const answers: (() => Promise<{ first: number; last: number }>)[] = [
      async () => ({ first: 1, last: 100 }),
      async () => Promise.reject(new Error("the coordinator is away")),
      async () => ({ first: 101, last: 200 }),
    ];
    const added: number[] = [];
    const numbers = new Numbers({
      context: { waitUntil: () => undefined },
      coordinator: () => ({ reserveNumbers: async () => answers.shift()?.() }),
      records: { highestNumber: 0, addNumbers: ({ first }: { first: number }) => void added.push(first) },
      outbox: {},
      turns: { take: (work: (now: number) => void) => work(DAY) },
    } as unknown as ConstructorParameters<typeof Numbers>[0]);
    await Promise.all([numbers.reserve(), numbers.reserve()]);
    expect(added).toEqual([1]);
    await expect(numbers.reserve()).rejects.toThrow("the coordinator is away");
    await numbers.reserve();
    expect(added).toEqual([1, 101]);
  });
});
