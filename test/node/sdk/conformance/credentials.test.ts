import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { credentials } from "../../../../src/sdk/command-line/conformance/credentials.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
  vi.stubEnv("PERSIST_TO", folder);
  vi.stubEnv("POS_ID", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const read = (env?: string) =>
  credentials("pos", new URL("http://127.0.0.1:8799/"), env, {
    POS_ID: () => "drawn-id",
    SIGNING_KEY: () => "drawn-key",
  });

describe("the credentials of a kit", () => {
  it("are generated once, and kept in a file for the tested side", async ({ expect }) => {
    const { values, path, drawn } = await read();
    expect([values, drawn]).toEqual([{ POS_ID: "drawn-id", SIGNING_KEY: "drawn-key" }, ["POS_ID", "SIGNING_KEY"]]);
    expect(readFileSync(path, "utf8")).toBe(
      "POS_ID='drawn-id'\nSIGNING_KEY='drawn-key'\nGATEWAY_URL='http://127.0.0.1:8799'\n",
    );
    writeFileSync(path, "POS_ID='kept-id'\nSIGNING_KEY='kept-key'\n", { mode: 0o600 });
    expect((await read()).values).toEqual({ POS_ID: "kept-id", SIGNING_KEY: "kept-key" });
  });

  it("come first from the environment, or from the named file", async ({ expect }) => {
    const { path } = await read();
    vi.stubEnv("POS_ID", "given-id");
    expect(await read()).toMatchObject({
      values: { POS_ID: "given-id", SIGNING_KEY: "drawn-key" },
      drawn: ["SIGNING_KEY"],
    });
    vi.stubEnv("POS_ID", undefined);
    const file = join(folder, "mine.env");
    writeFileSync(file, "POS_ID='mine'\nSIGNING_KEY='my-key'\n", { mode: 0o600 });
    rmSync(path);
    expect(await read(file)).toEqual({ values: { POS_ID: "mine", SIGNING_KEY: "my-key" }, path, drawn: [] });
    expect(() => readFileSync(path)).toThrow("ENOENT");
  });
});
