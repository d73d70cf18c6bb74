import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { loadCredentials, saveCredentials } from "../../src/development/demo-credentials.ts";
import { makeDevVars, operatorToken, readVars } from "../../src/development/dev-vars.ts";
import { readOptions } from "../../src/development/options.ts";

const DEFAULTS = { once: false, bare: false, port: 8787, persistTo: ".wrangler/state", forWrangler: [] };

describe("what npm start is told", () => {
  it.for([
    ["nothing", [], {}, {}],
    ["--once", ["--once"], {}, { once: true }],
    ["--bare", ["--bare"], {}, { bare: true }],
    ["port and folder", [], { PORT: "9000", PERSIST_TO: "/data" }, { port: 9000, persistTo: "/data" }],
    [
      "what is wrangler's",
      ["--var", "A:1", "--once", "--x=2"],
      {},
      { once: true, forWrangler: ["--var", "A:1", "--x=2"] },
    ],
  ] as const)("is understood: %s", ([, args, environment, expected], { expect }) => {
    expect(readOptions([...args], environment)).toEqual({ ...DEFAULTS, ...expected });
  });

  it.for([
    [["--once", "--bare"], {}],
    [[], { PORT: "http" }],
    [[], { PORT: "70000" }],
  ] as const)("is refused in a sentence: %j %j", ([args, environment], { expect }) => {
    expect(readOptions([...args], environment)).toEqual({ mistake: expect.stringMatching(/^[A-Z].*\.$/u) });
  });
});

describe("secrets for development", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "start-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it("are random, made once, and for their owner alone", async ({ expect }) => {
    const path = join(folder, ".dev.vars");
    await makeDevVars(path);
    const first = await readVars(path);
    expect(first.get("MASTER_KEYS")).toMatch(/^dev-1:[A-Za-z0-9+/]{43}=$/u);
    expect(await operatorToken(path)).toMatch(/^[\w-]{32}$/u);
    await makeDevVars(path);
    expect(await readVars(path)).toEqual(first);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("are added where only some are there", async ({ expect }) => {
    const path = join(folder, ".dev.vars");
    await writeFile(path, 'OPERATOR_TOKENS="mine:token-of-mine,other:x"\n');
    await makeDevVars(path);
    expect(await operatorToken(path)).toBe("token-of-mine");
    expect((await readVars(path)).has("MASTER_KEYS")).toBe(true);
  });

  it("of the demo come back as they were saved, and as empty texts when they are lost", async ({ expect }) => {
    const path = join(folder, "state", "demo.env");
    const lost = { password: "", signingKey: "", terminalSecret: "" };
    expect(await loadCredentials(path)).toEqual(lost);
    const credentials = { password: "a-b_c", signingKey: "k-1", terminalSecret: "s_2" };
    await saveCredentials(path, credentials, { posId: "P-1", merchantId: "M-1", terminalId: "T-1" });
    expect(await loadCredentials(path)).toEqual(credentials);
    expect((await readVars(path)).get("DEVICE_ID")).toBe("T-1");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
