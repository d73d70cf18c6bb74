/** `npm run terminal` as a separate process, with its own files, to be killed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { Ledger } from "../../src/sdk/simulator/ledger.ts";
import type { OutsideAccount } from "./fresh-project.ts";
import { Program } from "./program.ts";
import { ROOT } from "./outside.ts";

export const COMMAND = join(ROOT, "src", "sdk", "command-line", "terminal.ts");

export class TerminalProcess {
  readonly terminalId: string;
  readonly #account: OutsideAccount;
  readonly #data: string;
  #program: Program | null = null;

  constructor(terminalId: string, account: OutsideAccount) {
    this.terminalId = terminalId;
    this.#account = account;
    this.#data = join(inject("gateway").folder, `data-${terminalId}`);
  }

  get program(): Program {
    if (this.#program === null) throw new Error("not started");
    return this.#program;
  }

  /** Enrols and binds itself the first time. */
  async start(...flags: string[]): Promise<void> {
    const { baseUrl, operatorToken, folder } = inject("gateway");
    const { posId, password } = this.#account;
    const own = ["--id", this.terminalId, "--url", baseUrl, "--data", this.#data, "--bind"];
    this.#program = new Program([COMMAND, ...own, ...flags], {
      cwd: ROOT,
      env: { POS_ID: posId, PASSWORD: password, OPERATOR_TOKEN: operatorToken, PERSIST_TO: folder },
    });
    await this.#program.says(`Ready for ${posId}`);
  }

  /** What the file says was really charged. */
  get ledger(): Ledger {
    const host = new URL(inject("gateway").baseUrl).host.replace(":", "_");
    const path = join(this.#data, host, `${this.terminalId}.ledger.jsonl`);
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    return new Ledger(lines.slice(0, -1).map((line) => JSON.parse(line)));
  }
}
