import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { platformFetch } from "../client/fetch.ts";
import type { PosClient } from "../client/pos.ts";
import { TerminalSession } from "../client/terminal/session.ts";
import { readVars } from "./dev-vars.ts";
import { DemoError, describe } from "./operator.ts";
import type { Operator } from "./operator.ts";

/** The virtual terminal in the console, in the demo. */
export interface ConsoleTerminal {
  terminalId: string;
  terminalSecret: string;
}

/** Enrols a terminal for the console and binds it to the demo's account, unless that is done. */
export async function setUpConsoleTerminal(
  baseUrl: string,
  operator: Operator,
  pos: PosClient,
  persistTo: string,
): Promise<ConsoleTerminal> {
  const path = join(persistTo, "console.env");
  const terminal = (await kept(baseUrl, path)) ?? (await enrolled(operator, path));
  const bound = await pos.terminals();
  if (!bound.some(({ terminalId }) => terminalId === terminal.terminalId)) await bind(baseUrl, terminal, pos);
  return terminal;
}

/** The terminal of an earlier start, if the gateway still knows it. */
async function kept(baseUrl: string, path: string): Promise<ConsoleTerminal | null> {
  const vars = await readVars(path);
  const [terminalId, terminalSecret] = [vars.get("CONSOLE_TERMINAL_ID"), vars.get("CONSOLE_TERMINAL_SECRET")];
  if (terminalId === undefined || terminalSecret === undefined) return null;
  const terminal = { terminalId, terminalSecret };
  const login = await sessionOf(baseUrl, terminal).token();
  return !login.ok && login.error.kind === "login-refused" ? null : terminal;
}

/**
 * A new terminal with a new name for new data: a browser's memory of a terminal outlives a data folder, and would refuse
 * the lower request numbers of another one.
 */
async function enrolled(operator: Operator, path: string): Promise<ConsoleTerminal> {
  const terminalId = `T-CONSOLE-${randomBytes(2).toString("hex").toUpperCase()}`;
  const name = "The console's terminal";
  const created = await operator.call("POST", "/terminals", { terminalId, isVT: 1, name });
  if (created.status !== 201) throw new DemoError(`Could not enrol the console's terminal: ${describe(created)}`);
  const terminalSecret = String(created.body["secret"]);
  const lines = `CONSOLE_TERMINAL_ID='${terminalId}'\nCONSOLE_TERMINAL_SECRET='${terminalSecret}'\n`;
  await writeFile(path, lines, { mode: 0o600 });
  return { terminalId, terminalSecret };
}

async function bind(baseUrl: string, terminal: ConsoleTerminal, pos: PosClient): Promise<void> {
  const { key } = await pos.bindKey();
  const bound = await sessionOf(baseUrl, terminal).bind(key);
  if (!bound.ok) throw new DemoError(`Could not bind ${terminal.terminalId}: ${JSON.stringify(bound.error)}`);
}

function sessionOf(address: string, { terminalId, terminalSecret }: ConsoleTerminal): TerminalSession {
  return new TerminalSession({ address, terminalId, secret: terminalSecret }, platformFetch, Date.now);
}
