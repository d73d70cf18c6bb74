/**
 * A receiver of webhooks that cannot be relied on: now and then it fails, hangs, drops the connection, or has taken an event
 * and does not get to say so. What it has taken is in its book, which outlives its restarts. It knows an event again by
 * `webhook-id` alone.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { WebhookReceiver } from "../../src/client/webhook.ts";
import { type Random, randomOf } from "../model/random.ts";

/** `forgets`: the event is in the book, and the answer is lost. */
type Mishap = "fails" | "hangs" | "drops" | "forgets";

const MISHAPS: readonly Mishap[] = ["fails", "hangs", "drops", "forgets"];

/** Deliveries that go well between two that do not: at most so many. */
const GOOD_AT_ONCE = 12;

export class UnreliableReceiver {
  readonly #server: Server;
  readonly #random: Random;
  /** By `webhook-id`: the bodies, in the order in which they came first. */
  readonly #book = new Map<string, string>();
  #secret = "";
  #isDown = false;
  #isReliable = false;
  #goodLeft: number;
  #ahead: Mishap[] = [];
  readonly #happened = new Set<Mishap>();
  /** The `webhook-id` of each delivery that was answered with 2xx, in order. */
  readonly acknowledged: string[] = [];
  /** What no sound delivery can be: a wrong signature, an id that is not its event's, other bytes under a known id. */
  readonly faults: string[] = [];

  private constructor(server: Server, seed: number) {
    this.#server = server;
    this.#random = randomOf(seed);
    this.#goodLeft = this.#random.below(GOOD_AT_ONCE);
    server.on("connection", (socket) => {
      if (this.#isDown) socket.destroy();
    });
    server.on("request", (request, response) => {
      // A connection that breaks in the middle is one more delivery that was not taken.
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  static async start(seed: number): Promise<UnreliableReceiver> {
    const server = createServer();
    // By its name, as the gateway calls it.
    server.listen(0, "localhost");
    await once(server, "listening");
    return new UnreliableReceiver(server, seed);
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** The bodies that it has taken, each once, in the order in which they came first. */
  get book(): string[] {
    return [...this.#book.values()];
  }

  /** Whether every mishap has happened at least once: true after fifty deliveries at most. */
  get hasSeenEverything(): boolean {
    return this.#happened.size === MISHAPS.length;
  }

  /** The secret that signs, as the gateway has shown it. */
  trusts(secret: string): void {
    this.#secret = secret;
  }

  /** Every connection is lost, and none is taken for some milliseconds. The address stays, and so does the book. */
  async restart(): Promise<void> {
    this.#isDown = true;
    this.#server.closeAllConnections();
    await delay(this.#random.below(1_000));
    this.#isDown = false;
  }

  /** From now on nothing goes wrong. */
  becomeReliable(): void {
    this.#isReliable = true;
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const mishap = this.#nextMishap();
    if (mishap === "hangs") return;
    if (mishap === "fails") {
      response.writeHead(500).end();
      return;
    }
    if (mishap === "drops") {
      response.destroy();
      return;
    }
    const id = String(request.headers["webhook-id"]);
    const status = await this.#enter(id, request, body);
    if (mishap === "forgets") {
      response.destroy();
      return;
    }
    if (status === 204) this.acknowledged.push(id);
    response.writeHead(status).end();
  }

  /** Verifies a delivery and writes it into the book. A receiver of its own for each: it knows no number from before. */
  async #enter(id: string, { headers }: IncomingMessage, body: string): Promise<number> {
    const receiver = new WebhookReceiver({
      secret: this.#secret,
      last: 0,
      onEvent: (event) => {
        if (event.id !== id) this.faults.push(`${id} brings ${event.id}`);
        const known = this.#book.get(id);
        if (known === undefined) this.#book.set(id, body);
        else if (known !== body) this.faults.push(`${id} has changed`);
      },
    });
    const reception = await receiver.receive(headers, body);
    if (reception.kind !== "taken") this.faults.push(`${id} is ${reception.kind}`);
    return reception.status;
  }

  /** Each in its turn, in an order and at moments that the seed decides. */
  #nextMishap(): Mishap | null {
    if (this.#isReliable || this.#goodLeft-- > 0) return null;
    this.#goodLeft = this.#random.below(GOOD_AT_ONCE);
    if (this.#ahead.length === 0) this.#ahead = shuffled(MISHAPS, this.#random);
    const mishap = this.#ahead.pop() ?? "fails";
    this.#happened.add(mishap);
    return mishap;
  }
}

function shuffled<Of>(all: readonly Of[], random: Random): Of[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ one }) => one);
}
