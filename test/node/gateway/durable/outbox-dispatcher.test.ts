/** In what portions entries are delivered, and when the alarm goes on. */
import { describe, it, vi } from "vitest";
import { NoAnswer } from "../../../../src/gateway/lib/with-timeout.ts";
import {
  D1,
  type DeliveryAnswer,
  ENTRIES_AT_ONCE,
  type Outbox,
  type OutboxEntry,
} from "../../../../src/gateway/durable/storage/outbox.ts";
import {
  CHAINED_DELIVERIES,
  OutboxDispatcher,
  type OutboxReceiver,
  SAFETY,
  TARGETS_AT_ONCE,
} from "../../../../src/gateway/durable/outbox-dispatcher.ts";
import type { Turns } from "../../../../src/gateway/durable/turns.ts";
import { SECOND } from "../../../../src/protocol/time/units.ts";
import { audit, newOutbox, NOW, useStillClock } from "./still-outbox.ts";

useStillClock();

type Answer = DeliveryAnswer | Error;

/** A dispatcher whose deliveries are answered by the test, one after the other. */
function newDispatcher(outbox: Outbox, isBatched = true) {
  const sent: OutboxEntry[][] = [];
  const answers: ((answer: Answer) => void)[] = [];
  const receivers: OutboxReceiver[] = [D1, "account:"].map((target) => ({
    target,
    isBatched: () => isBatched,
    send: async (entries) => {
      sent.push([...entries]);
      const answer = await new Promise<Answer>((resolve) => answers.push(resolve));
      if (answer instanceof Error) throw answer;
      return () => entries.map(() => answer);
    },
  }));
  const turns = {
    take: (work: (now: number) => void) => {
      work(Date.now());
      dispatcher.startDue(Date.now());
    },
  } as Turns;
  const context = { waitUntil: () => undefined };
  const dispatcher: OutboxDispatcher = new OutboxDispatcher({
    context,
    outbox,
    turns,
    receivers,
    about: () => ({ terminal: "T-1" }),
  });
  const answer = async (given: Answer): Promise<void> => {
    answers.shift()?.(given);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { dispatcher, sent, answer };
}

const sizes = (sent: readonly OutboxEntry[][]): number[] => sent.map((entries) => entries.length);

function logged(): Record<string, unknown>[] {
  const lines = [...vi.mocked(console.log).mock.calls, ...vi.mocked(console.error).mock.calls];
  return lines.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}

describe("a delivery", () => {
  it("carries a bounded number of entries in order, one delivery at once", async ({ expect }) => {
    const outbox = newOutbox();
    audit(outbox, ENTRIES_AT_ONCE + 1);
    const { dispatcher, sent, answer } = newDispatcher(outbox);
    dispatcher.startDue(NOW);
    dispatcher.startDue(NOW);
    expect(sizes(sent)).toEqual([ENTRIES_AT_ONCE]);
    await answer("delivered");
    await answer("delivered");
    expect(sizes(sent)).toEqual([ENTRIES_AT_ONCE, 1]);
    const versions = sent.flat().map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect([outbox.waiting().entries, dispatcher.startDue(NOW)]).toEqual([0, null]);
  });

  it("is repeated in smaller parts after a failure, delaying no other", async ({ expect }) => {
    const outbox = newOutbox();
    audit(outbox, 16);
    const { dispatcher, sent, answer } = newDispatcher(outbox);
    dispatcher.startDue(NOW);
    await answer(new Error("D1 refuses a row"));
    const pauses = [15, 30, 60].map((seconds) => seconds * SECOND);
    for (const pause of pauses) {
      expect(dispatcher.startDue(Date.now())).toBe(Date.now() + pause);
      vi.setSystemTime(Date.now() + pause);
      dispatcher.startDue(Date.now());
      await answer(new Error("D1 refuses a row"));
      while (outbox.due(D1, Date.now()).length > 0) await answer("delivered");
    }
    expect(sizes(sent)).toEqual([16, 12, 4, 3, 3, 3, 3, 1, 1, 1]);
    expect(outbox.waiting().entries).toBe(1);
    expect(logged()).toMatchObject(
      [16, 12, 3, 1].map((entries, index) => ({ event: "outbox_delivery_failed", entries, attempt: index + 1 })),
    );
  });

  it("is repeated if its answer cannot be stored, delaying no other entry", async ({ expect }) => {
    const outbox = newOutbox();
    outbox.enqueue({ target: "account:P1", kind: "conflict", key: "1" }, NOW);
    outbox.enqueue({ target: "account:P1", kind: "conflict", key: "2" }, NOW + 1);
    const { dispatcher, sent, answer } = newDispatcher(outbox, false);
    vi.setSystemTime(NOW + 1);
    dispatcher.startDue(NOW + 1);
    vi.spyOn(outbox, "settle").mockImplementationOnce(() => {
      throw new Error("the answer is not what this code expects");
    });
    await answer("delivered");
    await answer("delivered");
    expect(sent.map(([entry]) => entry?.key)).toEqual(["1", "2"]);
    expect(outbox.find({ target: "account:P1", kind: "conflict", key: "1" })).toMatchObject({ attempts: 1 });
  });

  it("does not delay D1 while an object does not answer", ({ expect }) => {
    const outbox = newOutbox();
    for (let object = 0; object <= TARGETS_AT_ONCE; object++) {
      outbox.enqueue({ target: `account:P${object}`, kind: "terms" }, NOW);
    }
    const { dispatcher, sent } = newDispatcher(outbox);
    dispatcher.startDue(NOW);
    audit(outbox, 1);
    dispatcher.startDue(NOW);
    expect(sent).toHaveLength(TARGETS_AT_ONCE + 1);
    expect(sent.at(-1)).toMatchObject([{ target: D1 }]);
  });

  it("delays everything else for the same target until it is answered", async ({ expect }) => {
    const outbox = newOutbox();
    audit(outbox, 3);
    const { dispatcher, sent, answer } = newDispatcher(outbox);
    dispatcher.startDue(NOW);
    await answer(new NoAnswer());
    vi.setSystemTime(NOW + 15 * SECOND);
    dispatcher.startDue(Date.now());
    await answer(new NoAnswer());
    expect(sizes(sent)).toEqual([3, 3]);
    expect(outbox.due(D1, Date.now())).toEqual([]);
  });

  it("goes to each target separately, and alone where entries cannot be combined", async ({ expect }) => {
    const outbox = newOutbox();
    for (const target of ["account:P1", "account:P2"]) {
      for (const key of ["1", "2"]) outbox.enqueue({ target, kind: "conflict", key }, NOW);
    }
    const { dispatcher, sent, answer } = newDispatcher(outbox, false);
    dispatcher.startDue(NOW);
    expect(sent.map(([entry]) => entry?.target)).toEqual(["account:P1", "account:P2"]);
    await answer("refused");
    await answer("busy");
    await answer("delivered");
    expect(sizes(sent)).toEqual([1, 1, 1, 1]);
    expect(logged()).toMatchObject([
      { event: "outbox_entry_dropped", target: "account:P1", kind: "conflict", key: "1" },
    ]);
    expect(outbox.waiting().entries).toBe(2);
  });
});

describe("deliveries that follow one another", () => {
  it("end with what one invocation may do, and the alarm goes on", async ({ expect }) => {
    const outbox = newOutbox();
    for (let entry = 0; entry <= CHAINED_DELIVERIES; entry++)
      outbox.enqueue({ target: D1, kind: "state", key: `${entry}` }, NOW);
    const { dispatcher, sent, answer } = newDispatcher(outbox, false);
    dispatcher.startDue(NOW);
    const next = vi.spyOn(dispatcher, "startDue");
    for (let delivery = 0; delivery <= CHAINED_DELIVERIES; delivery++) await answer("delivered");
    expect(sent).toHaveLength(CHAINED_DELIVERIES);
    expect(next.mock.results.at(-1)?.value).toBe(NOW + SECOND / 10);
    dispatcher.startDue(NOW);
    expect(sent).toHaveLength(CHAINED_DELIVERIES + 1);
  });
});

describe("the object's alarm", () => {
  it("is due with the next entry, or soon after a delivery begins", async ({ expect }) => {
    const outbox = newOutbox();
    const { dispatcher, answer } = newDispatcher(outbox);
    expect(dispatcher.startDue(NOW)).toBeNull();
    outbox.enqueue({ target: D1, kind: "state", notBefore: NOW + SECOND }, NOW);
    expect(dispatcher.startDue(NOW)).toBe(NOW + SECOND);
    vi.setSystemTime(NOW + SECOND);
    dispatcher.startDue(Date.now());
    expect(dispatcher.startDue(Date.now())).toBe(Date.now() + SAFETY);
    await answer("delivered");
    expect(dispatcher.startDue(Date.now())).toBeNull();
  });

  it("comes although a delivery could not be started", ({ expect }) => {
    const outbox = newOutbox();
    const { dispatcher } = newDispatcher(outbox);
    outbox.enqueue({ target: D1, kind: "state" }, NOW);
    vi.spyOn(outbox, "targets").mockImplementation(() => {
      throw new Error("the disk is broken");
    });
    dispatcher.startDue(NOW);
    expect(logged()).toMatchObject([{ event: "outbox_not_started" }]);
    expect(dispatcher.startDue(NOW)).toBeGreaterThan(NOW);
  });
});

describe("a caller that waits for a delivery", () => {
  it("waits for its version at its target, whatever else is in flight", async ({ expect }) => {
    const outbox = newOutbox();
    outbox.enqueue({ target: "account:P2", kind: "binding" }, NOW);
    outbox.enqueue({ target: D1, kind: "state" }, NOW);
    const { dispatcher, answer } = newDispatcher(outbox);
    dispatcher.startDue(NOW);
    const version = outbox.enqueue({ target: D1, kind: "state" }, NOW);
    let isOver = false;
    const waited = dispatcher.awaitDelivered({ target: D1, version }, 10 * SECOND).then(() => (isOver = true));
    await answer("delivered");
    expect(isOver).toBe(false);
    await answer("delivered");
    await answer("delivered");
    expect(await waited).toBe(true);
  });

  it("waits for its own kind only, behind no rejected outcome", async ({ expect }) => {
    const outbox = newOutbox();
    outbox.enqueue({ target: "account:P1", kind: "outcome", key: "1000000001", version: 1 }, NOW);
    const version = outbox.enqueue({ target: "account:P1", kind: "binding" }, NOW);
    const { dispatcher, answer, sent } = newDispatcher(outbox, false);
    dispatcher.startDue(NOW);
    const waited = dispatcher.awaitDelivered({ target: "account:P1", kind: "binding", version }, 5 * SECOND);
    await answer("failed");
    expect(sent.at(-1)).toMatchObject([{ kind: "binding" }]);
    await vi.advanceTimersByTimeAsync(SECOND);
    dispatcher.startDue(Date.now());
    let isOver = false;
    void waited.then(() => (isOver = true));
    await answer("delivered");
    expect(sent.at(-1)).toMatchObject([{ kind: "outcome" }]);
    expect(isOver).toBe(true);
  });

  it.for([new Error("refused"), null])(
    "waits no longer than a failure or its time: %s",
    async (failure, { expect }) => {
      const outbox = newOutbox();
      const version = outbox.enqueue({ target: D1, kind: "state" }, NOW);
      const { dispatcher, answer } = newDispatcher(outbox);
      dispatcher.startDue(NOW);
      const waited = dispatcher.awaitDelivered({ target: D1, version }, SECOND);
      if (failure === null) await vi.advanceTimersByTimeAsync(SECOND);
      else await answer(failure);
      expect(await waited).toBeUndefined();
    },
  );
});
