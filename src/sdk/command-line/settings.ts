import { join, resolve } from "node:path";
import { gatewayAddress } from "../client/check-options.ts";
import { DATA_FOLDER, UsageError } from "./invocation.ts";
import { readLock } from "./lock-file.ts";
import { readPrivate } from "./private-file.ts";

type Environment = Record<string, string | undefined>;

/**
 * The environment, and a file of lines `NAME=value`. Secrets come only from here: arguments are visible in the list of
 * processes and in the shell's history.
 */
export class Settings {
  readonly #environment: Environment;
  readonly #file: Map<string, string>;

  private constructor(environment: Environment, file: Map<string, string>) {
    this.#environment = environment;
    this.#file = file;
  }

  /** Without `path` and without POS_ID in the environment, reads the demo's file from `npm start`. */
  static async read(path: string | undefined, environment: Environment = process.env): Promise<Settings> {
    if (path !== undefined) {
      const text = await readPrivate(fromCaller(path, environment));
      if (text === null) throw new UsageError(`File not found: ${path}.`);
      return new Settings(environment, varsIn(text));
    }
    const demo = credentialsPath(dataFolder(environment));
    return new Settings(environment, environment["POS_ID"] ? new Map() : await readVars(demo));
  }

  /** For a command's files about one gateway, next to the database of `npm start`. */
  folder(kind: string, url: string): string {
    return join(dataFolder(this.#environment), kind, hostName(url));
  }

  get(name: string): string | undefined {
    return this.#environment[name] || this.#file.get(name) || undefined;
  }

  must(name: string): string {
    const value = this.get(name);
    if (value !== undefined) return value;
    throw new UsageError(
      `${name} is missing. Set it in the environment or in a file passed with --env. For the demo of npm start, repeat its PERSIST_TO.`,
    );
  }

  /** By default, the URL of the `npm start` that runs on the data folder. */
  url(given: string | undefined): string {
    const port = this.#environment["PORT"] || readLock(startLock(dataFolder(this.#environment)))?.note || 8787;
    const url = given ?? this.get("GATEWAY_URL") ?? `http://127.0.0.1:${port}`;
    try {
      return gatewayAddress(url);
    } catch (error) {
      throw new UsageError(`--url: ${error instanceof Error ? error.message : "not a valid address."}`);
    }
  }
}

function dataFolder(environment: Environment): string {
  return environment["PERSIST_TO"] || DATA_FOLDER;
}

/** The lock of the `npm start` that runs on a data folder. Its note is the port. */
export function startLock(folder: string): string {
  return join(resolve(folder), "start.lock");
}

/** Relative to where the user called npm, which runs every script in the project's folder. */
export function fromCaller(path: string, environment: Environment = process.env): string {
  return resolve(environment["INIT_CWD"] || ".", path);
}

export function hostName(url: string): string {
  return new URL(url).host.replaceAll(/[^A-Za-z0-9.-]/g, "_");
}

/**
 * A line of a file that a shell or an editor has written as well: with `export`, in quotes of either kind, and with a
 * comment after the value.
 */
const LINE = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))(?:\s+#.*)?\s*$/u;

/**
 * Returns an empty map without the file. Throws a UsageError if others can read or change it, as `readPrivate` does.
 */
export async function readVars(path: string): Promise<Map<string, string>> {
  return varsIn((await readPrivate(path)) ?? "");
}

/** From lines NAME=value. Ignores a byte order mark, and lines of another form. */
export function varsIn(text: string): Map<string, string> {
  const vars = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/u, "").split(/\r?\n/u)) {
    const [, name, double, single, bare] = LINE.exec(line) ?? [];
    if (name !== undefined) vars.set(name, double ?? single ?? bare ?? "");
  }
  return vars;
}

/** Lines that `varsIn` and a shell read. No value has a quotation mark. */
export function varsText(vars: Readonly<Record<string, string>>): string {
  return Object.entries(vars)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}

/** Next to the database, in a form that a shell can read. */
export function credentialsPath(persistTo: string): string {
  return join(persistTo, "demo.env");
}
