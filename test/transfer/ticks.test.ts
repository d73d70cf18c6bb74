/** The Worker that waits ticks when the object asks it to. */
import { describe, it, onTestFinished, vi } from "vitest";
import type { TerminalStub } from "../../src/rpc/terminal.ts";
import { responseTo, type TransferCall, type TransferReply } from "../../src/rpc/transfers.ts";
import { deliver, type Delivery, Ticker } from "../../src/http/transfer/deliver.ts";
import { eventually } from "../support/patience.ts";

const OUTCOME = { statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "2" } as const;

const CALL: TransferCall = {
  call: "cancel",
  question: {
    posId: "p-1",
    account: { merchantId: "m-1", currency: "MYR", timezone: "UTC", version: 0 },
    arrivedAt: 0,
    recorded: false,
    stages: false,
    problems: [],
    referenceId: "r-1",
  },
};

const WAITING: TransferReply = {
  kind: "waiting",
  about: { requestId: 1_000_000_001, transType: "sale", referenceId: "r-1", voidStatus: null },
  forMilliseconds: 95_000,
  standing: { ...OUTCOME, statusCode: "22" },
};

/** A Worker, played by the test, that waits at an object. */
function waitingWorker(reply: TransferReply): { object: WebSocket; texts: string[]; delivery: Promise<Delivery> } {
  const pair = new WebSocketPair();
  const texts: string[] = [];
  pair[1].addEventListener("message", ({ data }) => texts.push(String(data)));
  pair[1].accept();
  const stub = {
    fetch: () => Promise.resolve(responseTo({ reply, socket: pair[0] })),
  } as unknown as TerminalStub;
  const delivery = deliver({
    stub: () => stub,
    call: CALL,
    until: Date.now() + 95_000,
    ownWait: null,
    signal: new AbortController().signal,
    traceId: "trace-1",
  });
  return { object: pair[1], texts, delivery };
}

describe("a Worker that waits", () => {
  it("ticks when the reply asks for it, and keeps waiting", async ({ expect }) => {
    const { object, texts, delivery } = waitingWorker({ ...WAITING, tickIn: 5 });
    await eventually(() => expect(texts).toEqual(["tick"]));
    object.send(JSON.stringify({ type: "conclusion", outcome: OUTCOME }));
    expect(await delivery).toMatchObject({ kind: "answered", outcome: OUTCOME });
  });

  it("ticks when the socket asks for it, and keeps waiting", async ({ expect }) => {
    const { object, texts, delivery } = waitingWorker(WAITING);
    object.send(JSON.stringify({ type: "tick", in: 5 }));
    await eventually(() => expect(texts).toEqual(["tick"]));
    object.send(JSON.stringify({ type: "conclusion", outcome: OUTCOME }));
    expect(await delivery).toMatchObject({ kind: "answered", outcome: OUTCOME });
  });
});

describe("a ticker", () => {
  it("ticks once, at the last requested time, and not after it is stopped", ({ expect }) => {
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

  it("tolerates a socket that has already ended", ({ expect }) => {
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
