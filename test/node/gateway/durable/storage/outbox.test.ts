/** Which entries an outbox has, and when each is due again. */
import { describe, it } from "vitest";
import {
  backoff,
  D1,
  ENTRIES_AT_ONCE,
  entriesAtOnce,
  LOG_RESYNC,
  LONGEST_BACKOFF,
  NUMBER_BLOCK,
  type Outbox,
  type OutboxEntry,
  REMEMBERED_FOR,
} from "../../../../../src/gateway/durable/storage/outbox.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import { audit, newOutbox, NOW, useStillClock } from "../still-outbox.ts";

useStillClock();

describe("a version", () => {
  it("follows the clock, and grows by one when it stands still", ({ expect }) => {
    const outbox = newOutbox();
    expect([NOW, NOW, NOW - SECOND, NOW + SECOND].map((now) => outbox.nextVersion(now))).toEqual([
      NOW,
      NOW + 1,
      NOW + 2,
      NOW + SECOND,
    ]);
    expect(outbox.lastVersion).toBe(NOW + SECOND);
  });
});

describe("an entry", () => {
  const NAME = { target: "account:P1", kind: "outcome", key: "1000000001" };

  it("gives way only to a newer version, which is due at once", ({ expect }) => {
    const outbox = newOutbox();
    outbox.enqueue({ ...NAME, version: 2, payload: "two" }, NOW);
    const [entry] = outbox.due(NAME.target, NOW) as [OutboxEntry];
    outbox.settle(entry, "failed", NOW);
    outbox.enqueue({ ...NAME, version: 2, payload: "again" }, NOW + 1);
    outbox.enqueue({ ...NAME, version: 1, payload: "one" }, NOW + 1);
    expect(outbox.find(NAME)).toMatchObject({ version: 2, payload: "two", attempts: 1 });
    outbox.enqueue({ ...NAME, version: 3, payload: "three" }, NOW + 2);
    expect(outbox.find(NAME)).toEqual({
      ...NAME,
      version: 3,
      payload: "three",
      createdAt: NOW,
      attempts: 1,
      nextAt: NOW + 2,
    });
  });

  it("stays if it was replaced while an older version was delivered", ({ expect }) => {
    const outbox = newOutbox();
    outbox.enqueue({ ...NAME, version: 1 }, NOW);
    const [entry] = outbox.due(NAME.target, NOW) as [OutboxEntry];
    outbox.enqueue({ ...NAME, version: 2 }, NOW);
    for (const answer of ["delivered", "refused", "failed", "busy"] as const) outbox.settle(entry, answer, NOW);
    expect(outbox.find(NAME)).toMatchObject({ version: 2, attempts: 0 });
  });

  it("counts as undelivered only for its target and that target's kind", ({ expect }) => {
    const outbox = newOutbox();
    const version = outbox.enqueue({ target: "account:P10", kind: "binding" }, NOW);
    const isDelivered = (target: string, upTo = version) => outbox.isDelivered({ target, version: upTo });
    expect([isDelivered("account:P10"), isDelivered("account:")]).toEqual([false, false]);
    expect([isDelivered("account:P10", version - 1), isDelivered("account:P1"), isDelivered(D1)]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

function entryOf(outbox: Outbox): OutboxEntry {
  const entry = outbox.find(LOG_RESYNC);
  if (entry === null) throw new Error("no resync is enqueued");
  return entry;
}

describe("entries of a log", () => {
  it("are kept for as long as D1 can be restored", ({ expect }) => {
    const outbox = newOutbox();
    const deliverAll = (now: number): void => {
      for (const entry of outbox.due(D1, now)) outbox.settle(entry, "delivered", now);
    };
    audit(outbox, 2);
    outbox.enqueue({ target: D1, kind: "state" }, NOW);
    deliverAll(NOW);
    const later = NOW + 1 + REMEMBERED_FOR;
    outbox.enqueue({ target: D1, kind: NUMBER_BLOCK, key: "1", payload: "{}" }, later);
    deliverAll(later);
    outbox.enqueueLogResync(later);
    const part = outbox.logPart(entryOf(outbox));
    expect(part.map(({ kind, version }) => [kind, version - NOW])).toEqual([
      ["audit", 1],
      [NUMBER_BLOCK, 1 + REMEMBERED_FOR],
    ]);
  });

  it("are delivered again in bounded parts, which are smaller after a failure", ({ expect }) => {
    const outbox = newOutbox();
    const many = 2 * ENTRIES_AT_ONCE + 1;
    audit(outbox, many);
    for (let entry = 0; entry < many; entry++)
      for (const one of outbox.due(D1, NOW)) outbox.settle(one, "delivered", NOW);
    outbox.enqueueLogResync(NOW);
    const parts: number[] = [];
    const deliverPart = (): void => {
      const entry = entryOf(outbox);
      const part = outbox.logPart(entry);
      outbox.continueLogResync(entry, part, NOW);
      outbox.settle(entry, "delivered", NOW);
      parts.push(part.length);
    };
    expect(outbox.waiting(D1).entries).toBe(1);
    deliverPart();
    outbox.settle(entryOf(outbox), "failed", NOW);
    deliverPart();
    while (outbox.find(LOG_RESYNC) !== null) deliverPart();
    expect(parts.reduce((sum, part) => sum + part)).toBe(many);
    expect([parts[0], parts[1]]).toEqual([ENTRIES_AT_ONCE, entriesAtOnce(1)]);
    expect(Math.max(...parts)).toBe(ENTRIES_AT_ONCE);
  });

  it("are delivered again from the beginning if a resync begins during another", ({ expect }) => {
    const outbox = newOutbox();
    audit(outbox, 1);
    for (const one of outbox.due(D1, NOW)) outbox.settle(one, "delivered", NOW);
    outbox.enqueueLogResync(NOW);
    const first = entryOf(outbox);
    outbox.enqueueLogResync(NOW);
    outbox.continueLogResync(first, outbox.logPart(first), NOW);
    expect(outbox.logPart(entryOf(outbox))).toHaveLength(1);
  });
});

describe("the pause after a failure", () => {
  it.for([
    [D1, 0, 30 * SECOND],
    [D1, 1, 60 * SECOND],
    [D1, 100, LONGEST_BACKOFF],
    ["account:P1", 0, SECOND],
    ["account:P1", 5, 32 * SECOND],
    ["account:P1", 100, LONGEST_BACKOFF],
  ] as const)("is random: to %s after %i others, at most %i ms", ([target, attempts, longest], { expect }) => {
    expect([0, 0.5, 1].map((random) => backoff(target, attempts, random))).toEqual([1, longest / 2, longest]);
  });
});
