/** I7: how a reader's call waits for the account's object when that is reset, overloaded or silent. */
import { describe, expect, it, vi } from "vitest";
import { type EventsWait, readFeed } from "../../../../src/gateway/http/pos/events/wait.ts";
import { Overload } from "../../../../src/gateway/durable/sockets.ts";
import type { AccountStub, EventsAnswer } from "../../../../src/gateway/account/rpc.ts";

const NOTHING = { kind: "events", bodies: [], next: 7, skipped: 0 } as const;
const NEWS: EventsAnswer = { ...NOTHING, bodies: ["{}"], next: 8 };

/** The answers of an object, one for each call; the last one stays. */
function reading(answers: (() => Promise<Response>)[], wait: number, signal = new AbortController().signal) {
  const asked: string[] = [];
  const fetch = (url: string): Promise<Response> => {
    asked.push(url);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer?.() ?? Promise.reject(new Error("no answer"));
  };
  const question: EventsWait["question"] = { sessionId: "s-1", after: 7 };
  const read = (): Promise<EventsAnswer> =>
    readFeed(() => ({ fetch }) as unknown as AccountStub, { question, wait, signal, traceId: "trace-1" });
  return { asked, read };
}

const reset = (): Promise<Response> => Promise.reject(new Error("reset"));
const news = (): Promise<Response> => Promise.resolve(Response.json(NEWS));

function broken(): Promise<Response> {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.close(1011, "reset");
  return Promise.resolve(new Response(null, { status: 101, webSocket: client }));
}

describe("a reader's wait for events", () => {
  it("continues at the same number after a reset or broken connection", async () => {
    const { asked, read } = reading([reset, broken, news], 60_000);
    const pauses = vi.spyOn(scheduler, "wait");
    expect(await read()).toEqual(NEWS);
    expect(pauses.mock.calls.filter(([, options]) => options === undefined)).toHaveLength(2);
    pauses.mockRestore();
    expect(asked).toEqual(Array(3).fill("https://account.internal/wait?after=7"));
  });

  it("throws at once when the object is overloaded", async () => {
    const { asked, read } = reading([() => Promise.reject(new Overload("overloaded")), news], 60_000);
    await expect(read()).rejects.toThrow("overloaded");
    expect(asked).toHaveLength(1);
  });

  it("ends empty when the connection breaks and no time is left", async () => {
    const { asked, read } = reading([broken, news], 1);
    expect(await read()).toEqual(NOTHING);
    expect(asked).toHaveLength(1);
  });

  it("throws when the object is unreachable and no time is left", async () => {
    const { asked, read } = reading([reset, news], 1);
    await expect(read()).rejects.toThrow("reset");
    expect(asked).toHaveLength(1);
  });

  it("asks no more when its caller has hung up", async () => {
    const hungUp = reading([broken, news], 60_000, AbortSignal.abort());
    expect(await hungUp.read()).toEqual(NOTHING);
    const failed = reading([reset, news], 60_000, AbortSignal.abort());
    await expect(failed.read()).rejects.toThrow("reset");
    expect([hungUp.asked, failed.asked].map(({ length }) => length)).toEqual([1, 1]);
  });
});
