import { readFile } from "node:fs/promises";
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { findErrorName } from "../../protocol/errors.ts";
import { BODY_BYTES } from "../../protocol/limits.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { readText } from "./message.ts";

/** `tls` has PEM files and is required for https. Port 0 lets the system choose. */
export interface ListenAddress {
  url: URL;
  tls: { certificate: string; key: string } | null;
}

export interface Received {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  /** The path below the kit's base path. */
  path: string;
  query: string;
  /** The body as it came. */
  text: string;
  /** Null if it is not a JSON object that the service accepts. */
  body: JsonObject | null;
  /** The token of `Authorization: Bearer`, or null. */
  bearer: string | null;
}

export abstract class Listener {
  /** The address that the tested side is pointed at, once the kit listens. */
  url = "";
  readonly #address: ListenAddress;
  protected server: Server | null = null;

  constructor(address: ListenAddress) {
    this.#address = address;
  }

  protected abstract receive(received: Received): void | Promise<void>;

  /** Resolves to `url`. Rejects with `CannotListen`. */
  async open(): Promise<string> {
    const { url, tls } = this.#address;
    const handler = (request: IncomingMessage, response: ServerResponse): void => void this.#read(request, response);
    const server =
      tls === null
        ? createPlainServer(handler)
        : createSecureServer({ cert: await readFile(tls.certificate), key: await readFile(tls.key) }, handler);
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        reject(new CannotListen(addressProblem(url, error.code ?? ""), { cause: error })),
      );
      // Without the brackets that an IPv6 address has in a URL
      server.listen(portOf(url), url.hostname.replace(/^\[|\]$/gu, ""), resolve);
    });
    this.server = server;
    const at = new URL(url);
    // A server that listens on a port always has this kind of address
    at.port = String((server.address() as AddressInfo).port);
    return (this.url = at.href.replace(/\/+$/u, ""));
  }

  /** Also closes every open connection. */
  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.server?.close(resolve);
      this.server?.closeAllConnections();
    });
  }

  protected pathOf(request: IncomingMessage): { path: string; query: string } {
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const prefix = this.#address.url.pathname.replace(/\/+$/u, "");
    return { path: path.startsWith(prefix) ? path.slice(prefix.length) : path, query };
  }

  async #read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request).catch(() => "");
    const body = Buffer.byteLength(sent) <= BODY_BYTES ? readText(sent) : null;
    const { method = "" } = request;
    const bearer = readBearer(request);
    await this.receive({ request, response, method, ...this.pathOf(request), text: sent, body, bearer });
  }
}

/** The message has the fix. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
}

const PROBLEMS: Record<string, string> = {
  EADDRINUSE: "another program listens there. Choose another port.",
  EACCES: "you have no permission for this port. Choose a port above 1023.",
};

/** @param code the system's error code */
export function addressProblem(url: URL, code: string): string {
  if (/^(?:EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/u.test(code)) {
    return (
      `${url.hostname} is not an address of this machine: the kit is the gateway, and listens at the URL itself; ` +
      `use http://127.0.0.1:${portOf(url)} or this machine's address in your network, and point the tested side at it.`
    );
  }
  return `The kit cannot listen at ${url.origin}: ${PROBLEMS[code] ?? `${code}.`}`;
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

export function readBearer(request: IncomingMessage): string | null {
  return /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1] ?? null;
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers });
  response.end(JSON.stringify(body));
}

interface ErrorMembers {
  code?: number;
  details?: { path: string; message: string }[];
  serverTime?: number;
  retryAfterSeconds?: number | undefined;
}

export function answerError(
  response: ServerResponse,
  status: number,
  message: string,
  { retryAfterSeconds, ...members }: ErrorMembers = {},
): void {
  const code = status * 100;
  const error = findErrorName(code) ?? "internal_server_error";
  const body = { code, error, message, traceId: crypto.randomUUID(), ...members };
  answerJson(response, status, body, {
    ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
  });
}

interface Wanted<Item> {
  from?: number;
  within: number;
  wanted?: (item: Item) => boolean;
}

export class Log<Item> {
  readonly items: Item[] = [];
  #wake: (() => void)[] = [];

  put(item: Item): void {
    this.items.push(item);
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Returns the first `wanted` item from index `from` on, now or `within` that time; null if none arrives. */
  async next({ from = 0, within, wanted = () => true }: Wanted<Item>): Promise<{ item: Item; index: number } | null> {
    const end = performance.now() + within;
    let index = from;
    for (;;) {
      for (; index < this.items.length; index++) {
        const item = this.items[index];
        if (item !== undefined && wanted(item)) return { item, index };
      }
      const left = end - performance.now();
      if (left <= 0) return null;
      await this.#somethingNew(left);
    }
  }

  #somethingNew(within: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, within);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
