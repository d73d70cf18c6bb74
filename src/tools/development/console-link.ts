import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserDemoCredentials } from "../../pages/demo.ts";
import { CommandError } from "../../sdk/command-line/operator-client.ts";

const HOST = "127.0.0.1";

type Offer = (browser: string) => Promise<BrowserDemoCredentials>;

/** The path has the browser's random id (a UUID). */
const PATH = /^\/demo\/([\da-f-]{36})$/;

/**
 * Gives the demo's credentials to the console's page, so that nobody has to type them, with a separate terminal for
 * each browser. It uses its own port, because the gateway does not know the accounts' secrets, and answers only
 * - with the random code from the fragment of the link that `npm start` prints: browsers do not send a fragment, so the
 *   code is in no request and no log;
 * - to a page of the gateway (`Origin`), at this machine's own address (`Host`), which excludes other names that point
 *   to this machine.
 * Everything else gets a plain 404.
 */
export class ConsoleLink {
  readonly #server: Server;
  readonly #code = randomBytes(24).toString("base64url");
  readonly #gatewayPort: number;
  readonly #origins: Set<string>;
  #offered: Offer | null = null;

  private constructor(gatewayPort: number) {
    this.#gatewayPort = gatewayPort;
    this.#origins = new Set([`http://${HOST}:${gatewayPort}`, `http://localhost:${gatewayPort}`]);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Listens on a free port, without credentials yet. */
  static async open(gatewayPort: number): Promise<ConsoleLink> {
    const link = new ConsoleLink(gatewayPort);
    await new Promise<void>((resolve, reject) => {
      link.#server.once("error", reject).listen(0, HOST, resolve);
    });
    return link;
  }

  /** The page's Content-Security-Policy names it. */
  get origin(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Opens the console with POS and terminal signed in. */
  get address(): string {
    return `http://${HOST}:${this.#gatewayPort}/console#demo=${this.#port}.${this.#code}`;
  }

  get #port(): number {
    // A server that listens on a port always has this kind of address
    return (this.#server.address() as AddressInfo).port;
  }

  /** `offer` is called for every page that opens. The message of its CommandError is printed. */
  offer(offer: Offer): void {
    this.#offered = offer;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host } = request.headers;
    const { method, url } = request;
    const [, browser] = PATH.exec(url ?? "") ?? [];
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    const fromPage = origin !== undefined && this.#origins.has(origin) && host === `${HOST}:${this.#port}`;
    if (!fromPage || browser === undefined) return void response.writeHead(404).end();
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    if (method === "OPTIONS") {
      response.setHeader("Access-Control-Allow-Headers", "Authorization");
      return void response.writeHead(204).end();
    }
    if (method !== "POST" || this.#offered === null || !this.#isCode(request.headers.authorization)) {
      return void response.writeHead(404).end();
    }
    try {
      const credentials = await this.#offered(browser);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(credentials));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.error(error.message);
      response.writeHead(500).end();
    }
  }

  #isCode(authorization: string | undefined): boolean {
    const given = Buffer.from(authorization ?? "");
    const right = Buffer.from(`Bearer ${this.#code}`);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
