/**
 * When the gateway ends a connection that says nothing, and when the runtime lets go of it. On a socket of our own, as
 * WebSocket clients answer a close frame by themselves.
 */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { describe, inject, it } from "vitest";
import { OperatorClient } from "../../src/sdk/command-line/operator-client.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";

/** Seconds from the upgrade to the close frame, and to the end of the TCP connection; the close frame's code. */
async function silent(terminalId: string) {
  const { baseUrl, operatorToken } = inject("gateway");
  const secret = await new OperatorClient(baseUrl, operatorToken).must(
    "POST",
    "/terminals",
    { terminalId, isVT: 1 },
    "secret",
  );
  const message = withSignature({ terminalId, datetime: formatDatetime(Date.now()) }, secret);
  const login = await fetch(`${baseUrl}/terminal/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  const { token } = (await login.json()) as { token: string };
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    [
      "GET /terminal/connect HTTP/1.1",
      `Host: ${host}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      `Authorization: Bearer ${token}`,
      "",
      "",
    ].join("\r\n"),
  );
  return new Promise<{ code: number | null; closedAfter: number; endedAfter: number }>((resolve) => {
    const begun = Date.now();
    const seconds = (): number => (Date.now() - begun) / 1_000;
    let [code, closedAfter, endedAfter] = [null as number | null, NaN, NaN];
    socket.on("data", (data) => {
      // A close frame: FIN and opcode 8, its length, and the code (RFC 6455, section 5.5.1).
      const at = data.indexOf(0x88);
      if (code !== null || at < 0 || data.length < at + 4) return;
      code = data.readUInt16BE(at + 2);
      closedAfter = seconds();
      // The same code, masked with zeros.
      socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, code >> 8, code & 0xff]));
    });
    socket.on("end", () => {
      endedAfter = seconds();
      socket.end();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve({ code, closedAfter, endedAfter }));
  });
}

describe("a connection that never says hello", () => {
  it("gets its close frame (4003) after ten seconds, and its end later", async ({ expect }) => {
    const { code, closedAfter, endedAfter } = await silent("T-SILENT");
    expect(code).toBe(4003);
    expect(closedAfter).toBeGreaterThan(9);
    // The object has no way to end it: ten seconds in the local runtime, which are not the gateway's. Without an answer
    // to the close frame it takes longer than fifty.
    expect(endedAfter - closedAfter).toBeLessThan(50);
  });
});
