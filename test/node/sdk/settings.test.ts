import { chmod, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { readSecrets } from "../../../src/sdk/command-line/terminal/secret.ts";
import { readVars, Settings } from "../../../src/sdk/command-line/settings.ts";

describe("a file for --env", () => {
  it("may come from an editor or a shell", async ({ expect }) => {
    const path = join(await mkdtemp(join(tmpdir(), "env-")), "pos.env");
    const lines = [
      "\uFEFFPOS_ID=POS-1",
      "# The demo's account",
      "export MERCHANT_ID='M 1' # its merchant",
      'PASSWORD="a # b"',
      "SIGNING_KEY=ab#c+/==   # base64",
      "EMPTY=",
      "  KEY_2 = two\r",
      "lower=no",
    ];
    await writeFile(path, lines.join("\n"), { mode: 0o600 });
    expect(Object.fromEntries(await readVars(path))).toEqual({
      POS_ID: "POS-1",
      MERCHANT_ID: "M 1",
      PASSWORD: "a # b",
      SIGNING_KEY: "ab#c+/==",
      EMPTY: "",
      KEY_2: "two",
    });
  });

  it("is refused if others can read it, or if a link", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "env-"));
    const [path, linked] = [join(folder, "pos.env"), join(folder, "link.env")];
    await writeFile(path, `${"1".repeat(43)}\n`, { mode: 0o600 });
    await symlink(path, linked);
    for (const read of [(file: string) => Settings.read(file), (file: string) => readSecrets(file, ["T-1"])]) {
      await chmod(path, 0o600);
      await read(path);
      await expect(read(linked)).rejects.toThrow("is a link");
      await expect(read(join(folder, "none"))).rejects.toThrow("File not found");
      await chmod(path, 0o644);
      await expect(read(path)).rejects.toThrow("chmod 600");
    }
  });
});
