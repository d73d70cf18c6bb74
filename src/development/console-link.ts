import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DemoCredentials } from "../console/shared/demo.ts";

const HOST = "127.0.0.1";
const PATH = "/demo";

/**
 * Gives the demo's credentials to the console's page, so that nobody has to type them: on a port of its own, as the
 * gateway knows no secrets of accounts, and only
 * - to whoever names the random code, which stands in the fragment of the link that `npm start` prints: browsers keep a
 *   fragment to themselves, it is in no request and no log;
 * - to a page of the gateway, by the browser's word (`Origin`), and under this machine's own address (`Host`), so that no
 *   name that somebody points at this machine is taken for it.
 * All else gets a bare 404.
 */
export class ConsoleLink {
  readonly #server: Server;
  readonly #code = randomBytes(24).toString("base64url");
  readonly #gatewayPort: number;
  readonly #origins: Set<string>;
  #offered: DemoCredentials | null = null;

  private constructor(gatewayPort: number) {
    this.#gatewayPort = gatewayPort;
    this.#origins = new Set([`http://${HOST}:${gatewayPort}`, `http://localhost:${gatewayPort}`]);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** Listens on a free port, and has nothing to give yet. */
  static async open(gatewayPort: number): Promise<ConsoleLink> {
    const link = new ConsoleLink(gatewayPort);
    await new Promise<void>((resolve, reject) => {
      link.#server.once("error", reject).listen(0, HOST, resolve);
    });
    return link;
  }

  /** Where the page asks: for its Content-Security-Policy. */
  get origin(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** The link that opens the console with both halves signed in. */
  get address(): string {
    return `http://${HOST}:${this.#gatewayPort}/console#demo=${this.#port}.${this.#code}`;
  }

  get #port(): number {
    // The assertion: a server on a port has no other kind of address
    return (this.#server.address() as AddressInfo).port;
  }

  offer(credentials: DemoCredentials): void {
    this.#offered = credentials;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { origin, host } = request.headers;
    const { method, url } = request;
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    const fromPage = origin !== undefined && this.#origins.has(origin) && host === `${HOST}:${this.#port}`;
    if (!fromPage || url !== PATH) return void response.writeHead(404).end();
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    if (method === "OPTIONS") {
      response.setHeader("Access-Control-Allow-Headers", "Authorization");
      return void response.writeHead(204).end();
    }
    if (method !== "GET" || this.#offered === null || !this.#isCode(request.headers.authorization)) {
      return void response.writeHead(404).end();
    }
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(this.#offered));
  }

  #isCode(authorization: string | undefined): boolean {
    const given = Buffer.from(authorization ?? "");
    const right = Buffer.from(`Bearer ${this.#code}`);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
