/** A terminal in the hands of a test, at the front door of the gateway under test. */
import { loginTerminal, send } from "./gateway.ts";
import { type HelloOptions, type Identity, Terminal } from "./terminal.ts";

export type { Frame, HelloOptions, RequestFrame } from "./terminal.ts";

export class ScriptedTerminal extends Terminal {
  /** Opens a connection; hello has not been said yet. */
  static async open(identity: Identity): Promise<ScriptedTerminal> {
    return ScriptedTerminal.openWith(identity, await loginTerminal(identity));
  }

  /** The same with a token that it has already. */
  static async openWith(identity: Identity, token: string): Promise<ScriptedTerminal> {
    const response = await send("GET", "/terminal/connect", { token, headers: { Upgrade: "websocket" } });
    if (response.webSocket === null) throw new Error(`connect failed: ${response.status} ${await response.text()}`);
    const terminal = new ScriptedTerminal(identity, response.webSocket as never);
    response.webSocket.accept();
    return terminal;
  }

  /** Opens a connection and says hello on it; returns when the hello holds. */
  static async connect(identity: Identity, options: HelloOptions = {}): Promise<ScriptedTerminal> {
    const terminal = await ScriptedTerminal.open(identity);
    await terminal.hello(options);
    return terminal;
  }
}
