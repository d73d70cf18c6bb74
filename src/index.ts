import { DurableObject } from "cloudflare:workers";
export class Terminal extends DurableObject<Env> {
  #id = crypto.randomUUID();
  constructor(ctx: DurableObjectState, env: Env) { super(ctx, env); ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong")); }
  instance() { return this.#id; }
  async fetch(r: Request) {
    const p = new WebSocketPair(); const role = new URL(r.url).pathname.slice(1);
    this.ctx.acceptWebSocket(p[1], [role]); p[1].serializeAttachment({ role });
    return new Response(null, { status: 101, webSocket: p[0] });
  }
  webSocketMessage(ws: WebSocket, m: string) {
    for (const w of this.ctx.getWebSockets("waiter")) w.send(`${this.#id} ${m}`);
  }
  webSocketClose(ws: WebSocket, code: number, reason: string, clean: boolean) { console.log("close", JSON.stringify(ws.deserializeAttachment()), code, reason, clean); try { ws.close(code === 1006 || code===1005 ? 1000 : code, reason) } catch (e) { console.log(String(e)) } }
}
export default {
  async fetch(r, env, ctx) {
    const u = new URL(r.url); const stub = env.TERMINAL.getByName("x");
    if (u.pathname === "/t") return stub.fetch("https://o/terminal", r);
    if (u.pathname === "/i") return new Response(await stub.instance());
    const first = await stub.instance();
    const res = await stub.fetch("https://o/waiter", { headers: { upgrade: "websocket" } });
    const ws = res.webSocket!; ws.accept();
    r.signal.addEventListener("abort", () => console.log("aborted signal"));
    const { promise, resolve } = Promise.withResolvers<string>();
    ws.addEventListener("message", (e) => resolve(String(e.data)));
    ws.addEventListener("close", (e) => resolve("closed"));
    const text = await promise; ws.close(1000);
    return new Response(first + " " + text + "\n");
  },
} satisfies ExportedHandler<Env>;
