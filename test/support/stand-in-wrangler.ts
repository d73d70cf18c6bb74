import { appendFile } from "node:fs/promises";
import type { Ran, RunOptions, Wrangler } from "../../src/development/wrangler.ts";

const MIGRATIONS = 3;

/**
 * Stands in for wrangler and for all of Cloudflare behind it: it keeps what was made, records every call, and answers in
 * wrangler's words. Any call can fail, before or after it has done what it was asked for.
 */
export class StandInWrangler {
  readonly calls: { args: string[]; input: string }[] = [];
  loggedIn = true;
  cloudflareAccounts = [{ id: "a1", name: "Example" }];
  /** The secrets of the Worker; null: there is none. */
  secrets: Record<string, string> | null = null;
  /** How many migrations the database has taken; null: there is none. */
  database: number | null = null;
  /** How often the code was uploaded. */
  uploads = 0;
  targets = ["https://payment-terminal-gateway.example.workers.dev"];
  /** How many accounts of tills there are, without trials. */
  accounts = 0;
  /** The call that fails, counted from 0, and when. */
  failure: { call: number; when: "before" | "after" } | null = null;

  readonly wrangler: Wrangler = async (args, options = {}) => {
    const number = this.calls.push({ args, input: options.input ?? "" }) - 1;
    const fails = this.failure?.call === number ? this.failure.when : null;
    if (fails === "before") return failed("The network is gone.");
    const ran = await this.#run(args, options);
    return fails === "after" ? failed("The answer was lost.") : ran;
  };

  /** What there is, in one value. */
  get state(): object {
    const { secrets, database } = this;
    return { secrets: secrets === null ? null : Object.keys(secrets), database };
  }

  /** The commands so far, without their flags. */
  get commands(): string[] {
    return this.calls.map(({ args }) => args.filter((arg) => /^[a-z0-9]+$/u.test(arg)).join(" "));
  }

  async #run(args: string[], { input = "", env = {} }: RunOptions): Promise<Ran> {
    switch (args.filter((arg) => /^[a-z0-9]+$/u.test(arg)).join(" ")) {
      case "whoami":
        return this.loggedIn ? printed({ loggedIn: true, accounts: this.cloudflareAccounts }) : failed("{}");
      case "secret list json":
        if (this.secrets === null) return failed('Worker "payment-terminal-gateway" not found.');
        return printed(Object.keys(this.secrets).map((name) => ({ name, type: "secret_text" })));
      case "secret bulk":
        this.secrets = { ...this.secrets, ...(JSON.parse(input) as Record<string, string>) };
        return printed("");
      case "d1 list":
        return printed(this.database === null ? [] : [{ name: "payment-terminal-gateway" }]);
      case "d1 execute":
        if (this.database === 0) return failed("no such table: accounts: SQLITE_ERROR");
        return printed([{ results: [{ accounts: this.accounts }] }]);
      case "d1 migrations apply":
        if (this.database === null) return failed("Couldn't find a D1 DB named 'payment-terminal-gateway'");
        this.database = MIGRATIONS;
        return printed("");
      case "deploy":
        return this.#deploy(env["WRANGLER_OUTPUT_FILE_PATH"]);
      default:
        return failed(`Unknown arguments: ${args.join(" ")}`);
    }
  }

  async #deploy(output = ""): Promise<Ran> {
    const missing = ["MASTER_KEYS", "OPERATOR_TOKENS"].filter((name) => this.secrets?.[name] === undefined);
    if (missing.length > 0) return failed(`The following required secrets have not been set: ${missing.join(", ")}`);
    this.database ??= 0;
    this.uploads += 1;
    const entries = [{ type: "wrangler-session" }, { type: "deploy", targets: this.targets }];
    await appendFile(output, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    return printed("");
  }
}

function printed(value: unknown): Ran {
  const text = JSON.stringify(value);
  return { status: 0, stdout: text, output: text };
}

function failed(text: string): Ran {
  return { status: 1, stdout: "", output: text };
}
