/** The gateway as `npm start` runs it, in a process group of its own, to be killed, stopped and started again. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrate } from "../../../src/development/gateway-process.ts";
import { WRANGLER, WRANGLER_ENVIRONMENT } from "../../../src/development/wrangler.ts";
import { freePort } from "../../support/free-port.ts";
import { call } from "../wire/http.ts";

export const ROOT = join(import.meta.dirname, "../../..");

/** The shortest life of a request that the gateway allows: what stays open becomes a `22` within it. */
const REQUEST_SECONDS = 40;

/** Two busy cores also bundle the Worker at each start. */
const UP_WITHIN = 180_000;
const MOST_STARTS = 3;

/** After a fault that does not end it. */
const UP_AGAIN_WITHIN = 30_000;

export class Gateway {
  readonly #root: string;
  readonly port: number;
  /** Everything that it prints: the Worker's log, and wrangler's. */
  readonly logPath: string;
  readonly dataFolder: string;
  readonly #workerd: string;
  readonly #variables: string;
  #child: ChildProcess | null = null;

  private constructor(folder: string, root: string, port: number) {
    this.#root = root;
    this.port = port;
    this.logPath = join(folder, "gateway.log");
    this.dataFolder = join(folder, "data");
    this.#workerd = join(folder, "workerd.sh");
    this.#variables = join(folder, "variables");
    // Whatever ends the run ends the gateway.
    process.once("exit", () => this.signal("SIGKILL"));
  }

  /**
   * @param variables its secrets
   * @param root the project, or a copy of it with a fault
   */
  static async start(folder: string, variables: Readonly<Record<string, string>>, root = ROOT): Promise<Gateway> {
    await mkdir(folder, { recursive: true });
    const gateway = new Gateway(folder, root, await freePort());
    await gateway.configure(variables);
    // A disk that is full must not end the process: its writes fail instead, as they do on a full disk.
    await writeFile(gateway.#workerd, WITHOUT_SIGXFSZ, { mode: 0o700 });
    const options = { once: false, bare: true, port: gateway.port, persistTo: gateway.dataFolder };
    const problem = await migrate(ROOT, { ...options, vars: {} });
    if (problem !== null) throw new Error(problem);
    await gateway.restart();
    return gateway;
  }

  /** For its next start. */
  async configure(variables: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"\n`);
    await writeFile(this.#variables, lines.join(""), { mode: 0o600 });
  }

  /** Resolves when it answers. Throws when it ends again and again instead. */
  async restart(): Promise<void> {
    for (let tries = 0; tries < MOST_STARTS; tries++) {
      this.#begin();
      if (await this.#answers(UP_WITHIN)) return;
      await this.kill();
    }
    throw new Error(`the gateway does not start: see ${this.logPath}`);
  }

  /** Starts it anew if it does not answer, as a supervisor does. */
  async revive(): Promise<void> {
    if (await this.#answers(UP_AGAIN_WITHIN)) return;
    await this.kill();
    await this.restart();
  }

  async #answers(within: number): Promise<boolean> {
    for (const until = performance.now() + within; performance.now() < until && this.#isAlive; await delay(100)) {
      if (await this.isUp()) return true;
    }
    return false;
  }

  get #isAlive(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  #begin(): void {
    const log = openSync(this.logPath, "a", 0o600);
    const words = [
      "dev",
      "--ip=127.0.0.1",
      `--port=${this.port}`,
      "--inspector-port=0",
      `--persist-to=${this.dataFolder}`,
      `--env-file=${this.#variables}`,
      `--var=REQUEST_SECONDS:${REQUEST_SECONDS}`,
      "--show-interactive-dev-session=false",
    ];
    this.#child = spawn(process.execPath, [...WRANGLER, ...words], {
      cwd: this.#root,
      stdio: ["ignore", log, log],
      env: { ...WRANGLER_ENVIRONMENT, MINIFLARE_WORKERD_PATH: this.#workerd, WORKERD: workerdPath() },
      detached: true,
    });
    closeSync(log);
  }

  async isUp(): Promise<boolean> {
    return (await call(this.port, { method: "GET", path: "/healthz", within: 2_000 })).status === 200;
  }

  /** As a power cut: nothing that it is doing is finished. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async end(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** The processes of the Workers runtime: wrangler has one for its proxy, and one for the gateway. */
  get runtimes(): string[] {
    const group = this.#child?.pid;
    if (group === undefined) return [];
    return spawnSync("pgrep", ["-g", String(group), "-x", "workerd"], { encoding: "utf8" }).stdout.match(/\d+/gu) ?? [];
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child === null) return;
    const gone = this.#isAlive ? once(this.#child, "exit") : Promise.resolve();
    this.signal(signal);
    const patience = setTimeout(() => this.signal("SIGKILL"), 5_000);
    await gone;
    clearTimeout(patience);
    // Wrangler may be gone while its children are not.
    this.signal("SIGKILL");
    this.#child = null;
  }

  signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  }
}

/** Node gives its children every signal as it was by default, so that only a shell can pass this on. */
const WITHOUT_SIGXFSZ = `#!/bin/sh
trap '' XFSZ
exec "$WORKERD" "$@"
`;

function workerdPath(): string {
  const miniflare = createRequire(createRequire(join(ROOT, "package.json")).resolve("miniflare"));
  return (miniflare("workerd") as { default: string }).default;
}
