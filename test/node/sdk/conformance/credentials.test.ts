import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { readTerminalSecret } from "../../../../src/sdk/command-line/conformance/credentials.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
  vi.stubEnv("PERSIST_TO", folder);
  vi.stubEnv("TERMINAL_SECRET", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const read = (env?: string) => readTerminalSecret(new URL("http://127.0.0.1:8799/"), env);

describe("the secret of a tested terminal", () => {
  it("stays the same in a file that the tested side reads", async ({ expect }) => {
    const { secret, path } = await read();
    expect(secret).toMatch(/^[\w-]{43}$/u);
    expect(path).not.toBeNull();
    const file = String(path);
    const lines = `TERMINAL_SECRET='${secret}'\nGATEWAY_URL='http://127.0.0.1:8799'\n`;
    expect(readFileSync(file, "utf8")).toBe(lines);
    expect(await read()).toEqual({ secret, path });
    writeFileSync(file, "TERMINAL_SECRET='kept-secret'\n", { mode: 0o600 });
    expect(await read()).toEqual({ secret: "kept-secret", path });
  });

  it("comes first from the environment, or from the named file", async ({ expect }) => {
    const drawn = String((await read()).path);
    vi.stubEnv("TERMINAL_SECRET", "given-secret");
    expect(await read()).toEqual({ secret: "given-secret", path: null });
    vi.stubEnv("TERMINAL_SECRET", undefined);
    const file = join(folder, "mine.env");
    writeFileSync(file, "TERMINAL_SECRET='my-secret'\n", { mode: 0o600 });
    rmSync(drawn);
    expect(await read(file)).toEqual({ secret: "my-secret", path: null });
    expect(() => readFileSync(drawn)).toThrow("ENOENT");
  });
});
