/** The queue in virtual time: nothing here waits for the clock. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { type Caller, FairQueue, type QueueLimits } from "../../src/bounds/fair-queue.ts";

const PACE: QueueLimits = { atOnce: Infinity, apart: 10, waiting: 20, abandonedAfter: 1_000 };
const SLOTS: QueueLimits = { atOnce: 2, apart: 0, waiting: 4, abandonedAfter: 1_000 };

let now: number;
let sleeping: { until: number; wake: () => void }[];

beforeEach(() => {
  now = performance.now();
  sleeping = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(scheduler, "wait").mockImplementation(
    (time) => new Promise<void>((wake) => sleeping.push({ until: now + time, wake })),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets everything run that waits for nothing. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step++) await Promise.resolve();
}

/** Lets time pass, with every timer at its time. */
async function pass(time: number): Promise<void> {
  const end = now + time;
  await settle();
  for (;;) {
    const next = Math.min(...sleeping.map(({ until }) => until));
    if (next > end) break;
    now = next;
    const due = sleeping.filter(({ until }) => until <= next);
    sleeping = sleeping.filter(({ until }) => until > next);
    for (const { wake } of due) wake();
    await settle();
  }
  now = end;
}

function caller(address: string, name = "a till", further: Partial<Caller> = {}): Caller {
  return { address, name, until: Infinity, ...further };
}

