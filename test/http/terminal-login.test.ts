import { describe, it } from "vitest";
import {
  bindTerminal,
  connectTerminal,
  createAccount,
  enrolTerminal,
  loginTerminal,
  send,
} from "../support/gateway.ts";

describe("connect", () => {
  it("answers 101 and hands the terminal its welcome, by header or by protocol", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    await bindTerminal(account, terminal);
    const byHeader = await connectTerminal(terminal);
    expect(byHeader.status).toBe(101);
    expect(byHeader.headers.get("Sec-WebSocket-Protocol")).toBeNull();
    const token = await loginTerminal(terminal);
    const byProtocol = await send("GET", "/terminal/connect", {
      headers: { Upgrade: "websocket", "Sec-WebSocket-Protocol": `pos-terminal.v1, ${token}` },
    });
    expect(byProtocol.status).toBe(101);
    expect(byProtocol.headers.get("Sec-WebSocket-Protocol")).toBe("pos-terminal.v1");
    const socket = byProtocol.webSocket;
    if (socket === null) throw new Error("no socket");
    const welcome = new Promise<string>((resolve) => {
      socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
    });
    socket.accept();
    expect(JSON.parse(await welcome)).toMatchObject({ type: "welcome", posId: account.posId });
    socket.close();
  });
});
