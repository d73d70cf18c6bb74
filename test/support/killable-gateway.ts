/**
 * The real Worker in a workerd of its own, to be killed: it is back within a second, on the same data and at the same
 * address. What it has not written is lost, and every connection to it.
 */
import { randomBytes } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import { Operator } from "../../src/command-line/operator/client.ts";
import type { RunningProcess } from "../bench/process.ts";
import { gatewayWorker, migrate } from "../bench/subjects/gateway.ts";
import { queryAt } from "../bench/subjects/subject.ts";
import { serveWorker, startWorker, WORKER } from "../bench/workerd.ts";

export class KillableGateway {
  readonly #folder: string;
  readonly #door: Server;
  readonly #sockets = new Set<Socket>();
  readonly operator: Operator;
  #running: RunningProcess | null;

  private constructor(folder: string, door: Server, running: RunningProcess, operatorToken: string) {
    this.#folder = folder;
    this.#door = door;
    this.#running = running;
    this.operator = new Operator(this.baseUrl, operatorToken);
    door.on("connection", (socket) => this.#forward(socket));
  }

  /** @param folder for this gateway only: the built Worker and its data */
  static async start(folder: string): Promise<KillableGateway> {
    const token = randomBytes(24).toString("base64url");
    // It reaches webhooks of this machine.
    const running = await startWorker({ ...gatewayWorker(token, 40), folder, reaches: "local" });
    await migrate(queryAt(running));
    // The process listens elsewhere after each start; its users know one address.
    const door = createServer();
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    return new KillableGateway(folder, door, running, token);
  }

  get baseUrl(): string {
    const address = this.#door.address();
    if (address === null || typeof address === "string") throw new Error("the gateway has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.kill();
    for (const socket of this.#sockets) socket.destroy();
  }

  async restart(): Promise<void> {
    this.#running = await serveWorker({ folder: this.#folder });
  }

  async end(): Promise<void> {
    await this.kill();
    this.#door.close();
  }

  #forward(socket: Socket): void {
    if (this.#running === null) {
      socket.destroy();
      return;
    }
    const worker = connect(this.#running.port(WORKER), "127.0.0.1");
    for (const [one, other] of [
      [socket, worker],
      [worker, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      // A connection that broke is closed, which says it all.
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
