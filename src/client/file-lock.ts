import { createHash } from "node:crypto";
import { readdir, rename, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname, join, relative, resolve } from "node:path";
import { sleep } from "./backoff.ts";
import { PROCESS_LEAVES_WITHIN } from "./limits.ts";

/** The longest path of a socket on macOS, whose limit is the lowest (`sun_path` has 104 bytes with the final zero). */
const LONGEST_PATH = 103;

/** How often a process that found another one tries again, milliseconds. */
const RETRY = 200;

/**
 * An exclusive lock on a file, held by a listening socket beside it: `FILE.lock.…`.
 *
 * The kernel ends the socket with its process, also after `kill -9` or a power cut, so a dead process never blocks: a
 * socket that refuses a connection is left over, and is deleted. Process ids would not do: they are used again, and every
 * container has its own. Each process listens first and then looks for others, so of two that start together at least one
 * sees the other. On Windows the lock is a named pipe, which only one process can have.
 *
 * It protects a file on a disk of this machine, not one that several machines share.
 */
export class FileLock {
  readonly #file: string;
  #held: { server: Server; name: string | null } | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Resolves when this process has the lock. Waits for a process that is about to leave, then rejects.
   *
   * @throws Error with what to do, while another process has the lock
   */
  async take(): Promise<void> {
    if (this.#held !== null) return;
    const until = performance.now() + PROCESS_LEAVES_WITHIN;
    while (!(await this.#tryOnce())) {
      if (performance.now() > until) {
        throw new Error(`Another process uses ${this.#file}. Stop it first, or give this one its own file.`);
      }
      // Two that start together must not meet again and again.
      await sleep(RETRY * (0.5 + Math.random()));
    }
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    if (held.name !== null) await unlink(held.name).catch(() => undefined);
    await new Promise((closed) => held.server.close(closed));
  }

  async #tryOnce(): Promise<boolean> {
    if (process.platform === "win32") return this.#takePipe();
    const id = crypto.randomUUID().slice(0, 8);
    const draft = shortest(`${this.#file}.locking.${id}`);
    const name = shortest(`${this.#file}.lock.${id}`);
    this.#held = { server: await listenAt(draft), name };
    let isAlone = false;
    try {
      // Only a socket that listens gets the name that others look for: one that does not yet would look left over.
      await rename(draft, name);
      isAlone = await this.#isAlone(name);
    } finally {
      if (!isAlone) await this.release();
    }
    return isAlone;
  }

  /** Deletes what dead processes have left. */
  async #isAlone(own: string): Promise<boolean> {
    const folder = dirname(this.#file);
    const prefix = `${basename(this.#file)}.lock.`;
    const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name !== basename(own));
    const alive = await Promise.all(names.map((name) => isListening(shortest(join(folder, name)))));
    await Promise.all(
      names.map(async (name, index) => {
        if (alive[index] === false) await unlink(join(folder, name)).catch(() => undefined);
      }),
    );
    return !alive.includes(true);
  }

  async #takePipe(): Promise<boolean> {
    const id = createHash("sha256").update(resolve(this.#file).toLowerCase()).digest("hex");
    const server = await listenAt(`\\\\.\\pipe\\payment-terminal-${id}`).catch((error: unknown) => {
      if (codeOf(error) === "EADDRINUSE" || codeOf(error) === "EACCES") return null;
      throw error;
    });
    if (server !== null) this.#held = { server, name: null };
    return server !== null;
  }
}

/** A relative path may be the shorter one. */
function shortest(path: string): string {
  const absolute = resolve(path);
  const near = relative("", absolute);
  return near.length < absolute.length ? near : absolute;
}

async function listenAt(path: string): Promise<Server> {
  if (process.platform !== "win32" && Buffer.byteLength(path) > LONGEST_PATH) {
    throw new Error(`The path ${path} is too long for a lock. Use one of at most ${LONGEST_PATH} bytes.`);
  }
  const server = createServer((socket) => socket.destroy());
  // Keeps no process alive. Workers of a cluster would otherwise share one socket.
  server.unref();
  await new Promise<void>((listening, failed) => {
    // Also later: a process without free file descriptors cannot accept, and keeps the lock.
    server.on("error", failed);
    server.listen({ path, exclusive: true }, listening);
  });
  return server;
}

/** Whether a process listens at the socket. When in doubt, one does. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolved) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolved(true);
    });
    socket.once("error", (error) => resolved(!["ECONNREFUSED", "ENOENT"].includes(String(codeOf(error)))));
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
