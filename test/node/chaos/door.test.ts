/** The proxy of a chaos run: what it does to bytes on their way really happens to them. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, it } from "vitest";
import { Door } from "../../chaos/gateway/door.ts";
import { streamOf } from "../../chaos/random.ts";

let behind: Server;
let arrived = "";
let door: Door;
const clients: Socket[] = [];

beforeEach(async () => {
  arrived = "";
  // It answers everything with what it got.
  behind = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      arrived += String(bytes);
      socket.write(bytes);
    });
  });
  behind.listen(0, "127.0.0.1");
  await once(behind, "listening");
  door = await Door.open((behind.address() as AddressInfo).port);
});

afterEach(() => {
  for (const one of clients.splice(0)) one.destroy();
  door.close();
  behind.close();
});

async function client(): Promise<{ socket: Socket; got: () => string; closed: Promise<unknown> }> {
  const socket = connect(door.port, "127.0.0.1");
  clients.push(socket);
  let text = "";
  socket.on("data", (bytes) => (text += String(bytes)));
  socket.on("error", () => socket.destroy());
  await once(socket, "connect");
  return { socket, got: () => text, closed: once(socket, "close") };
}

describe("the proxy of a chaos run", () => {
  it("passes everything on in clear weather", async ({ expect }) => {
    const { socket, got } = await client();
    socket.write("a sale");
    await expect.poll(got).toBe("a sale");
  });

  it("cuts a connection in the middle of a message", async ({ expect }) => {
    door.weather = { kind: "cut", share: 1, random: streamOf(1) };
    const { socket, got, closed } = await client();
    socket.write("0123456789");
    await closed;
    await expect.poll(() => arrived).toBe("01234");
    expect(got()).toBe("");
    expect(door.hits.cut).toBe(1);
  });

  it("keeps a connection open that carries nothing, and delivers late or never", async ({ expect }) => {
    for (const isLate of [true, false]) {
      arrived = "";
      const over = Promise.withResolvers<void>();
      door.weather = { kind: "drop", over: over.promise, isLate };
      const { socket, got } = await client();
      socket.write("a sale");
      await expect.poll(() => door.hits.drop).toBe(isLate ? 1 : 2);
      await delay(50);
      expect([arrived, got(), socket.destroyed]).toEqual(["", "", false]);
      door.weather = { kind: "clear" };
      over.resolve();
      if (isLate) await expect.poll(got).toBe("a sale");
      else await expect.poll(() => socket.destroyed).toBe(true);
      expect(arrived).toBe(isLate ? "a sale" : "");
    }
  });

  it("delivers late, and in order", async ({ expect }) => {
    door.weather = { kind: "delay", milliseconds: 30 };
    const { socket, got } = await client();
    for (const text of ["one ", "two ", "three"]) {
      socket.write(text);
      await delay(5);
    }
    await expect.poll(got).toBe("one two three");
    expect(door.hits.delay).toBeGreaterThan(1);
  });

  it("sends a till's request a second time, on a connection of its own", async ({ expect }) => {
    expect(door.replay(streamOf(1))).toBe(false);
    const { socket, got } = await client();
    const request = "POST /api/transfer HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
    socket.write(request);
    await expect.poll(got).toBe(request);
    expect(door.replay(streamOf(1))).toBe(true);
    await expect.poll(() => arrived).toBe(request + request);
    expect(got()).toBe(request);
  });

  it("ends the other side when one side breaks", async ({ expect }) => {
    const { socket, got } = await client();
    socket.write("a sale");
    await expect.poll(got).toBe("a sale");
    expect(await connections(behind)).toBe(1);
    socket.destroy();
    await expect.poll(async () => connections(behind)).toBe(0);
  });
});

async function connections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}
