import { describe, it } from "vitest";
import { closeQuietly, isOverload, textsFrom } from "../../../../src/gateway/durable/sockets.ts";

const GONE = {
  close(): void {
    throw new TypeError("closed already");
  },
};

describe("the end of a socket", () => {
  it("answers a close without a code, and no connection that broke", ({ expect }) => {
    const closed: unknown[] = [];
    const socket = { close: (...given: unknown[]) => void closed.push(given) } as unknown as WebSocket;
    for (const code of [4001, 1005, 1006, 1015]) closeQuietly(socket, code, "displaced");
    expect(closed).toEqual([[4001, "displaced"], [1000]]);
  });

  it("is quiet if the socket is gone already", () => {
    closeQuietly(GONE as unknown as WebSocket, 4001, "displaced");
  });
});

describe("a failed call of an object", () => {
  it.for<[boolean, unknown]>([
    [true, Object.assign(new Error("too much"), { overloaded: true })],
    [false, Object.assign(new Error("too much"), { overloaded: false })],
    [false, new Error("too much")],
    [false, null],
    [false, "overloaded"],
  ])("counts as an overload (%s): %s", ([isOne, error], { expect }) => {
    expect(isOverload(error)).toBe(isOne);
  });
});

function waitOnSocket({ within = 60_000, signal = new AbortController().signal } = {}) {
  const pair = new WebSocketPair();
  pair[1].accept();
  return { object: pair[1], texts: textsFrom(pair[0], { within, signal }) };
}

describe("a wait on a socket", () => {
  it("yields every text in order before it says that the socket broke", async ({ expect }) => {
    const { object, texts } = waitOnSocket();
    for (const text of ["one", "two"]) object.send(text);
    object.close(1011);
    const read = [await texts.next(), await texts.next(), await texts.next()];
    expect(read.map(({ value }) => value)).toEqual(["one", "two", "broken"]);
  });

  it("ends when its time is over", async ({ expect }) => {
    expect(await waitOnSocket({ within: 1 }).texts.next()).toEqual({ done: true, value: "over" });
  });

  it("ends when its caller hangs up, also before it begins", async ({ expect }) => {
    const controller = new AbortController();
    const reading = waitOnSocket({ signal: controller.signal }).texts.next();
    controller.abort();
    expect(await reading).toEqual({ done: true, value: "gone" });
    expect(await waitOnSocket({ signal: controller.signal }).texts.next()).toEqual({ done: true, value: "gone" });
  });
});
