import { spawn, type ChildProcess } from "node:child_process";
import files, { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { sleep } from "../../../src/sdk/client/backoff.ts";
import { FileStore } from "../../../src/sdk/client/file-store.ts";
import type { TerminalMemory } from "../../../src/sdk/client/terminal.ts";
import { DurableMemory } from "../../../src/sdk/client/terminal/memory.ts";

const OWNER = { terminalId: "T-1", gateway: "https://gateway.test" };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-store-"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(folder, { recursive: true });
});

/** What is done with the files, in order. Fails at the given step. */
function watched(failing = ""): string[] {
  const { open, rename } = files;
  const did: string[] = [];
  const note = (step: string): void => {
    did.push(step);
    if (step === failing) throw new Error("disk full");
  };
  vi.spyOn(files, "open").mockImplementation(async (...given) => {
    const file = await open(...given);
    const [sync, close] = [file.sync.bind(file), file.close.bind(file)];
    const what = (await file.stat()).isDirectory() ? "the folder" : "the file";
    return Object.assign(file, {
      sync: async () => {
        note(`sync ${what}`);
        await sync();
      },
      close: async () => {
        did.push(`close ${what}`);
        await close();
      },
    });
  });
  vi.spyOn(files, "rename").mockImplementation(async (...paths) => {
    note("rename");
    return rename(...paths);
  });
  syncBuiltinESMExports();
  return did;
}

function memoryWith(highestAccepted: string): TerminalMemory {
  return { ...OWNER, memory: "memory-1", highestAccepted, held: [] };
}

/** Another process that uses a file, and says whether it may. */
class User {
  readonly said: Promise<string>;
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(path: string) {
    const store = JSON.stringify(new URL("../../../src/sdk/client/file-store.ts", import.meta.url).href);
    const program = `
      const { FileStore } = await import(${store});
      const held = await new FileStore(${JSON.stringify(path)}).load().then(() => true, () => false);
      console.log(held ? "held" : "refused");
      if (held) setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program]);
    this.#process = child;
    this.#ended = new Promise((ended) => child.once("exit", ended));
    this.said = new Promise((said) => {
      child.stdout.once("data", (text) => said(String(text).trim()));
      child.stderr.once("data", (text) => said(String(text)));
    });
  }

  /** Resolves when it is dead. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}

describe("a terminal's memory in a file", () => {
  it("is null before anything was saved", async ({ expect }) => {
    expect(await new FileStore(join(folder, "memory.json")).load()).toBeNull();
  });

  it("comes back in another store on the same file", async ({ expect }) => {
    const path = join(folder, "deeper", "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    await new FileStore(path).save(memoryWith("1000000002"));
    expect(await new FileStore(path).load()).toEqual(memoryWith("1000000002"));
  });

  it.for(["load", "save"] as const)("waits for its new folder before a %s", async (call, { expect }) => {
    const { mkdir } = files;
    vi.spyOn(files, "mkdir").mockImplementation(async (...given) => {
      await sleep(20); // a slow disk
      return mkdir(...given);
    });
    syncBuiltinESMExports();
    const store = new FileStore(join(folder, "deeper", "memory.json"));
    if (call === "save") await store.save(memoryWith("1000000001"));
    expect(await store.load()).toEqual(call === "save" ? memoryWith("1000000001") : null);
    await store.close();
  });

  it("stays whole when a save is interrupted", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    // The files after a power cut during a write.
    await writeFile(`${path}.next`, '{"memory":"memory-1","hig');
    const store = new FileStore(path);
    expect(await store.load()).toEqual(memoryWith("1000000001"));
    await store.close();
    await new FileStore(path).save(memoryWith("1000000003"));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(memoryWith("1000000003"));
    const left = (await readdir(folder)).filter((name) => !name.startsWith(".lock-"));
    expect(left).toEqual(["memory.json"]);
  });

  it("is on disk before its name, and that before the save ends", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const did = watched();
    await new FileStore(path).save(memoryWith("1000000001"));
    expect(did).toEqual(["sync the file", "close the file", "rename", "sync the folder", "close the folder"]);
  });

  it.for([
    ["sync the file", "1000000001", 1],
    ["rename", "1000000001", 1],
    ["sync the folder", "1000000002", 2],
  ] as const)("is the old or the new one if it cannot %s", async ([step, kept, closed], { expect }) => {
    const path = join(folder, "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    const did = watched(step);
    await expect(new FileStore(path).save(memoryWith("1000000002"))).rejects.toThrow("disk full");
    expect(did.filter((one) => one.startsWith("close"))).toHaveLength(closed);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(await new FileStore(path).load()).toEqual(memoryWith(kept));
  });

  it("is readable only by its owner", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is never treated as new when it cannot be read", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await writeFile(path, "not JSON");
    await expect(new FileStore(path).load()).rejects.toThrow(SyntaxError);
    await expect(new FileStore(folder).load()).rejects.toThrow("EISDIR");
  });

  it("belongs to one store at a time, until that one is closed", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const [first, second] = [new FileStore(path), new FileStore(path)];
    await first.load();
    // A client that is started again loads it again.
    await first.load();
    await expect(second.load()).rejects.toThrow(`Another process uses ${path}. Stop it first`);
    await first.close();
    expect(await second.load()).toBeNull();
    await second.close();
    await second.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("belongs to one of several processes that start together", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const users = [1, 2, 3].map(() => new User(path));
    const said = await Promise.all(users.map((user) => user.said));
    expect(said.toSorted()).toEqual(["held", "refused", "refused"]);
    for (const user of users) await user.kill();
  });

  it("is free at once after a kill -9 of its process", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const user = new User(path);
    expect(await user.said).toBe("held");
    const store = new FileStore(path);
    await expect(store.load()).rejects.toThrow("Another process uses");
    await user.kill();
    expect(await store.load()).toBeNull();
    await store.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("belongs to one store at a time, even under a long path", async ({ expect }) => {
    const path = join(folder, "a".repeat(100), "b".repeat(100), "c".repeat(100));
    const [first, second] = [new FileStore(path), new FileStore(path)];
    await first.load();
    await expect(second.load()).rejects.toThrow("Another process uses");
    await first.close();
    expect(await second.load()).toBeNull();
    await second.close();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("keeps its id after a restart", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const before = await DurableMemory.open(new FileStore(path), OWNER);
    await before.close();
    const after = await DurableMemory.open(new FileStore(path), OWNER);
    expect(after.current.memory).toBe(before.current.memory);
  });
});