/** A queue, and what began in it and was refused, by name. */
function watched(limits: QueueLimits) {
  const queue = new FairQueue(limits);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const come = (label: string, who: Caller, work?: (goesOn: () => void) => Promise<void>): void => {
    const done = queue.run(who, (goesOn) => {
      begun.push(label);
      return work?.(goesOn) ?? Promise.resolve();
    });
    void done.then((result) => void (result.ok || refused.push(label)));
  };
  /** Work that lasts until `end` is called. */
  const hold = (label: string, who: Caller): void =>
    come(label, who, () => new Promise<void>((resolve) => ends.set(label, resolve)));
  const end = async (label: string): Promise<void> => {
    ends.get(label)?.();
    await pass(100);
  };
  return { queue, begun, refused, come, hold, end };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const broken = (): Promise<never> => Promise.reject(new Error("broken on purpose"));

async function endless(goesOn: () => void): Promise<void> {
  for (;;) {
    await scheduler.wait(10);
    goesOn();
  }
}

describe("a fair queue", () => {
  it("starts work that nobody is ahead of at once, and all other work at its distance", async ({ expect }) => {
    const { begun, come } = watched(PACE);
    const counts: number[] = [];
    for (const index of [1, 2, 3, 4]) come(String(index), caller("one", String(index)));
    for (let step = 0; step < 4; step++) {
      await pass(step === 0 ? 0 : PACE.apart);
      counts.push(begun.length);
    }
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(begun).toEqual(["1", "2", "3", "4"]);
  });

  it("runs as much at once as it may, and the next after each that ends", async ({ expect }) => {
    const { begun, hold, end } = watched(SLOTS);
    for (const label of ["1", "2", "3", "4"]) hold(label, caller(label));
    await pass(100);
    expect(begun).toEqual(["1", "2"]);
    await end("2");
    expect(begun).toEqual(["1", "2", "3"]);
    await end("1");
    expect(begun).toEqual(["1", "2", "3", "4"]);
  });

  it("gives each address its turn, however much another one sends", async ({ expect }) => {
    const { begun, come } = watched(PACE);
    for (const index of times(15, String)) come("flood", caller("a flood", `invented ${index}`));
    await pass(PACE.apart);
    come("a shop", caller("a shop"));
    await pass(PACE.apart * 2);
    expect(begun.slice(0, 4)).toEqual(["flood", "flood", "flood", "a shop"]);
  });

  it("drops the last of three addresses that fill it, and never the only one of a fourth", async ({ expect }) => {
    const { begun, refused, come } = watched(PACE);
    for (const index of times(60, String)) come("flood", caller(`flood ${Number(index) % 3}`, `invented ${index}`));
    await pass(PACE.apart / 2);
    expect(refused).toHaveLength(60 - PACE.waiting - 1);
    come("a shop", caller("a shop"));
    await pass(PACE.apart * 5);
    expect(begun).toContain("a shop");
    expect(refused).not.toContain("a shop");
  });

  it("drops the last of the address that has the most, although others came later", async ({ expect }) => {
    const { begun, refused, hold, end } = watched({ ...SLOTS, atOnce: 1 });
    hold("0", caller("0"));
    await pass(0);
    hold("1", caller("1"));
    for (const index of [1, 2]) hold(`flood ${index}`, caller("a flood"));
    await end("0");
    for (const label of ["a", "b", "c"]) hold(label, caller(label));
    await pass(100);
    expect([begun, refused]).toEqual([["0", "1"], ["flood 2"]]);
  });

  it("is full only for the address that has the most in it", async ({ expect }) => {
    const { queue, hold } = watched(SLOTS);
    const full = (): boolean[] => ["a flood", "a shop", "another shop"].map((address) => queue.isFullFor(address));
    expect(full()).toEqual([false, false, false]);
    for (const index of times(7, String)) hold(index, caller("a flood", index));
    hold("one", caller("a shop"));
    await pass(0);
    expect(full()).toEqual([true, false, false]);
    // All of them are gone.
    sleeping = [];
    now += SLOTS.abandonedAfter + 1;
    full();
    now += SLOTS.abandonedAfter / 2;
    expect(full()).toEqual([false, false, false]);
  });

  it("is not full for a new address while each of the others has one in it", async ({ expect }) => {
    const { queue, hold } = watched(SLOTS);
    for (const index of times(6, String)) hold(index, caller(index));
    await pass(0);
    expect([queue.isFullFor("5"), queue.isFullFor("a shop")]).toEqual([true, false]);
  });

  it("lets the names of one address take turns, and those that are familiar go first", async ({ expect }) => {
    const { begun, hold, come, end } = watched({ ...SLOTS, atOnce: 1, waiting: 10 });
    hold("running", caller("elsewhere"));
    await pass(0);
    for (const index of [1, 2, 3]) come(`forged ${index}`, caller("a shop", "its terminal"));
    come("another", caller("a shop", "another terminal"));
    come("familiar", caller("a shop", "a till", { familiar: true }));
    await end("running");
    await pass(1_000);
    expect(begun).toEqual(["running", "familiar", "forged 1", "another", "forged 2", "forged 3"]);
  });

  it("lets urgent work go ahead of all other work, also when it is full", async ({ expect }) => {
    const { begun, refused, hold, come, end } = watched({ ...SLOTS, atOnce: 1 });
    for (const index of times(5, String)) hold(index, caller(index));
    await pass(0);
    hold("the operator", caller("operator", "operator", { urgent: true }));
    expect(refused).toEqual([]);
    await end("0");
    expect([begun, refused]).toEqual([["0", "the operator"], ["4"]]);
    come("late", caller("late"));
    await end("the operator");
    expect(begun).toEqual(["0", "the operator", "1"]);
  });

  it("gives the place of a caller who hung up to the next", async ({ expect }) => {
    const { begun, refused, hold, come } = watched({ ...SLOTS, waiting: 1 });
    hold("1", caller("one"));
    hold("2", caller("one"));
    await pass(0);
    const hungUp = new AbortController();
    come("hung up", caller("one", "a till", { signal: hungUp.signal }));
    await pass(0);
    hungUp.abort();
    come("next", caller("one"));
    await pass(100);
    expect([begun, refused]).toEqual([["1", "2"], ["hung up"]]);
  });

  it("begins nothing for a caller who hung up before it came", async ({ expect }) => {
    const { begun, refused, come } = watched(SLOTS);
    come("hung up", caller("one", "a till", { signal: AbortSignal.abort() }));
    await pass(0);
    expect([begun, refused]).toEqual([[], ["hung up"]]);
  });

  it("ends work whose caller hung up, or whose time is over, where it says that it goes on", async ({ expect }) => {
    for (const isOver of [false, true]) {
      const { refused, come } = watched(SLOTS);
      const hungUp = new AbortController();
      come("it", caller("one", "a till", { until: now + 200, signal: hungUp.signal }), endless);
      await pass(100);
      expect(refused).toEqual([]);
      if (isOver) await pass(101);
      else hungUp.abort();
      await pass(20);
      expect(refused).toEqual(["it"]);
    }
  });

  it("refuses at once what cannot be done in time, as long as work usually takes", async ({ expect }) => {
    const { begun, refused, hold, come, end } = watched({ ...SLOTS, atOnce: 1, waiting: 10 });
    for (let time = 0; time < 20; time++) {
      hold("usual", caller("one"));
      await pass(400);
      await end("usual");
    }
    begun.length = 0;
    hold("first", caller("one"));
    await pass(0);
    come("in time", caller("two", "a till", { until: now + 1_000 }));
    come("too late", caller("three", "a till", { until: now + 800 }));
    await pass(0);
    expect(refused).toEqual(["too late"]);
    come("next", caller("four"));
    await end("first");
    expect(begun).toEqual(["first", "in time", "next"]);
  });

  it("counts the slots that are free, and work that gave up, in what work usually takes", async ({ expect }) => {
    const { begun, refused, hold, come } = watched(SLOTS);
    come("gave up", caller("one", "a till", { until: now + 400 }), endless);
    await pass(500);
    expect(refused.splice(0)).toEqual(["gave up"]);
    hold("first", caller("one"));
    await pass(0);
    come("too late", caller("one", "a till", { until: now + 300 }));
    hold("second", caller("one", "a till", { until: now + 500 }));
    await pass(0);
    come("in time", caller("one", "a till", { until: now + 700 }));
    await pass(0);
    expect([begun, refused]).toEqual([["gave up", "first", "second"], ["too late"]]);
  });

  it("refuses at once what cannot begin in time at its distance", async ({ expect }) => {
    const { refused, come } = watched(PACE);
    for (const index of times(10, String)) come(index, caller("one"));
    await pass(0);
    come("in time", caller("one", "a till", { until: now + 12 * PACE.apart }));
    come("too late", caller("one", "a till", { until: now + 5 * PACE.apart }));
    await pass(0);
    expect(refused).toEqual(["too late"]);
  });

  it("takes work when it is idle, however long work took before", async ({ expect }) => {
    const { refused, hold, come, end } = watched(SLOTS);
    hold("slow", caller("one"));
    await pass(900);
    await end("slow");
    come("next", caller("one", "a till", { until: now + 100 }));
    await pass(0);
    expect(refused).toEqual([]);
  });

  it("forgets running and waiting work whose requests the platform has dropped", async ({ expect }) => {
    const { begun, hold, come } = watched(SLOTS);
    for (const index of times(6, String)) hold(index, caller("one"));
    await settle();
    // None of them ever goes on.
    sleeping = [];
    now += SLOTS.abandonedAfter + 1;
    come("next", caller("one"));
    await pass(100);
    expect(begun).toEqual(["0", "1", "next"]);
  });

  it("gives the slot of work that does not go on to the next", async ({ expect }) => {
    const { begun, hold, come } = watched({ ...SLOTS, atOnce: 1 });
    hold("gone", caller("one"));
    await pass(0);
    come("next", caller("two"));
    await pass(SLOTS.abandonedAfter - 1);
    expect(begun).toEqual(["gone"]);
    await pass(100);
    expect(begun).toEqual(["gone", "next"]);
  });

  it("keeps the slot of work that is active while the isolate has no CPU", async ({ expect }) => {
    const { begun, come } = watched({ ...SLOTS, atOnce: 1 });
    come("long", caller("one"), endless);
    await settle();
    now += SLOTS.abandonedAfter + 1;
    come("next", caller("two"));
    await pass(1_000);
    expect(begun).toEqual(["long"]);
  });

  it("keeps all that wait while the isolate has no CPU, in their order", async ({ expect }) => {
    const { begun, refused, hold, come, end } = watched(SLOTS);
    hold("0", caller("one"));
    hold("1", caller("one"));
    for (const name of ["a", "b", "c"]) come(name, caller("one"));
    await settle();
    now += SLOTS.abandonedAfter + 1;
    come("late", caller("two"));
    await end("0");
    await end("1");
    await pass(200);
    expect([begun, refused]).toEqual([["0", "1", "a", "b", "c", "late"], []]);
  });

  it("keeps the slot of work that is active, however long it takes", async ({ expect }) => {
    const { begun, refused, come } = watched({ ...SLOTS, atOnce: 1 });
    come("long", caller("one"), async (goesOn) => {
      for (;;) {
        await scheduler.wait(SLOTS.abandonedAfter - 1);
        goesOn();
      }
    });
    await pass(0);
    come("next", caller("two"));
    await pass(SLOTS.abandonedAfter * 4);
    expect([begun, refused]).toEqual([["long"], []]);
  });

  it("is free again after work that failed", async ({ expect }) => {
    const queue = new FairQueue({ ...SLOTS, atOnce: 1, waiting: 1 });
    for (let time = 0; time < 2; time++) {
      await expect(queue.run(caller("one"), broken)).rejects.toThrow("broken on purpose");
    }
    expect(await queue.run(caller("one"), async () => "done")).toEqual({ ok: true, value: "done" });
  });
});
