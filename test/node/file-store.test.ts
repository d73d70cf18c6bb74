import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { FileStore } from "../../src/client/file-store.ts";
import type { TerminalMemory } from "../../src/client/terminal.ts";
import { DurableMemory } from "../../src/client/terminal/memory.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-store-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

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

  it("is readable only by its owner", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await new FileStore(path).save(memoryWith("1000000001"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is never treated as new when it cannot be read", async ({ expect }) => {
    const path = join(folder, "memory.json");
    await writeFile(path, "not JSON");
    await expect(new FileStore(path).load()).rejects.toThrow(SyntaxError);
  });

  it("keeps its id after a restart", async ({ expect }) => {
    const path = join(folder, "memory.json");
    const before = await DurableMemory.open(new FileStore(path));
    const after = await DurableMemory.open(new FileStore(path));
    expect(after.current.memory).toBe(before.current.memory);
  });
});
