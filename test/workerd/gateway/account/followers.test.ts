/** Readers that wait at the account's object: what ends a wait, and that the object sleeps meanwhile (I7). */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { type EventsAnswer, WAIT_SESSION, accountStub } from "../../../../src/gateway/account/rpc.ts";
import { Claims } from "../../../../src/gateway/account/storage/claims.ts";
import type { TransactionEvent } from "../../../../src/protocol/events.ts";
import { WAITING_READERS } from "../../../../src/protocol/limits.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { type Books, openBooks, PASSWORD } from "../../../support/gateway/account/books.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

/** A reader as its Worker holds it. */
interface Waiting {
  socket: WebSocket | null;
  /** The object's answer, at once or over the socket; `broken` if the socket ends without one. */
  answer: Promise<EventsAnswer | "broken">;
}

async function wait({ posId, sessionId }: Books, after: number): Promise<Waiting> {
  const response = await accountStub(env, posId).fetch(`https://account.internal/wait?after=${after}`, {
    headers: { Upgrade: "websocket", [WAIT_SESSION]: sessionId },
  });
  const socket = response.webSocket;
  if (socket === null) return { socket, answer: response.json<EventsAnswer>() };
  const answer = new Promise<EventsAnswer | "broken">((resolve) => {
    socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)) as EventsAnswer));
    socket.addEventListener("close", () => resolve("broken"));
    socket.addEventListener("error", () => resolve("broken"));
  });
  socket.accept();
  return { socket, answer };
}

/** The numbers of the events in an answer. */
function numbersIn(answer: EventsAnswer | "broken"): unknown {
  if (answer === "broken" || answer.kind !== "events") return answer;
  return answer.bodies.map((body) => (JSON.parse(body) as TransactionEvent).number);
}

function waitingAt({ posId }: Books): Promise<number> {
  return runInDurableObject(
    env.ACCOUNT.getByName(posId),
    (_object, context) => context.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  );
}

describe("a reader that waits", () => {
  it("gets the next event, even if the object has slept meanwhile", async ({ expect }) => {
    const books = await openBooks();
    const [one, other] = [await wait(books, 0), await wait(books, 0)];
    // Fails while anything holds the object awake.
    await evictDurableObject(env.ACCOUNT.getByName(books.posId));
    await books.object.record([books.entry()]);
    expect([await one.answer, await other.answer].map(numbersIn)).toEqual([[1], [1]]);
    expect(await waitingAt(books)).toBe(0);
  });

  it("keeps waiting while nothing is recorded", async ({ expect }) => {
    const books = await openBooks();
    const entry = books.entry();
    await books.object.record([entry]);
    const { answer } = await wait(books, 1);
    await books.object.record([entry]);
    vi.spyOn(Claims.prototype, "save").mockImplementation(() => {
      throw new Error("the disk is full");
    });
    await books.object.record([books.entry()]);
    vi.restoreAllMocks();
    await books.object.admit(books.question());
    expect(await waitingAt(books)).toBe(1);
    await books.object.record([books.entry()]);
    expect(numbersIn(await answer)).toEqual([2]);
  });

  it("stops when its session ends, while readers of other sessions wait", async ({ expect }) => {
    const books = await openBooks();
    const opened = await books.object.openSession(PASSWORD, "test-1");
    if (opened.kind !== "opened") throw new Error(opened.kind);
    const ending = await wait({ ...books, sessionId: opened.sessionId }, 0);
    const staying = await wait(books, 0);
    await evictDurableObject(env.ACCOUNT.getByName(books.posId));
    await books.object.endSession(opened.sessionId);
    expect(await ending.answer).toEqual({ kind: "session-ended" });
    expect(await waitingAt(books)).toBe(1);
    staying.socket?.close(1000);
  });

  it("asks again after the object was reset", async ({ expect }) => {
    const books = await openBooks();
    const { answer } = await wait(books, 0);
    await abortAllDurableObjects();
    expect(await answer).toBe("broken");
    const again = await wait(books, 0);
    await accountStub(env, books.posId).record([books.entry()]);
    expect(numbersIn(await again.answer)).toEqual([1]);
  });

  it("ends with an empty page as the oldest of fifty-one", async ({ expect }) => {
    const books = await openBooks();
    await books.object.record([books.entry()]);
    const readers: Waiting[] = [];
    while (readers.length < WAITING_READERS) readers.push(await wait(books, 1));
    const [oldest, second] = readers;
    const { answer } = await wait(books, 1);
    expect(await oldest?.answer).toEqual({ kind: "events", bodies: [], next: 1, skipped: 0 });
    await eventually(async () => expect(await waitingAt(books)).toBe(WAITING_READERS));
    // The order survives a sleep.
    await evictDurableObject(env.ACCOUNT.getByName(books.posId));
    await wait(books, 1);
    expect(await second?.answer).toMatchObject({ bodies: [] });
    await books.object.record([books.entry()]);
    expect(numbersIn(await answer)).toEqual([2]);
  });
});
