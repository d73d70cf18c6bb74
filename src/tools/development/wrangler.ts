import { spawn } from "node:child_process";
import { type Result, err, ok } from "../../protocol/result.ts";

/** Node gets these arguments, in the project's folder. */
const WRANGLER: readonly string[] = ["node_modules/wrangler/bin/wrangler.js"];
export const WRANGLER_ENVIRONMENT = {
  ...process.env,
  WRANGLER_SEND_METRICS: "false",
  // Without these, wrangler checks for updates and writes logs to the home folder.
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  // Wrangler would fetch a sample of `request.cf`, which this Worker does not use.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // I6: wrangler would keep traces next to the gateway's data, with the addresses of webhooks in clear text.
  X_LOCAL_OBSERVABILITY: "false",
  // Any page of another port of this machine could read and write the database and the objects through it.
  X_LOCAL_EXPLORER: "false",
};

export interface Ran {
  status: number;
  stdout: string;
  /** Both outputs in the order in which they were written. */
  output: string;
}

export interface RunOptions {
  /** Standard input. Secrets go this way, because arguments appear in the list of processes. */
  input?: string;
  env?: Record<string, string>;
}

/** Never asks, because its input is not a terminal. */
export type Wrangler = (args: string[], options?: RunOptions) => Promise<Ran>;

/** Runs the pinned wrangler, in the folder of this clone. */
export function wranglerIn(root: string, script: readonly string[] = WRANGLER): Wrangler {
  return async (args, { input = "", env = {} } = {}) => {
    const child = spawn(process.execPath, [...script, ...args], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...WRANGLER_ENVIRONMENT, ...env },
    });
    let [stdout, output] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    // A command that does not read its input may end before the input is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const status = await new Promise<number>((resolve) => {
      child.once("error", ({ message }) => {
        output += message;
        resolve(1);
      });
      child.once("close", (code) => resolve(code ?? 1));
    });
    return { status, stdout, output };
  };
}

export function failureText(sentence: string, { output }: Ran): string {
  return `${sentence}. wrangler said:\n${output.trim()}`;
}

/**
 * Reads one JSON object per line, with the `targets` of its entry `deploy`. It prefers a custom domain to the
 * platform's own. A route is a pattern, not an address.
 *
 * @returns an origin with https, or null
 */
export function addressIn(output: string): string | null {
  const targets = output.split("\n").flatMap(parseTargets);
  const domain = targets.flatMap((target) => /^(\S+) \(custom domain/u.exec(target)?.[1] ?? [])[0];
  if (domain !== undefined) return `https://${domain}`;
  return targets.find((target) => URL.canParse(target) && /^https?:/u.test(target)) ?? null;
}

function parseTargets(line: string): string[] {
  if (line.trim() === "") return [];
  const entry = JSON.parse(line) as { type?: string; targets?: unknown[] };
  if (entry.type !== "deploy") return [];
  return (entry.targets ?? []).filter((target) => typeof target === "string");
}

export interface Names {
  worker: string;
  database: string;
  /** The Cloudflare account, if the file names one. */
  account: string | null;
  secrets: string[];
}

/** Reads the text of wrangler.toml. The error is a sentence. */
export function parseNames(configuration: string): Result<Names, string> {
  const top = configuration.slice(0, Math.max(configuration.search(/^\s*\[/mu), 0));
  const worker = /^name = "([^"]+)"/mu.exec(top)?.[1];
  const database = /^database_name = "([^"]+)"/mu.exec(configuration)?.[1];
  const secrets = /^required = \[([^\]]*)\]/mu.exec(configuration)?.[1];
  if (worker === undefined || database === undefined || secrets === undefined) {
    return err('wrangler.toml must have name = "…", database_name = "…" and required = […].');
  }
  return ok({
    worker,
    database,
    account: /^account_id = "([^"]+)"/mu.exec(top)?.[1] ?? null,
    secrets: [...secrets.matchAll(/"([^"]+)"/gu)].flatMap(([, name]) => name ?? []),
  });
}

/** Finds a variable's value in the text of wrangler.toml. */
export function variableIn(configuration: string, name: string): string | undefined {
  return new RegExp(`^${name} = "([^"]*)"`, "mu").exec(configuration)?.[1];
}

/**
 * Another gateway has its own Worker, database and rate limits. The error is a sentence.
 *
 * @param env the suffix of its names
 */
export function configurationFor(env: string, configuration: string): Result<string, string> {
  if (/^\s*(?:\[\[)?routes?\b/mu.test(configuration)) {
    return err(
      `wrangler.toml names a route, which belongs to one gateway. Copy it to wrangler.${env}.toml, and change its route, name, ` +
        "database_name and every namespace_id there.",
    );
  }
  return ok(
    configuration
      .replaceAll(/^(name|database_name) = "([^"]+)"/gmu, `$1 = "$2-${env}"`)
      // Workers of one Cloudflare account share the counters of a namespace.
      .replaceAll(/namespace_id = "(\d+)"/gu, (_, id: string) => `namespace_id = "${Number(id) + findOffset(env)}"`),
  );
}

/** Keeps the namespaces of several gateways apart. */
function findOffset(env: string): number {
  return Array.from(env).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7) * 100;
}
