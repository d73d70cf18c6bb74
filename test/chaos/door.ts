/**
 * A TCP proxy before the gateway, one for each shop and terminal: what goes wrong between one of them and the gateway does not
 * go wrong for another.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/sdk/simulator/random.ts";

export type Weather =
  | { kind: "clear" }
  /** Each piece of bytes is late. */
  | { kind: "delay"; milliseconds: number }
  /** Some pieces end in the middle, and with them their connection. */
  | { kind: "cut"; share: number; random: Random }
  /** Connections stay open and carry nothing. Afterwards the bytes arrive late, or the connection breaks. */
  | { kind: "drop"; over: Promise<void>; isLate: boolean };

export class Door {
  readonly #server: Server;
  weather: Weather = { kind: "clear" };

  private constructor(server: Server, gatewayPort: number) {
    this.#server = server;
    server.on("connection", (client) => this.#join(client, gatewayPort));
  }

  static async open(gatewayPort: number): Promise<Door> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Door(server, gatewayPort);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #join(client: Socket, gatewayPort: number): void {
    const gateway = connect({ port: gatewayPort, host: "127.0.0.1", allowHalfOpen: true });
    for (const [one, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      one.setNoDelay(true);
      one.on("error", () => one.destroy());
      one.on("close", () => void this.#blackHole().then(() => other.destroy()));
      // A connection that broke is closed, which says it all.
      this.#carry(one, other).catch(() => undefined);
    }
  }

  /** Nothing passes a black hole, also not that a side is gone. */
  async #blackHole(): Promise<void> {
    if (this.weather.kind === "drop") await this.weather.over;
  }

  async #carry(from: Socket, to: Socket): Promise<void> {
    for await (const bytes of from as AsyncIterable<Buffer>) {
      const passed = await this.#passing(bytes);
      await written(to, passed);
      if (passed === bytes) continue;
      from.destroy();
      to.destroy();
      return;
    }
    await this.#blackHole();
    to.end();
  }

  /** What arrives of these bytes. If it is not all of them, the connection breaks. */
  async #passing(bytes: Buffer): Promise<Buffer> {
    const { weather } = this;
    switch (weather.kind) {
      case "clear":
        return bytes;
      case "delay":
        await delay(weather.milliseconds);
        return bytes;
      case "drop":
        await weather.over;
        return weather.isLate ? bytes : bytes.subarray(0, 0);
      case "cut":
        return weather.random.chance(weather.share) ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes;
      default:
        return weather satisfies never;
    }
  }
}

async function written(to: Socket, bytes: Buffer): Promise<void> {
  if (to.destroyed) throw new Error("the other side has gone");
  await new Promise<void>((resolve) => to.write(bytes, () => resolve()));
}
