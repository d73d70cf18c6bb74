/** I7: which events a reader of the feed gets, what it learns about deleted ones, and when it must wait. */
import { afterEach, describe, it, vi } from "vitest";
import type { EventsAnswer } from "../../../../src/gateway/account/rpc.ts";
import { Followers, hasReadAll, readEvent, readStoredEvents } from "../../../../src/gateway/account/reading.ts";
import { EVENTS_PAGE } from "../../../../src/protocol/limits.ts";
import { type MemorySocket, socketPair } from "../../../workers-on-node/sockets.ts";
import { AccountParts } from "./parts.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** An account with as many recorded sales. */
function withSales(count: number): AccountParts {
  const parts = new AccountParts();
  parts.recordAll(...Array.from({ length: count }, (_, index) => parts.entry(`sale-${index + 1}`)));
  return parts;
}

function answerTo(parts: AccountParts, after: number | null, sessionId = parts.sessionId): EventsAnswer {
  return readStoredEvents(parts, { sessionId, after });
}

/** The numbers of the events, and the one to continue after. */
function read(parts: AccountParts, after: number | null) {
  const answer = answerTo(parts, after);
  if (answer.kind !== "events") return answer;
  const { bodies, next, skipped } = answer;
  return { numbers: bodies.map((body) => (JSON.parse(body) as { number: number }).number), next, skipped };
}

describe("a reader of the feed", () => {
  it("gets the events after its number in order, page by page", ({ expect }) => {
    const parts = withSales(EVENTS_PAGE + 1);
    const first = read(parts, 0);
    expect(first).toEqual({
      numbers: Array.from({ length: EVENTS_PAGE }, (_, index) => index + 1),
      next: EVENTS_PAGE,
      skipped: 0,
    });
    expect(read(parts, EVENTS_PAGE)).toEqual({ numbers: [EVENTS_PAGE + 1], next: EVENTS_PAGE + 1, skipped: 0 });
    expect(read(parts, EVENTS_PAGE + 1)).toEqual({ numbers: [], next: EVENTS_PAGE + 1, skipped: 0 });
  });

  it("gets the newest number, and no events, without a number", ({ expect }) => {
    expect(read(withSales(0), null)).toEqual({ numbers: [], next: 0, skipped: 0 });
    expect(read(withSales(2), null)).toEqual({ numbers: [], next: 2, skipped: 0 });
  });

  it("gets the number of deleted events up to its page's last event", ({ expect }) => {
    const parts = withSales(EVENTS_PAGE + 10);
    // As pruning leaves it if events 3 and 6 belong to open transactions.
    for (const number of [1, 2, 4, 5, 7, 8]) parts.events.remove(number);
    const skipped = (after: number) => {
      const answer = answerTo(parts, after);
      return answer.kind === "events" ? [answer.bodies.length, answer.next, answer.skipped] : answer;
    };
    expect([0, 1, 2, 3, 4, 6, 7].map(skipped)).toEqual([
      [EVENTS_PAGE, 106, 6],
      [EVENTS_PAGE, 106, 5],
      [EVENTS_PAGE, 106, 4],
      [EVENTS_PAGE, 107, 4],
      [EVENTS_PAGE, 107, 3],
      [EVENTS_PAGE, 108, 2],
      [EVENTS_PAGE, 108, 1],
    ]);
    expect([8, 106, 110].map(skipped)).toEqual([
      [EVENTS_PAGE, 108, 0],
      [4, 110, 0],
      [0, 110, 0],
    ]);
  });

  it("is refused a number that was never assigned", ({ expect }) => {
    expect(read(withSales(2), 3)).toEqual({ kind: "out-of-range", oldest: 1, newest: 2 });
    expect(read(withSales(0), 1)).toEqual({ kind: "out-of-range", oldest: 0, newest: 0 });
    expect(read(withSales(0), 0)).toEqual({ numbers: [], next: 0, skipped: 0 });
  });

  it("gets nothing without a session", ({ expect }) => {
    const parts = withSales(1);
    expect(answerTo(parts, 0, "none")).toEqual({ kind: "session-ended" });
    expect(readEvent(parts, "none", 1)).toEqual({ kind: "session-ended" });
    parts.records.update({ status: "suspended" });
    expect(answerTo(parts, 0)).toEqual({ kind: "not-active", status: "suspended" });
  });

  it("gets a single event as in the feed, unless it is missing", ({ expect }) => {
    const parts = withSales(1);
    expect(readEvent(parts, parts.sessionId, 1)).toEqual({ kind: "event", body: parts.events.body(1) });
    expect(readEvent(parts, parts.sessionId, 2)).toEqual({ kind: "no-such-event" });
  });

  it("waits only if it has read everything", ({ expect }) => {
    const parts = withSales(1);
    const waits = (after: number | null, sessionId = parts.sessionId) =>
      hasReadAll(readStoredEvents(parts, { sessionId, after }), { sessionId, after });
    expect(waits(1)).toBe(true);
    expect(waits(0)).toBe(false);
    expect(waits(null)).toBe(false);
    expect(waits(1, "none")).toBe(false);
    expect(waits(9)).toBe(false);
  });
});

describe("readers that wait", () => {
  it("are stored with a version, their number and their question", ({ expect }) => {
    vi.stubGlobal("WebSocketPair", function makePair() {
      return socketPair();
    });
    const sockets: MemorySocket[] = [];
    const followers = new Followers({
      acceptWebSocket: (socket: unknown) => void sockets.push(socket as MemorySocket),
      getWebSockets: () => sockets as never,
    });
    for (const after of [4, 9]) followers.accept({ sessionId: "S-1", after });
    expect(sockets.map((socket) => socket.deserializeAttachment())).toEqual([
      { v: 1, number: 1, sessionId: "S-1", after: 4 },
      { v: 1, number: 2, sessionId: "S-1", after: 9 },
    ]);
  });
});
