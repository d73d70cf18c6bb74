import { describe, it } from "vitest";
import { closeQuietly, isOverload } from "../../src/objects/sockets.ts";

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
  ])("(%s) is known to be an overload, and nothing else is: %s", ([isOne, error], { expect }) => {
    expect(isOverload(error)).toBe(isOne);
  });
});
