import { readFile } from "node:fs/promises";
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { BODY_BYTES } from "../protocol/limits/messages.ts";
import type { JsonObject } from "../signing/json.ts";
import { readText } from "./message.ts";

/** Where a kit listens. `tls`: PEM files, required for https. Port 0 lets the system choose. */
export interface Address {
  url: URL;
  tls: { certificate: string; key: string } | null;
}

/** A kit's HTTP server; `url` is the address that the tested side is pointed at. */
export interface Listening {
  server: Server;
  url: string;
  /** Closes the server and every open connection. */
  close(): Promise<void>;
}

/** A call that has arrived. */
export interface Received {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  /** Below the kit's base path. */
  path: string;
  query: string;
  /** Null if it is not a JSON object that the service accepts. */
  body: JsonObject | null;
  /** The token of `Authorization: Bearer`, or null. */
  bearer: string | null;
}

/** Resolves when the server listens. Rejects with `CannotListen` if it cannot. */
export async function listen({ url, tls }: Address, receive: (received: Received) => void): Promise<Listening> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [text, method = ""] = [await bodyOf(request), request.method];
    const body = text === null ? null : readText(text);
    receive({ request, response, method, ...pathOf(request, url), body, bearer: bearerOf(request) });
  };
  const handler = (request: IncomingMessage, response: ServerResponse): void => void handle(request, response);
  const server =
    tls === null
      ? createPlainServer(handler)
      : createSecureServer({ cert: await readFile(tls.certificate), key: await readFile(tls.key) }, handler);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new CannotListen(addressProblem(url, error.code ?? ""), { cause: error })),
    );
    server.listen(portOf(url), hostOf(url), resolve);
  });
  // A server that listens on a port always has this kind of address
  const { port: given } = server.address() as AddressInfo;
  const at = new URL(url);
  at.port = String(given);
  return {
    server,
    url: at.href.replace(/\/+$/u, ""),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The kit cannot listen at its address. The message has the fix. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
}

/** Why the kit cannot listen at `url`, by the system's error code. */
export function addressProblem(url: URL, code: string): string {
  switch (code) {
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_FAIL":
      return (
        `${url.hostname} is not an address of this machine: the kit is the gateway, and listens at the URL itself; ` +
        `use http://127.0.0.1:${portOf(url)} or this machine's address in your network, and point the tested side at it.`
      );
    case "EADDRINUSE":
      return `The kit cannot listen at ${url.origin}: another program listens there. Choose another port.`;
    case "EACCES":
      return `The kit cannot listen at ${url.origin}: you have no permission for this port. Choose a port above 1023.`;
    default:
      return `The kit cannot listen at ${url.origin}: ${code}.`;
  }
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** Removes the brackets that an IPv6 address has in a URL. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/gu, "");
}

/** The path below the kit's base path, and the query as received. */
export function pathOf(request: IncomingMessage, base: URL): { path: string; query: string } {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const prefix = base.pathname.replace(/\/+$/u, "");
  return { path: path.startsWith(prefix) ? path.slice(prefix.length) : path, query };
}

/** The body as text; null if it is incomplete or larger than the service accepts. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length <= BODY_BYTES) chunks.push(bytes);
    }
  } catch {
    return null;
  }
  return length <= BODY_BYTES ? Buffer.concat(chunks).toString("utf8") : null;
}

/** The token of `Authorization: Bearer`, or null. */
export function bearerOf(request: IncomingMessage): string | null {
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

const NAMES: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limit_exceeded",
  500: "internal_server_error",
};

/** What an error says in addition to its message. */
export interface ErrorMembers {
  code?: number;
  details?: { path: string; message: string }[];
  serverTime?: number;
  retryAfterSeconds?: number | undefined;
}

/** An error in the service's format, with the headers that belong to its status. */
export function answerError(
  response: ServerResponse,
  status: number,
  message: string,
  { retryAfterSeconds, ...members }: ErrorMembers = {},
): void {
  const error = NAMES[status] ?? "internal_server_error";
  const body = { code: status * 100, error, message, requestId: crypto.randomUUID(), ...members };
  answerJson(response, status, body, {
    ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
  });
}
