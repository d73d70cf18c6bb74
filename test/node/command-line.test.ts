/** What the commands decide before they ask anybody. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { ProgressLine } from "../../src/command-line/pos/progress-line.ts";
import { Settings, fromCaller } from "../../src/command-line/settings.ts";
import { filesOf, putAside } from "../../src/command-line/terminal/files.ts";
import { lock } from "../../src/command-line/terminal/lock.ts";
import { readOptions } from "../../src/command-line/terminal/options.ts";
import { readSecrets } from "../../src/command-line/terminal/secret.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "command-line-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("the progress line", () => {
  const progress = {
    state: "waiting",
    attempt: 2,
    elapsed: 12_300,
    left: 167_700,
    pending: null,
    problem: null,
  } as const;

  it("is written over itself in a terminal window, and wiped away", ({ expect }) => {
    const written: string[] = [];
    const line = new ProgressLine({ isTTY: true, columns: 40, write: (text) => written.push(text) });
    line.show(progress);
    line.clear();
    line.clear();
    expect(written).toEqual(["\r\u001b[2K12 s, 168 s left · message 2 · waiting ", "\r\u001b[2K"]);
  });

  it("is not there for a file or a pipe", ({ expect }) => {
    const written: string[] = [];
    const line = new ProgressLine({ write: (text) => written.push(text) });
    line.show(progress);
    line.clear();
    expect(written).toEqual([]);
  });
});

describe("settings", () => {
  it("come from the environment before the file, and from the demo's only for nobody else", async ({ expect }) => {
    await mkdir(join(folder, "state"));
    const demo = join(folder, "state", "demo.env");
    await writeFile(demo, "POS_ID='POS-DEMO'\nPASSWORD='demo'\n");
    const environment = { PERSIST_TO: join(folder, "state") };
    expect((await Settings.read(undefined, environment)).get("PASSWORD")).toBe("demo");
    expect((await Settings.read(undefined, { ...environment, PASSWORD: "mine" })).get("PASSWORD")).toBe("mine");
    const other = await Settings.read(undefined, { ...environment, POS_ID: "POS-1" });
    expect(() => other.must("PASSWORD")).toThrow("PASSWORD is missing");
    expect((await Settings.read(demo, { POS_ID: "POS-1" })).get("PASSWORD")).toBe("demo");
  });

  it("name the gateway: by argument, by environment, else the one of npm start", async ({ expect }) => {
    const settings = await Settings.read(undefined, { PERSIST_TO: folder, PORT: "9000" });
    expect(settings.url(undefined)).toBe("http://127.0.0.1:9000");
    expect(settings.url("https://shop.example/")).toBe("https://shop.example");
    expect(() => settings.url("ftp://shop.example")).toThrow("baseUrl must be https");
    expect(() => settings.url("shop")).toThrow("--url");
  });

  it("mean paths as seen from where npm was called", ({ expect }) => {
    expect(fromCaller("shop.env", { INIT_CWD: "/home/shop" })).toBe("/home/shop/shop.env");
    expect(fromCaller("/etc/shop.env", { INIT_CWD: "/home/shop" })).toBe("/etc/shop.env");
  });
});

describe("a terminal's files", () => {
  it("are locked against a second process, and free when the first is gone", async ({ expect }) => {
    const path = join(folder, "T-1.lock");
    const release = lock(path);
    expect(() => lock(path)).toThrow(`Process ${process.pid} runs this terminal already`);
    release();
    lock(path)();
    // Left behind by a process that was killed: no process has this number.
    await writeFile(path, "4194305");
    lock(path)();
    expect(existsSync(path)).toBe(false);
  });

  it("are put aside, not deleted, when the terminal is enrolled anew", async ({ expect }) => {
    const files = filesOf(folder, "T-1");
    await writeFile(files.memory, "{}");
    await putAside(files);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^T-1\.memory\.json\.\d+\.old$/u)]);
  });

  it("take secrets from lines, or the only one from a file of its own", async ({ expect }) => {
    const path = join(folder, "secrets");
    await writeFile(path, "T-1 first\nT-2 second\n");
    expect([...(await readSecrets(path, ["T-1", "T-2"]))]).toEqual([
      ["T-1", "first"],
      ["T-2", "second"],
    ]);
    await writeFile(path, "only\n");
    expect([...(await readSecrets(path, ["T-1"]))]).toEqual([["T-1", "only"]]);
  });
});

describe("a fleet", () => {
  it.for([
    [
      ["--count", "2"],
      ["T-0001", "T-0002"],
    ],
    [
      ["--count", "3", "--id", "F9"],
      ["F9", "F10", "F11"],
    ],
    [["--id", "till"], ["till"]],
  ] as const)("told %j is %j", ([args, ids], { expect }) => {
    expect(readOptions([...args])?.terminalIds).toEqual(ids);
  });
});
