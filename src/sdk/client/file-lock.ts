import { createHash } from "node:crypto";
import { mkdtemp, readdir, rename, rm, symlink, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { sleep } from "./backoff.ts";
import { SECOND, type Milliseconds } from "../../protocol/time/units.ts";

/** A process that is being replaced releases its lock on a terminal's memory within this time. */
const PROCESS_LEAVES_WITHIN = 3 * SECOND;

/** The longest path of a socket on macOS, whose limit is the lowest (`sun_path` has 104 bytes with the final zero). */
const LONGEST_PATH = 103;

/** How often a process that found another one tries again. */
const RETRY: Milliseconds = 200;

/**
 * An exclusive lock on a file, held by a listening socket beside it: `.lock-…`.
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
    const folder = resolve(dirname(this.#file));
    const suffix = `${shortDigest(basename(this.#file)).slice(0, 8)}-`;
    const id = crypto.randomUUID().slice(0, 8);
    const [draft, name] = [`.draft-${suffix}${id}`, `.lock-${suffix}${id}`];
    return withShortPath(folder, draft.length + 1, async (short) => {
      this.#held = { server: await listenAt(join(short, draft)), name: join(folder, name) };
      let isAlone = false;
      try {
        // Only a socket that listens gets the name that others look for: one that does not yet would look left over.
        await rename(join(folder, draft), join(folder, name));
        const found = (await readdir(folder)).filter((one) => one.startsWith(`.lock-${suffix}`) && one !== name);
        isAlone = await areGone(found, { folder, short });
      } finally {
        if (!isAlone) await this.release();
      }
      return isAlone;
    });
  }

  async #takePipe(): Promise<boolean> {
    const pipe = `\\\\.\\pipe\\payment-terminal-${shortDigest(resolve(this.#file).toLowerCase())}`;
    const server = await listenAt(pipe).catch((error: unknown) => {
      if (codeOf(error) === "EADDRINUSE" || codeOf(error) === "EACCES") return null;
      throw error;
    });
    if (server !== null) this.#held = { server, name: null };
    return server !== null;
  }
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * A socket's path has at most 103 bytes, and a folder's may be longer: then it is reached through a symbolic link with a
 * short path, for the time of the work.
 *
 * @param more the bytes that follow the folder
 */
async function withShortPath<T>(folder: string, more: number, work: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(folder) + more <= LONGEST_PATH) return work(folder);
  const place = await mkdtemp(join(tmpdir(), "lock-"));
  try {
    const link = join(place, "f");
    await symlink(folder, link);
    return await work(link);
  } finally {
    await rm(place, { recursive: true });
  }
}

/** Whether none of these sockets has a living process. Deletes what dead processes have left. */
async function areGone(names: string[], { folder, short }: { folder: string; short: string }): Promise<boolean> {
  const listening = await Promise.all(names.map((name) => isListening(join(short, name))));
  const gone = names.filter((_, index) => listening[index] === false);
  await Promise.all(gone.map((name) => unlink(join(folder, name)).catch(() => undefined)));
  return gone.length === names.length;
}

async function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  // Keeps no process alive. Workers of a cluster would otherwise share one socket.
  server.unref();
  await new Promise<void>((listening, failed) => {
    // An error may also come later: a process without free file descriptors cannot accept, and keeps the lock.
    server.on("error", failed);
    server.listen({ path, exclusive: true }, listening);
  });
  return server;
}

/** Returns whether a process listens at the socket. When in doubt, one does. */
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
