/**
 * That nobody can send the gateway 30 MB in 30 KB: its WebSockets are not compressed (RFC 7692). On a workerd of its own,
 * because the proxy of the development tools negotiates compression for itself.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { OperatorClient } from "../../src/sdk/command-line/operator-client.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { LocalWorker } from "../support/local-worker.ts";
import { ROOT } from "../support/outside.ts";

const OPERATOR = randomBytes(24).toString("base64url");

let folder: string;
let gateway: LocalWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "compression-"));
  const variables = {
    MASTER_KEYS: `own:${randomBytes(32).toString("base64")}`,
    OPERATOR_TOKENS: `operator:${OPERATOR}`,
  };
  gateway = await LocalWorker.start({ project: ROOT, folder: join(folder, "gateway"), variables });
}, 120_000);

afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** The head of the gateway's answer to an upgrade that offers compression, as every browser's does. */
async function upgraded(): Promise<string> {
  const baseUrl = gateway.url;
  const port = Number(new URL(baseUrl).port);
  const terminalId = "T-1";
  const secret = await new OperatorClient(baseUrl, OPERATOR).must(
    "POST",
    "/terminals",
    { terminalId, isVT: 1 },
    "secret",
  );
  const login = await fetch(`${baseUrl}/terminal/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(withSignature({ terminalId, datetime: formatDatetime(Date.now()) }, secret)),
  });
  const { token } = (await login.json()) as { token: string };
  const socket = connect(port, "127.0.0.1");
  socket.write(
    [
      "GET /terminal/connect HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
      `Authorization: Bearer ${token}`,
      "",
      "",
    ].join("\r\n"),
  );
  return new Promise((resolve, reject) => {
    socket.on("data", (data) => {
      resolve(data.toString("latin1").split("\r\n\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

describe("a terminal's WebSocket", () => {
  it("accepts no compression that a client offers", async ({ expect }) => {
    const head = await upgraded();
    expect(head).toMatch(/^HTTP\/1\.1 101 /u);
    expect(head).not.toMatch(/^Sec-WebSocket-Extensions:/imu);
  });
});
