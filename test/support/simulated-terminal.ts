/** The simulated terminal, connected through the front door of the gateway under test. */
import { exports } from "cloudflare:workers";
import type { TerminalSocket } from "../../src/sdk/client/terminal.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import type { SimulatedTerminalOptions } from "../../src/sdk/simulator/simulated-terminal.ts";
import { BASE_URL, uniqueAddress } from "./gateway.ts";
import type { EnrolledTerminal } from "./gateway.ts";

/** Opens a WebSocket as the platform's own would, with the token as the second protocol. */
export async function openSocket(url: string, protocols: string[]): Promise<TerminalSocket> {
  const response = await exports.default.fetch(
    new Request(url.replace(/^ws/u, "http"), {
      headers: {
        Upgrade: "websocket",
        "Sec-WebSocket-Protocol": protocols.join(", "),
        "CF-Connecting-IP": uniqueAddress(),
      },
    }),
  );
  const socket = response.webSocket;
  if (socket === null) throw new Error(`connect failed: ${response.status} ${await response.text()}`);
  socket.accept();
  return socket;
}

/** Calls the front door for a client: every call comes from a new address. */
export async function frontDoor(request: Request): Promise<Response> {
  const copy = new Request(request);
  copy.headers.set("CF-Connecting-IP", uniqueAddress());
  return exports.default.fetch(copy);
}

/** A simulated terminal that is switched off; `start()` connects it. */
function simulatedTerminal(
  { terminalId, secret }: Pick<EnrolledTerminal, "terminalId" | "secret">,
  options: Partial<SimulatedTerminalOptions> = {},
): SimulatedTerminal {
  return new SimulatedTerminal({
    baseUrl: BASE_URL,
    terminalId,
    secret,
    openSocket,
    fetch: frontDoor,
    reconnect: { first: 20, longest: 200 },
    ...options,
  });
}

/** A simulated terminal that is connected. */
export async function connectedTerminal(
  terminal: Pick<EnrolledTerminal, "terminalId" | "secret">,
  options: Partial<SimulatedTerminalOptions> = {},
): Promise<SimulatedTerminal> {
  const simulated = simulatedTerminal(terminal, options);
  await simulated.start();
  return simulated;
}
