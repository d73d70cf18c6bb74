/** Deliveries over real connections: to misbehaving receivers, and to `npm run pos -- webhooks listen`. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, inject, it } from "vitest";
import { newReferenceId, type PosClient, type Webhook } from "../../src/sdk/client/pos.ts";
import { createAccount, type OutsideAccount, posOf } from "../support/fresh-project.ts";
import { eventually } from "../support/patience.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";
import { TerminalProcess } from "../support/terminal-process.ts";

let account: OutsideAccount;
let terminal: TerminalProcess;
let pos: PosClient;
const servers: (Server | TcpServer)[] = [];

beforeAll(async () => {
  account = await createAccount();
  terminal = new TerminalProcess("T-HOOKS", account);
  await terminal.start("--pace", "20");
  pos = posOf(account);
});

afterEach(async () => {
  for (const { id } of await pos.webhooks()) await pos.removeWebhook(id);
});

afterAll(async () => {
  await terminal.program.end("SIGTERM");
  for (const server of servers) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
});

async function listening(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.listen(0, "localhost");
  await once(server, "listening");
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

function receiver(answer: Answering): Promise<string> {
  return listening(
    createServer((request, response) => {
      request.resume();
      request.on("end", () => answer(request, response));
    }),
  );
}

async function sell(): Promise<string> {
  const referenceId = newReferenceId();
  const deviceId = terminal.terminalId;
  const { statusCode } = await pos.sale({ deviceId, referenceId, transAmt: "4.00", paymentMethod: "bankCard" });
  if (statusCode !== "00") throw new Error(`the sale was not approved: ${statusCode}`);
  return referenceId;
}

/** Polls until the webhook is as expected. */
function shows(id: string, wanted: (webhook: Webhook) => boolean): Promise<Webhook> {
  return eventually(async () => {
    const webhook = await pos.webhook(id);
    if (!wanted(webhook)) throw new Error(`never as wanted: ${JSON.stringify(webhook)}`);
    return webhook;
  });
}

describe("a receiver", () => {
  it("does not redirect a delivery by answering with a redirect", async ({ expect }) => {
    let visits = 0;
    const elsewhere = await receiver((_request, response) => {
      visits++;
      response.end();
    });
    const url = await receiver((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    const { id } = await pos.addWebhook(url);
    await sell();
    const { cursor, attempts } = await shows(id, ({ attempts: [last] }) => last !== undefined);
    expect([visits, attempts[0]?.status, (attempts[0]?.number ?? 0) - cursor]).toEqual([0, 307, 1]);
  });

  it("is cut off after its status if it sends a gigabyte", async ({ expect }) => {
    let written = 0;
    let closed = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const url = await receiver((_request, response) => {
      response.writeHead(200, { "content-length": String(2 ** 30) });
      const more = (): void => {
        while (written < 2 ** 30 && response.write(chunk)) written += chunk.length;
      };
      response.on("drain", more);
      response.on("close", () => closed++);
      response.on("error", () => undefined);
      more();
    });
    const { id } = await pos.addWebhook(url);
    await sell();
    const { attempts } = await shows(id, ({ behind }) => behind === 0);
    expect(attempts[0]?.status).toBe(200);
    await expect.poll(() => closed).toBe(1);
    // The buffers of the sockets of both ends.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it("has received the event once its status arrives, however slow its body", async ({ expect }) => {
    const url = await receiver((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x");
    });
    const { id } = await pos.addWebhook(url);
    await sell();
    const { attempts } = await shows(id, ({ behind }) => behind === 0);
    expect(attempts[0]?.status).toBe(200);
    expect(attempts[0]?.milliseconds).toBeLessThan(9_000);
  });

  it("times out after ten seconds without a whole header, while payments continue", async ({ expect }) => {
    let hungUp = 0;
    const url = await listening(
      createTcpServer((socket) => {
        socket.on("error", () => undefined);
        // Keep reading, or the end of the connection goes unnoticed.
        socket.resume();
        socket.once("data", () => socket.write("HTTP/1.1 200 O"));
        socket.on("close", () => hungUp++);
      }),
    );
    const ids = [(await pos.addWebhook(url)).id, (await pos.addWebhook(url)).id, (await pos.addWebhook(url)).id];
    await sell();
    await sell();
    for (const id of ids) expect((await pos.webhook(id)).attempts).toEqual([]);
    const [id = ""] = ids;
    const { attempts } = await shows(id, (webhook) => webhook.attempts.length > 0);
    expect(attempts[0]?.status).toBeNull();
    expect(attempts[0]?.milliseconds).toBeGreaterThanOrEqual(9_900);
    await expect.poll(() => hungUp).toBeGreaterThanOrEqual(3);
  });
});

/** The shell, with the account's credentials. */
function shell(...args: string[]): Program {
  const { posId, merchantId, password, signingKey } = account;
  const { baseUrl, folder } = inject("gateway");
  const secrets = { PASSWORD: password, SIGNING_KEY: signingKey };
  const env = { GATEWAY_URL: baseUrl, PERSIST_TO: folder, POS_ID: posId, MERCHANT_ID: merchantId, ...secrets };
  return new Program([join(ROOT, "src", "sdk", "command-line", "pos.ts"), ...args], { cwd: ROOT, env });
}

describe("npm run pos -- webhooks", () => {
  it("listens from a given number, verifies, prints, and leaves nothing behind", async ({ expect }) => {
    const listen = shell("webhooks", "listen");
    await listen.says("Ctrl-C ends it");
    const [webhook] = await pos.webhooks();
    const referenceId = await sell();
    await listen.says(referenceId);
    expect(await pos.testWebhook(webhook?.id ?? "")).toMatchObject({ status: 204 });
    await listen.says("A ping.");
    expect(await listen.end("SIGINT")).toBe(0);
    expect(listen.stderr).toContain("is removed");
    expect(listen.output).not.toContain("whsec_");
    expect(await pos.webhooks()).toEqual([]);
  });

  it("fails the test, and prints why, if the receiver refuses the ping", async ({ expect }) => {
    const closed = createServer();
    const nobody = await listening(closed);
    await new Promise((resolve) => closed.close(resolve));
    const angry = await receiver((_request, response) => response.writeHead(503).end());
    for (const [url, why] of [
      [angry, { error: "refused", status: 503, message: expect.stringContaining("It must answer 200 to 299") }],
      [nobody, { error: "unreachable", message: expect.stringContaining("could not connect to the webhook") }],
    ] as const) {
      const test = shell("webhooks", "test", (await pos.addWebhook(url)).id, "--json");
      expect(await test.end(), test.output).toBe(3);
      expect(JSON.parse(test.stdout)).toMatchObject({ ...why, outcomeUnknown: false, next: "none" });
    }
  });
});
