import files, { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { FileStore } from "../../src/client/file-store.ts";
import type { TerminalMemory } from "../../src/client/terminal.ts";
import { DurableMemory } from "../../src/client/terminal/memory.ts";

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
  return { memory: "memory-1", highestAccepted, held: [] };
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

  it("stays whole when a save is interrupted", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    // The files after a power cut during a write.
    await writeFile(`${path}.next`, '{"memory":"memory-1","hig');
    expect(await new FileStore(path).load()).toEqual(memoryWith("1000000001"));
    await new FileStore(path).save(memoryWith("1000000003"));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(memoryWith("1000000003"));
    expect(await readdir(folder)).toEqual(["memory.json"]);
  });

  it("is on disk before its name is, and its name before the save ends", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const did = watched();
    await new FileStore(path).save(memoryWith("1000000001"));
    expect(did).toEqual(["sync the file", "close the file", "rename", "sync the folder", "close the folder"]);
  });

  it.for([
    ["sync the file", "1000000001", 1],
    ["rename", "1000000001", 1],
    ["sync the folder", "1000000002", 2],
  ] as const)(
    "is the one before or this one if it cannot %s, and no file stays open",
    async ([step, kept, closed], { expect }) => {
      const path = join(folder, "memory.json");
      await new FileStore(path).save(memoryWith("1000000001"));
      const did = watched(step);
      await expect(new FileStore(path).save(memoryWith("1000000002"))).rejects.toThrow("disk full");
      expect(did.filter((one) => one.startsWith("close"))).toHaveLength(closed);
      expect(await new FileStore(path).load()).toEqual(memoryWith(kept));
    },
  );

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

  it("keeps its id after a restart", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const before = await DurableMemory.open(new FileStore(path));
    const after = await DurableMemory.open(new FileStore(path));
    expect(after.current.memory).toBe(before.current.memory);
  });
});
