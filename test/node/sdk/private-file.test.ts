import { chmod, mkdtemp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, it, vi } from "vitest";
import { appendPrivate, createPrivate, readPrivate, writePrivate } from "../../../src/sdk/command-line/private-file.ts";
import { noteKeys } from "../../../src/tools/development/data-folder.ts";
import { makeDevVars, writeSecrets } from "../../../src/tools/development/secrets.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a file of secrets", () => {
  it("is written for its owner only, even under an open mask", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "private-"));
    const before = process.umask(0);
    try {
      await writePrivate(join(folder, "written"), "1");
      await appendPrivate(join(folder, "appended"), "2");
      expect(await createPrivate(join(folder, "created"), "3")).toBe(true);
      expect(await createPrivate(join(folder, "created"), "4")).toBe(false);
    } finally {
      process.umask(before);
    }
    expect((await readdir(folder)).toSorted()).toEqual(["appended", "created", "written"]);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, "created"), "utf8")).toBe("3");
  });

  it("never follows a link", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "private-"));
    const [target, path] = [join(folder, "target"), join(folder, "link")];
    await writeFile(target, "theirs", { mode: 0o600 });
    await symlink(target, path);
    await expect(readPrivate(path)).rejects.toThrow("is a link");
    await expect(appendPrivate(path, "ours")).rejects.toThrow("is a link");
    expect(await createPrivate(path, "ours")).toBe(false);
    await writePrivate(path, "ours");
    expect(await readFile(target, "utf8")).toBe("theirs");
  });

  it("is not used by deploys or starts if others can access it", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "private-"));
    const path = join(folder, "secrets.env");
    const prepared = 'MASTER_KEYS="k1:theirs"\nOPERATOR_TOKENS="theirs:token"\n';
    await writeFile(path, prepared);
    const wanted = { MASTER_KEYS: "k1:ours", OPERATOR_TOKENS: "ours:token" };
    expect(await writeSecrets(path, wanted)).toEqual({ ok: false, error: expect.stringContaining("by others") });
    await expect(makeDevVars(path)).rejects.toThrow("by others");
    await chmod(path, 0o600);
    expect(await writeSecrets(path, wanted)).toMatchObject({ ok: true, value: { MASTER_KEYS: "k1:theirs" } });
    expect(await readFile(path, "utf8")).toBe(prepared);
  });

  it("is refused if others can read it, or another user owns it", async ({ expect }) => {
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
    await writeFile(devVars, `MASTER_KEYS="dev-1:${Buffer.alloc(32, 1).toString("base64")}"\n`, { mode: 0o600 });
    await noteKeys(devVars, join(parent, "state"));
    expect((await stat(join(parent, "state"))).mode & 0o777).toBe(0o700);
  });
});
