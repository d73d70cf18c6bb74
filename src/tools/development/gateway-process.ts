import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { StartOptions } from "./options.ts";
import type { Served } from "./serve.ts";
import { WRANGLER_ENVIRONMENT, wranglerIn } from "./wrangler.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

const HOST = "127.0.0.1";

/** Windows has no process groups. */
const GROUPS = process.platform !== "win32";

/** The gateway may take so long to start, and to end before it is killed. */
const UP_WITHIN: Milliseconds = 60_000;
const DOWN_WITHIN: Milliseconds = 5_000;

/** After this many answers other than 200, the gateway is broken, not starting. */
const REFUSALS = 3;

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/** Resolves to null, or to the error output. */
export async function migrateDatabase(root: string, { persistTo }: StartOptions): Promise<string | null> {
  const args = ["d1", "migrations", "apply", "DATABASE", "--local", "--persist-to", persistTo];
  const { status, output } = await wranglerIn(root)(args);
  return status === 0 ? null : output;
}

/** The pages are off by default. On a developer's machine, people look at them first. */
const PAGES = { CONSOLE: "on", OPERATOR_CONSOLE: "on" };

export class GatewayProcess {
  readonly baseUrl: string;
  /** Resolves to the exit status; null if a signal ended the process. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  /**
   * @param vars variables of the Worker; those of the command line win
   * @param source another Worker than that of `root`, with its configuration
   */
  constructor(
    root: string,
    { port, persistTo, logs = false, vars: given }: StartOptions,
    vars: Record<string, string> = {},
    source: Pick<Served, "entry" | "config"> = { config: join(root, "wrangler.toml") },
  ) {
    this.baseUrl = `http://${HOST}:${port}`;
    const served: Served = {
      ...source,
      hostname: HOST,
      port,
      persistTo: isAbsolute(persistTo) ? persistTo : join(root, persistTo),
      vars: { ...PAGES, ...vars, ...given },
      logs,
    };
    const script = join(root, "src", "tools", "development", "serve.ts");
    this.#child = spawn(process.execPath, [script, JSON.stringify(served)], {
      cwd: root,
      stdio: ["ignore", logs ? "pipe" : "inherit", "inherit"],
      // Some lines come before wrangler has read the level that it is given.
      // The documentation takes longer to build than everything else: it must not delay the first sale.
      env: { ...WRANGLER_ENVIRONMENT, DOCS: "later", ...(logs ? {} : { WRANGLER_LOG: "error" }) },
      // A process group of its own, so that wrangler's child processes end with it.
      detached: GROUPS,
    });
    // Wrangler's own lines are for people.
    const lines = this.#child.stdout === null ? null : createInterface(this.#child.stdout);
    lines?.on("line", (line) => line.startsWith("{") && console.log(line));
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /** Resolves to null when the gateway answers, otherwise to a message about the failure. */
  async up(): Promise<string | null> {
    const until = performance.now() + UP_WITHIN;
    for (let refusals = 0; this.#isAlive() && performance.now() < until; await delay(100)) {
      const status = await this.#health();
      if (status === 200) return null;
      if (status !== null && ++refusals === REFUSALS) return `The gateway runs, but /healthz returns ${status}.`;
    }
    return "The gateway did not start.";
  }

  /** Returns null if nothing listens yet. */
  async #health(): Promise<number | null> {
    try {
      return (await fetch(`${this.baseUrl}/healthz`)).status;
    } catch {
      return null;
    }
  }

  #isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Also ends its child processes. */
  async end(): Promise<void> {
    this.#signal("SIGTERM");
    const killer = setTimeout(() => this.#signal("SIGKILL"), DOWN_WITHIN);
    await this.ended;
    clearTimeout(killer);
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(GROUPS ? -pid : pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}
