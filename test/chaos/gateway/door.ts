/**
 * A TCP proxy before the gateway, one for each who calls it: what goes wrong between one shop and the gateway does not go
 * wrong between another and the gateway.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";

export type Weather =
  | { kind: "clear" }
  /** Each piece of bytes is late. */
  | { kind: "delay"; milliseconds: number }
  /** Some pieces end in the middle, and with them their connection. */
  | { kind: "cut"; share: number; random: Random }
  /** Connections stay open and carry nothing. Afterwards the bytes arrive late, or the connection breaks. */
  | { kind: "drop"; over: Promise<void>; isLate: boolean };

/** Requests that are kept to be sent a second time. */
const KEPT_REQUESTS = 8;

export class Door {
  readonly #server: Server;
  readonly #gatewayPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #requests: Buffer[] = [];
  weather: Weather = { kind: "clear" };
  /** How often it did what the weather asks for: a fault that hits nothing tests nothing. */
  readonly hits: Record<Weather["kind"], number> = { clear: 0, delay: 0, cut: 0, drop: 0 };

  private constructor(server: Server, gatewayPort: number) {
    this.#server = server;
    this.#gatewayPort = gatewayPort;
    server.on("connection", (client) => this.#join(client));
  }

  static async open(gatewayPort: number): Promise<Door> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Door(server, gatewayPort);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends the bytes of an earlier request again, on a connection of their own. The answer reaches nobody. */
  replay(random: Random): boolean {
    if (this.#requests.length === 0) return false;
    const gateway = connect(this.#gatewayPort, "127.0.0.1");
    gateway.on("error", () => gateway.destroy());
    gateway.resume();
    gateway.write(random.pick(this.#requests));
    return true;
  }

  close(): void {
    this.#server.close();
    this.cutAll();
  }

  #join(client: Socket): void {
    const gateway = connect({ port: this.#gatewayPort, host: "127.0.0.1", allowHalfOpen: true });
    for (const [one, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => one.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        void this.#blackHole().then(() => other.destroy());
      });
    }
    for (const carried of [this.#carry(client, gateway), this.#carry(gateway, client)]) {
      // A connection that broke is closed, which says it all.
      carried.catch(() => undefined);
    }
  }

  /** Nothing passes a black hole, also not that a side is gone. */
  async #blackHole(): Promise<void> {
    if (this.weather.kind === "drop") await this.weather.over;
  }

  async #carry(from: Socket, to: Socket): Promise<void> {
    for await (const bytes of from as AsyncIterable<Buffer>) {
      this.#keep(bytes);
      if (!(await this.#send(bytes, to))) {
        from.destroy();
        to.destroy();
        return;
      }
    }
    await this.#blackHole();
    to.end();
  }

  /** Resolves to false if the connection breaks. */
  async #send(bytes: Buffer, to: Socket): Promise<boolean> {
    const { weather } = this;
    if (weather.kind === "delay") {
      this.hits.delay++;
      await delay(weather.milliseconds);
    }
    if (weather.kind === "drop") {
      this.hits.drop++;
      await weather.over;
      if (!weather.isLate) return false;
    }
    if (weather.kind === "cut" && weather.random.chance(weather.share)) {
      this.hits.cut++;
      await written(to, bytes.subarray(0, Math.ceil(bytes.length / 2)));
      return false;
    }
    await written(to, bytes);
    return true;
  }

  /** Keeps a request that came in one piece. */
  #keep(bytes: Buffer): void {
    if (!bytes.subarray(0, TRANSFER.length).equals(TRANSFER) || bytes.at(-1) !== "}".charCodeAt(0)) return;
    this.#requests.push(bytes);
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift();
  }
}

const TRANSFER = Buffer.from("POST /api/transfer");

async function written(to: Socket, bytes: Buffer): Promise<void> {
  if (to.destroyed) throw new Error("the other side has gone");
  await new Promise<void>((resolve) => to.write(bytes, () => resolve()));
}
