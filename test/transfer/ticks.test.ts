/** The Worker that waits ticks when the object asks it to. */
import { describe, it, onTestFinished, vi } from "vitest";
import type { TerminalStub } from "../../src/terminal/stub.ts";
import type { TransferReply } from "../../src/terminal/transfer-calls.ts";
import { deliver, type Delivery } from "../../src/transfer/deliver.ts";
import { Ticker } from "../../src/transfer/ticker.ts";

const OUTCOME = { statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "2" } as const;

const WAITING: TransferReply = {
  kind: "waiting",
  about: { requestId: 1_000_000_001, transType: "sale", referenceId: "r-1", voidStatus: null },
  conclusions: 0,
  forMilliseconds: 95_000,
  standing: { ...OUTCOME, statusCode: "22" },
};

/** A Worker that waits at an object in the hands of the test. */
function waitingWorker(): { object: WebSocket; texts: string[]; address: () => URL; delivery: Promise<Delivery> } {
  const pair = new WebSocketPair();
  const texts: string[] = [];
  let address = "";
  pair[1].addEventListener("message", ({ data }) => texts.push(String(data)));
  pair[1].accept();
  const stub = {
    fetch: (url: string) => {
      address = url;
      return Promise.resolve({ webSocket: pair[0] });
    },
  } as unknown as TerminalStub;
  const delivery = deliver({
    stub: () => stub,
    call: () => Promise.resolve(WAITING),
    until: Date.now() + 95_000,
    ownWait: null,
    signal: new AbortController().signal,
  });
  return { object: pair[1], texts, address: () => new URL(address), delivery };
}

describe("a Worker that waits", () => {
  it("says that it ticks, ticks when it was asked to, and waits on", async ({ expect }) => {
    const { object, texts, address, delivery } = waitingWorker();
    object.send(JSON.stringify({ type: "tick", in: 5 }));
    await vi.waitFor(() => expect(texts).toEqual(["tick"]));
    expect(address().searchParams.get("ticks")).toBe("1");
    object.send(JSON.stringify({ type: "conclusion", outcome: OUTCOME }));
    expect(await delivery).toMatchObject({ kind: "answered", outcome: OUTCOME });
  });
});

describe("a ticker", () => {
  it("ticks once, at the time asked for last, and not after it was stopped", ({ expect }) => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const send = vi.fn<(text: string) => void>();
    const ticker = new Ticker({ send });
    ticker.tickIn(1_000);
    ticker.tickIn(2_000);
    vi.advanceTimersByTime(1_999);
    expect(send).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(send.mock.calls).toEqual([["tick"]]);
    ticker.tickIn(1_000);
    ticker.stop();
    vi.advanceTimersByTime(10_000);
    expect(send).toHaveBeenCalledOnce();
  });

  it("takes a socket that has ended for one that says so itself", ({ expect }) => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const ticker = new Ticker({
      send: () => {
        throw new TypeError("the socket is closed");
      },
    });
    ticker.tickIn(1);
    expect(() => vi.advanceTimersByTime(1)).not.toThrow();
  });
});
