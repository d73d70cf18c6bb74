import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { readVars } from "../../src/command-line/settings.ts";

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
    await writeFile(path, lines.join("\n"));
    expect(Object.fromEntries(await readVars(path))).toEqual({
      POS_ID: "POS-1",
      MERCHANT_ID: "M 1",
      PASSWORD: "a # b",
      SIGNING_KEY: "ab#c+/==",
      EMPTY: "",
      KEY_2: "two",
    });
  });
});
