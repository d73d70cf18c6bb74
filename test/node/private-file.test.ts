import { chmod, mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, it, vi } from "vitest";
import { readPrivate } from "../../src/command-line/private-file.ts";
import { noteKeys } from "../../src/development/data-folder.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a file of secrets", () => {
  it("that others can read, or that another user has put there, is refused", async ({ expect }) => {
    const path = join(await mkdtemp(join(tmpdir(), "private-")), "secrets.csv");
    expect(await readPrivate(path)).toBeNull();
    await writeFile(path, "terminalId,secret\n", { mode: 0o600 });
    expect(await readPrivate(path)).toBe("terminalId,secret\n");
    for (const mode of [0o640, 0o604, 0o620]) {
      await chmod(path, mode);
      await expect(readPrivate(path)).rejects.toThrow("by others");
    }
    await chmod(path, 0o600);
    const { uid } = await stat(path);
    vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    await expect(readPrivate(path)).rejects.toThrow("another user");
  });
});

describe("a new data folder", () => {
  it("is for its owner only", async ({ expect }) => {
    const parent = await mkdtemp(join(tmpdir(), "data-"));
    const devVars = join(parent, ".dev.vars");
    await writeFile(devVars, `MASTER_KEYS="dev-1:${Buffer.alloc(32, 1).toString("base64")}"\n`);
    await noteKeys(devVars, join(parent, "state"));
    expect((await stat(join(parent, "state"))).mode & 0o777).toBe(0o700);
  });
});
