import { describe, it } from "vitest";
import { callWith } from "../../../support/environment.ts";
import {
  boundPair,
  enrolTerminal,
  type ErrorBody,
  loginTerminal,
  operator,
  send,
  type CallOptions,
} from "../../../support/gateway.ts";

async function firstFrame(response: Response): Promise<Record<string, unknown>> {
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status}`);
  const frame = new Promise<string>((resolve) => {
    socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
  });
  socket.accept();
  const read = JSON.parse(await frame) as Record<string, unknown>;
  socket.close();
  return read;
}

function upgrade(options: CallOptions): Promise<Response> {
  return send("GET", "/terminal/connect", { ...options, headers: { Upgrade: "websocket", ...options.headers } });
}

describe("connect", () => {
  it("accepts the token as Authorization, and selects only offered protocols", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const response = await upgrade({ token: await loginTerminal(terminal) });
    expect(response.status).toBe(101);
    expect(response.headers.get("Sec-WebSocket-Protocol")).toBeNull();
    expect(await firstFrame(response)).toMatchObject({ type: "welcome", posId: account.posId });
  });

  it("accepts the token as the second protocol, and selects the first alone", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const token = await loginTerminal(terminal);
    const response = await upgrade({ headers: { "Sec-WebSocket-Protocol": `pos-terminal.v1, ${token}` } });
    expect(response.status).toBe(101);
    expect(response.headers.get("Sec-WebSocket-Protocol")).toBe("pos-terminal.v1");
    expect(await firstFrame(response)).toMatchObject({ type: "welcome", terminalId: terminal.terminalId, posId: null });
  });

  it("selects the protocol even if the token came as Authorization", async ({ expect }) => {
    const token = await loginTerminal(await enrolTerminal());
    const response = await upgrade({ token, headers: { "Sec-WebSocket-Protocol": "pos-terminal.v1" } });
    expect(response.headers.get("Sec-WebSocket-Protocol")).toBe("pos-terminal.v1");
    expect(await firstFrame(response)).toMatchObject({ type: "welcome" });
  });

  it("does not accept the token from anywhere else", async ({ expect }) => {
    const token = await loginTerminal(await enrolTerminal());
    for (const protocols of [token, `other, ${token}`, `${token}, pos-terminal.v1`, `pos-terminal.v1, x, ${token}`]) {
      expect((await upgrade({ headers: { "Sec-WebSocket-Protocol": protocols } })).status).toBe(401);
    }
    const inUrl = await send("GET", `/terminal/connect?token=${token}`, { headers: { Upgrade: "websocket" } });
    expect(inUrl.status).toBe(401);
  });

  it("answers 400 to a request that is not an upgrade", async ({ expect }) => {
    const response = await send("GET", "/terminal/connect", { token: await loginTerminal(await enrolTerminal()) });
    expect(response.status).toBe(400);
    const message = "This path opens a WebSocket. Send Upgrade: websocket.";
    expect((await response.json<ErrorBody>()).details).toEqual([{ path: "", message }]);
  });

  it("lets pages of this service connect, and no others", async ({ expect }) => {
    const token = await loginTerminal(await enrolTerminal());
    const own = await upgrade({ token, headers: { Origin: "https://gateway.test" } });
    expect(own.status).toBe(101);
    await firstFrame(own);
    for (const Origin of ["https://evil.test", "http://gateway.test", "null"]) {
      const response = await upgrade({ token, headers: { Origin } });
      expect(response.status).toBe(403);
      await response.text();
    }
  });

  it("lets pages of the configured origins connect", async ({ expect }) => {
    const token = await loginTerminal(await enrolTerminal());
    const headers = { Upgrade: "websocket", Origin: "https://shop.test" };
    const changes = { CORS_ORIGINS: "https://pos.test, https://shop.test" };
    const answer = await callWith(changes, "GET", "/terminal/connect", { token, headers });
    expect(answer.status).toBe(101);
  });

  it("refuses a token of a secret that was replaced", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const token = await loginTerminal(terminal);
    await operator("POST", `/operator/terminals/${terminal.terminalId}/secret`, { revokePrevious: true });
    const response = await upgrade({ token });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    await response.text();
  });
});
