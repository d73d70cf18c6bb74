import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { platformFetch } from "../../sdk/client/deadline.ts";
import type { PosClient } from "../../sdk/client/pos.ts";
import { MACHINE_CLOCKS } from "../../sdk/client/terminal/clock.ts";
import { TerminalSession } from "../../sdk/client/terminal/session.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";
import { CommandError, describe, type OperatorClient } from "../../sdk/command-line/operator-client.ts";
import { readStored, writeStored } from "./data-folder.ts";

interface BrowserTerminal {
  terminalId: string;
  terminalSecret: string;
}

export interface StoredBrowserTerminal extends BrowserTerminal {
  browser: string;
  usedAt: EpochMs;
}

interface BrowserTerminalsOptions {
  baseUrl: string;
  operator: OperatorClient;
  /** A POS of the account that the terminals are bound to. */
  pos: PosClient;
  /** The data folder. */
  persistTo: string;
}

/** More browsers replace the one that was not used for the longest time. */
const MOST_BROWSERS = 10;

/** A browser that is not connected so long after it opened the console is closed: its terminal makes room at the next. */
const GONE_AFTER = 15 * SECOND;

/**
 * Gives every browser its own terminal. A browser stores its terminal's memory: two browsers with one terminal would
 * replace each other, and neither would know what the other accepted.
 *
 * The secrets are in the data folder, with the demo's. A browser stores only its own random id.
 */
export class BrowserTerminals {
  readonly #options: BrowserTerminalsOptions;
  readonly #path: string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: BrowserTerminalsOptions) {
    this.#options = options;
    this.#path = join(options.persistTo, "console-terminals.json");
  }

  /**
   * Returns the browser's terminal, enrolled and bound to the demo's account; it is the same one each time. Throws
   * CommandError.
   */
  of(browser: string): Promise<BrowserTerminal> {
    const turn = this.#turn.then(() => this.#assign(browser));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #assign(browser: string): Promise<BrowserTerminal> {
    const all = await readStored<StoredBrowserTerminal[]>(this.#path, []);
    const known = all.find((one) => one.browser === browser);
    const terminal = known !== undefined && (await this.#isUsable(known)) ? known : await this.#enrol();
    const others = all.filter((one) => one.browser !== browser);
    const bound = await this.#options.pos.terminals();
    const connected = bound.flatMap(({ terminalId, connected: isUp }) => (isUp ? [terminalId] : []));
    const stay = await this.#retire(others, leaving(others, connected, Date.now()));
    const { terminalId, terminalSecret } = terminal;
    await writeStored(this.#path, [...stay, { browser, terminalId, terminalSecret, usedAt: Date.now() }]);
    if (!bound.some((one) => one.terminalId === terminalId)) await this.#bind(terminal);
    return { terminalId, terminalSecret };
  }

  /** False if the data belong to another gateway, or the secret has changed. */
  async #isUsable(terminal: BrowserTerminal): Promise<boolean> {
    const login = await this.#sessionOf(terminal).token();
    return login.ok || login.error.kind !== "login-refused";
  }

  /** A new name each time: a browser's memory of a terminal can outlive a data folder. */
  async #enrol(): Promise<BrowserTerminal> {
    const terminalId = `T-CONSOLE-${randomBytes(2).toString("hex").toUpperCase()}`;
    const name = "The console's terminal";
    const created = await this.#options.operator.call("POST", "/terminals", { terminalId, isVT: 1, name });
    if (created.status !== 201)
      throw new CommandError(`Could not enrol a terminal for the console: ${describe(created)}`);
    return { terminalId, terminalSecret: String(created.body["secret"]) };
  }

  async #bind(terminal: BrowserTerminal): Promise<void> {
    const { key } = await this.#options.pos.bindKey();
    const answer = await this.#sessionOf(terminal).bind(key);
    if (!answer.ok) throw new CommandError(`Could not bind ${terminal.terminalId}: ${JSON.stringify(answer.error)}`);
  }

  /** A busy terminal keeps its place. */
  async #retire(all: StoredBrowserTerminal[], leave: StoredBrowserTerminal[]): Promise<StoredBrowserTerminal[]> {
    const stay = all.filter((one) => !leave.includes(one));
    for (const one of leave) {
      const { status } = await this.#options.operator.call("DELETE", `/terminals/${one.terminalId}`);
      if (status === 409) stay.push(one);
    }
    return stay;
  }

  #sessionOf({ terminalId, terminalSecret }: BrowserTerminal): TerminalSession {
    const { baseUrl } = this.#options;
    return new TerminalSession({ address: baseUrl, terminalId, secret: terminalSecret }, platformFetch, MACHINE_CLOCKS);
  }
}

export function leaving(
  others: readonly StoredBrowserTerminal[],
  connected: readonly string[],
  now: number,
): StoredBrowserTerminal[] {
  const newestFirst = others.toSorted((one, other) => other.usedAt - one.usedAt);
  return newestFirst.filter(
    ({ terminalId, usedAt }, at) =>
      at >= MOST_BROWSERS - 1 || (usedAt < now - GONE_AFTER && !connected.includes(terminalId)),
  );
}
