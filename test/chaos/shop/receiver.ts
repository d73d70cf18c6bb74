/** The server of a shop's books, which receives its webhook. */
import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { text } from "node:stream/consumers";
import type { JournalFile } from "../journal-file.ts";
import { Turns } from "../turns.ts";
import { parsed } from "../wire/http.ts";

/** `late`: it has taken the event, and says so when nobody listens any more. */
export type Manner = "takes" | "fails" | "hangs" | "late";

/** The gateway waits for 10 seconds. */
const TOO_LATE = 12_000;

export class Receiver {
  readonly #server: Server;
  readonly #journal: JournalFile;
  readonly #posId: string;
  /** A part of the address that only the shop and the gateway know. */
  #path = "";
  webhookId = "";
  #secret = "";
  manner: Manner = "takes";
  readonly turns = new Turns();

  private constructor(server: Server, posId: string, journal: JournalFile) {
    this.#server = server;
    this.#posId = posId;
    this.#journal = journal;
    server.on("request", (request, response) => {
      // A delivery that breaks in the middle was not taken.
      this.#receive(request, response).catch(() => response.destroy());
    });
  }

  static async start(posId: string, journal: JournalFile): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    return new Receiver(server, posId, journal);
  }

  /**
   * An address for a new webhook. Earlier ones are gone: if the answer to a creation is lost, the shop has a webhook whose
   * secret it does not know, and creates another.
   */
  newAddress(): { path: string; url: string } {
    this.#path = `/hooks/${randomBytes(18).toString("base64url")}`;
    return { path: this.#path, url: `http://localhost:${(this.#server.address() as AddressInfo).port}${this.#path}` };
  }

  /** As the gateway has shown it. */
  trusts(webhookId: string, secret: string): void {
    this.webhookId = webhookId;
    this.#secret = secret;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url !== this.#path) {
      response.writeHead(410).end();
      return;
    }
    const { manner } = this;
    const status = manner === "fails" ? 503 : 204;
    if (manner === "late") await delay(TOO_LATE);
    this.#journal.write({
      kind: "webhook.received",
      posId: this.#posId,
      webhookId: this.webhookId,
      event: parsed(body) ?? {},
      signed: this.#isSigned(request, body),
      status: manner === "hangs" ? 0 : status,
    });
    if (manner === "hangs") await delay(TOO_LATE);
    if (manner === "hangs") response.destroy();
    else response.writeHead(status).end();
  }

  /** Standard Webhooks 1.0. */
  #isSigned({ headers }: IncomingMessage, body: string): boolean {
    const key = Buffer.from(this.#secret.replace("whsec_", ""), "base64");
    const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
    return String(headers["webhook-signature"]).split(" ").includes(signature);
  }
}
