/** The build of the site, in a copy of the project: each start of a gateway asks for it. */
import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

describe("the build of the site", () => {
  let copy = "";

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "build-"));
    const entries = await readdir(ROOT, { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isFile())) await cp(join(ROOT, name), join(copy, name));
    await cp(join(ROOT, "src"), join(copy, "src"), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "dir");
  });
  afterAll(async () => rm(copy, { recursive: true, force: true }));

  const page = (): string => join(copy, "dist", "site", "start.css");

  async function run(part: string, env: Record<string, string>): Promise<void> {
    const command = ["src/tools/development/build.mjs", part];
    await promisify(execFile)(process.execPath, command, { cwd: copy, env: { ...process.env, ...env } });
  }

  /** Builds it without the documentation. Resolves to whether there was anything to do. */
  async function build(): Promise<boolean> {
    const note = join(copy, "dist", ".site-built");
    const written = async () => (await stat(note).catch(() => null))?.mtimeMs;
    const before = await written();
    await run("site", { DOCS: "later" });
    return (await written()) !== before;
  }

  it("runs once, and again when a source or the site has changed", async ({ expect }) => {
    expect(await build()).toBe(true);
    const before = await readFile(page(), "utf8");
    expect(await build()).toBe(false);

    await rm(page());
    expect(await build()).toBe(true);
    expect(await readFile(page(), "utf8")).toBe(before);

    await appendFile(join(copy, "src", "docs", "start-page.css"), "/* A comment that is new. */\n");
    expect(await build()).toBe(true);
    expect(await readFile(page(), "utf8")).toContain("A comment that is new.");
    expect(await build()).toBe(false);
  });

  it("fails with a link in the documentation that leads nowhere", async ({ expect }) => {
    await appendFile(join(copy, "src", "docs", "errors.md"), "\nSee [nowhere](nowhere.md).\n");
    await expect(run("site", {})).rejects.toThrow("dead link");
    expect(await readdir(join(copy, "dist"))).toEqual([".site-built", "site"]);
  });
});
