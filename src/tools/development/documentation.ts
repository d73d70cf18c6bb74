import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setPriority } from "node:os";
import { extname, join } from "node:path";

/** Windows has no process groups. */
const GROUPS = process.platform !== "win32";

/** As `nice` counts: https://nodejs.org/api/os.html#ossetprioritypid-priority */
const LOW_PRIORITY = 10;

/** A person who waits sees the pages soon after they are there. Seconds. */
const REFRESH = 2;

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The documentation of `npm start`, which is built in the background. A gateway on this machine does not learn of new files without
 * a restart of its runtime, which would cut connections: until the next start, the Worker gets the pages from here.
 */
export class Documentation {
  readonly #root: string;
  readonly #server: Server;
  #builder: ChildProcess | null = null;
  #state: "being built" | "built" | "not built" = "being built";

  private constructor(root: string) {
    this.#root = root;
    this.#server = createServer((request, response) => {
      const pathname = URL.parse(request.url ?? "/", "http://localhost")?.pathname ?? "/";
      void this.#answer(pathname).then(({ status, type, body }) => {
        response.writeHead(status, { "Content-Type": type }).end(body);
      });
    });
  }

  /** Listens on a free port of this machine. */
  static async open(root: string): Promise<Documentation> {
    const opened = new Documentation(root);
    await new Promise<void>((resolve, reject) => {
      opened.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return opened;
  }

  get origin(): string {
    // A server that listens on a port always has this kind of address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Builds it, if its sources are new, after everything else that the machine has to do. Prints why it could not be built. */
  build(): void {
    const builder = spawn(process.execPath, ["src/tools/development/build.mjs", "docs"], {
      cwd: this.#root,
      stdio: ["ignore", "ignore", "inherit"],
      // A group, so that what it starts ends with it.
      detached: GROUPS,
    });
    this.#builder = builder;
    builder.once("spawn", () => setPriority(builder.pid ?? 0, LOW_PRIORITY));
    builder.once("error", () => (this.#state = "not built"));
    builder.once("close", (status) => {
      this.#builder = null;
      this.#state = status === 0 ? "built" : "not built";
    });
  }

  async close(): Promise<void> {
    const pid = this.#builder?.pid;
    if (pid !== undefined) process.kill(GROUPS ? -pid : pid);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param pathname of a parsed URL, which is without `..`. No file's name needs an escape. */
  async #answer(pathname: string): Promise<{ status: number; type: string; body: string | Buffer }> {
    if (this.#state !== "built")
      return { status: 503, type: "text/html; charset=utf-8", body: waitingPage(this.#state) };
    const path = pathname.replace(/^\/docs\/?/u, "");
    const names = [path, `${path}.html`, join(path, "index.html")];
    for (const name of names) {
      const body = await this.#file(name);
      if (body !== null) return { status: 200, type: TYPES[extname(name)] ?? "text/plain; charset=utf-8", body };
    }
    return { status: 404, type: "text/html; charset=utf-8", body: (await this.#file("404.html")) ?? "" };
  }

  async #file(name: string): Promise<Buffer | null> {
    return readFile(join(this.#root, "dist", "docs", name)).catch(() => null);
  }
}

function waitingPage(state: "being built" | "not built"): string {
  const [refresh, words] =
    state === "being built"
      ? [`<meta http-equiv="refresh" content="${REFRESH}">`, "This page reloads by itself."]
      : ["", "The shell in which npm start runs says why."];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${refresh}
    <title>The documentation is ${state}</title>
    <link rel="stylesheet" href="/start.css">
  </head>
  <body><main><h1>The documentation is ${state}</h1><p class="lead">${words}</p></main></body>
</html>
`;
}
