/** What the commands decide before they call the gateway. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { type AccountEvent, PosClient, PosError, type TransferAnswer } from "../../../src/sdk/client/pos.ts";
import { eventsCommand, posProgram } from "../../../src/sdk/command-line/pos/commands.ts";
import { optionsOf } from "../../support/options-of.ts";
import { mistakeText } from "../../../src/sdk/command-line/program.ts";
import { Settings, fromCaller } from "../../../src/sdk/command-line/settings.ts";
import { nameFiles, putAside, readSecrets } from "../../../src/sdk/command-line/terminal/secret.ts";
import { lock } from "../../../src/sdk/command-line/lock-file.ts";
import { terminalProgram } from "../../../src/sdk/command-line/terminal/options.ts";
import { TokenFile } from "../../../src/sdk/command-line/pos/token-file.ts";
import {
  reportData,
  describeProgress,
  errorJson,
  errorText,
  eventLine,
  ProgressLine,
  answerText,
  reportTransfer,
} from "../../../src/sdk/command-line/pos/report.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "command-line-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("the events", () => {
  it("show where some are missing because they were deleted", async ({ expect }) => {
    const event = { id: "evt_POS-1_5", number: 5, type: "something.new", timestamp: "2031-05-10T12:00:00", data: {} };
    const tokens = { token: "token", expiresAt: "2099-01-01T00:00:00Z" };
    const pages = [
      { data: [event], next: 5, skipped: 4 },
      { data: [], next: 5 },
    ];
    const pos = new PosClient({
      baseUrl: "https://gateway.test",
      posId: "POS-1",
      merchantId: "M-1",
      signingKey: "key",
      fetch: async ({ url }) =>
        Response.json(url.includes("/auth/") ? { access: tokens, refresh: tokens } : pages.shift()),
    });
    const printed: unknown[] = [];
    await eventsCommand({
      pos,
      args: [],
      flags: {},
      deviceId: () => "",
      announce: () => undefined,
      print: (shown) => printed.push(shown),
      complain: (message) => printed.push(message),
      options: {},
    });
    expect(printed).toEqual([
      "4 events are missing here: they were deleted after 400 days.",
      expect.objectContaining({ data: event }),
    ]);
  });
});

describe("the line of an event", () => {
  it.for([
    [{ type: "terminal.unbound", data: { terminalId: "T-1", unboundBy: "operator" } }, "T-1  operator"],
    [{ type: "prebind.replaced", data: { uniqueIds: ["T-1", "T-2"] } }, "T-1  T-2"],
    [{ type: "something.new", data: { text: "new", number: 1, object: {} } }, "new"],
    [{ type: "something.new" }, "something.new"],
  ] as const)("has the words of its data: %j", ([event, words], { expect }) => {
    const at = { id: "evt_POS-1_5", number: 5, timestamp: "2031-05-10T12:00:00" };
    expect(eventLine({ ...at, ...event } as AccountEvent).endsWith(`  ${words}`)).toBe(true);
  });
});

describe("the words about an answer", () => {
  it("offer the cancel of the payment that is open at the terminal", ({ expect }) => {
    const answer = {
      transType: "sale",
      posId: "POS-1",
      deviceId: "T-1",
      referenceId: "R-2",
      statusCode: "11",
      responseCode: "TERMINAL_BUSY",
      softwareVersion: "1",
      terminalSn: "SN",
      apiVersion: "v1",
      signature: "",
    } as TransferAnswer;
    expect(reportTransfer(answer).lines).not.toContain("cancel");
    const { lines, status } = reportTransfer({ ...answer, openReferenceId: "R-1" });
    expect([lines.split("\n").at(-1), status]).toEqual([
      "Payment R-1 is open at the terminal. If nobody is about to pay it, cancel it: npm run pos -- cancel R-1",
      1,
    ]);
  });
});

describe("the words about a call that failed", () => {
  const problem = { kind: "invalid_request", message: "Refused." } as const;
  const words = (code: number, maybeTaken: boolean) => errorText(new PosError({ ...problem, code }, maybeTaken), true);

  it("promise that no money moved only if none did", ({ expect }) => {
    expect(words(40000, false)).toBe("Refused.\nThis call moved no money.");
    // A question never moves any.
    expect(errorText(new PosError({ ...problem, code: 40000 }, false), false)).toBe("Refused.");
    expect(words(40000, true)).toMatch(/^Ask again with the same --reference\. Do not charge again: /u);
    for (const [code, maybeTaken] of [
      [40009, false],
      [40009, true],
      [40004, false],
    ] as const) {
      expect(words(code, maybeTaken)).toBe(
        "Send an inquiry. Do not charge again: npm run pos -- inquiry --about REFERENCE\nRefused.",
      );
    }
    for (const maybeTaken of [false, true]) {
      expect(words(40010, maybeTaken)).toBe(
        "Look in the account's list. Do not charge again: npm run pos -- transactions --about REFERENCE\nRefused.",
      );
    }
    const json: unknown = JSON.parse(errorJson(new PosError({ ...problem, code: 40009 }, false)));
    expect(json).toEqual({ error: "invalid_request", outcomeUnknown: true, next: "inquiry", ...problem, code: 40009 });
  });
});

describe("the progress line", () => {
  const progress = {
    state: "waiting",
    attempt: 2,
    elapsed: 12_300,
    left: 167_700,
    pending: null,
    problem: null,
    stages: [],
  } as const;

  it("overwrites itself in a terminal window, and is erased at the end", ({ expect }) => {
    const written: string[] = [];
    const line = new ProgressLine({ isTTY: true, columns: 40, write: (text) => written.push(text) });
    line.show(progress);
    line.clear();
    line.clear();
    expect(written).toEqual(["\r\u001b[2K12 s, 168 s left · message 2 · waiting ", "\r\u001b[2K"]);
  });

  it("shows what happens at the terminal, as far as possible", ({ expect }) => {
    const at = "2026-11-20T18:04:07.050+08:00";
    const stages = [
      { stage: "sent", at },
      { stage: "pin", at },
    ] as const;
    expect(describeProgress({ ...progress, state: "asking", attempt: 1, stages })).toBe(
      "Customer is entering the PIN · 12 s, 168 s left",
    );
    expect(describeProgress({ ...progress, stages })).toBe(
      "Customer is entering the PIN · 12 s, 168 s left · message 2 · waiting to ask again",
    );
  });
});

describe("a list", () => {
  const data = [
    { terminalId: "T-1", connected: true, isVT: 1 },
    { terminalId: "T-0002-LONG", connected: false, isVT: 0, note: null },
  ];

  it("is a table, for objects, headed by their members' names", ({ expect }) => {
    expect(answerText(reportData(data), false).split("\n")).toEqual([
      "terminalId   connected  isVT  note",
      "T-1          true       1     -",
      "T-0002-LONG  false      0     -",
    ]);
    expect(answerText(reportData([]), false)).toBe("None.");
    expect(answerText(reportData(["T-1", "T-2"]), false)).toBe("T-1\nT-2");
  });

  it("is aligned for names in wide letters, too", ({ expect }) => {
    const shops = [
      { name: "街角", id: 1 },
      { name: "Corner", id: 2 },
    ];
    expect(answerText(reportData(shops), false)).toBe("name    id\n街角    1\nCorner  2");
  });
});

describe("a kept session", () => {
  const token = { token: "a-token", expiresAt: "2026-11-21T00:00:00.000+08:00" };
  const tokens = { access: token, refresh: token };

  it("is available to the password that it began with, and no other", async ({ expect }) => {
    const path = join(folder, "session.json");
    await new TokenFile(path, "the right one").save(tokens);
    expect(await new TokenFile(path, "the right one").load()).toEqual(tokens);
    expect(await new TokenFile(path, "the right onf").load()).toBeNull();
  });

  it("reveals nothing that could confirm a guess of the password", async ({ expect }) => {
    const path = join(folder, "session.json");
    const kept = async (): Promise<{ salt: string; digest: string }> => {
      await new TokenFile(path, "the right one").save(tokens);
      return JSON.parse(await readFile(path, "utf8"));
    };
    const [first, second] = [await kept(), await kept()];
    expect(first.salt).not.toBe(second.salt);
    // Two bytes: of a million guesses, fifteen fit.
    expect(first.digest).toMatch(/^[0-9a-f]{4}$/u);
    expect(Object.keys(first).toSorted()).toEqual(["access", "digest", "refresh", "salt"]);
  });

  it("requires a login if its session was not bound to a password", async ({ expect }) => {
    const path = join(folder, "session.json");
    await writeFile(path, JSON.stringify(tokens), { mode: 0o600 });
    expect(await new TokenFile(path, "the right one").load()).toBeNull();
  });
});

describe("settings", () => {
  it("prefer the environment, then the file; the demo's without an account", async ({ expect }) => {
    await mkdir(join(folder, "state"));
    const demo = join(folder, "state", "demo.env");
    await writeFile(demo, "POS_ID='POS-DEMO'\nPASSWORD='demo'\n", { mode: 0o600 });
    const environment = { PERSIST_TO: join(folder, "state") };
    expect((await Settings.read(undefined, environment)).get("PASSWORD")).toBe("demo");
    expect((await Settings.read(undefined, { ...environment, PASSWORD: "mine" })).get("PASSWORD")).toBe("mine");
    const other = await Settings.read(undefined, { ...environment, POS_ID: "POS-1" });
    expect(() => other.must("PASSWORD")).toThrow("PASSWORD is missing");
    expect((await Settings.read(demo, { POS_ID: "POS-1" })).get("PASSWORD")).toBe("demo");
  });

  it("name the gateway by argument, environment, or npm start, in that order", async ({ expect }) => {
    await writeFile(join(folder, "start.lock"), `${process.pid}\n8899`);
    expect((await Settings.read(undefined, { PERSIST_TO: folder })).url(undefined)).toBe("http://127.0.0.1:8899");
    const settings = await Settings.read(undefined, { PERSIST_TO: folder, PORT: "9000" });
    expect(settings.url(undefined)).toBe("http://127.0.0.1:9000");
    expect(settings.url("https://shop.example/")).toBe("https://shop.example");
    expect(() => settings.url("ftp://shop.example")).toThrow("baseUrl must be https");
    expect(() => settings.url("shop")).toThrow("--url");
  });

  it("resolve paths from where npm was called", ({ expect }) => {
    expect(fromCaller("shop.env", { INIT_CWD: "/home/shop" })).toBe("/home/shop/shop.env");
    expect(fromCaller("/etc/shop.env", { INIT_CWD: "/home/shop" })).toBe("/etc/shop.env");
  });
});

describe("a terminal's files", () => {
  it("are locked against a second process, and freed when it ends", async ({ expect }) => {
    const path = join(folder, "T-1.lock");
    const release = lock(path);
    expect(() => lock(path)).toThrow(`Process ${process.pid} already runs this terminal`);
    release();
    lock(path)();
    // Left behind by a process that was killed: no process has this number.
    await writeFile(path, "4194305");
    lock(path)();
    expect(existsSync(path)).toBe(false);
  });

  it("are renamed, not deleted, when the terminal is enrolled again", async ({ expect }) => {
    const files = nameFiles(folder, "T-1");
    await writeFile(files.memory, "{}");
    await putAside(files);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^T-1\.memory\.json\.\d+\.old$/u)]);
  });

  it("accept secrets as enrolment writes them, or one in its own file", async ({ expect }) => {
    const path = join(folder, "secrets");
    const [first, second] = ["1".repeat(43), "2".repeat(43)];
    await writeFile(path, `terminalId,secret\nT-1,${first}\r\n\nT-2  ${second}\n`, { mode: 0o600 });
    const both = [
      ["T-1", first],
      ["T-2", second],
    ];
    expect([...(await readSecrets(path, ["T-1", "T-2"]))]).toEqual(both);
    expect([...(await readSecrets(path, ["T-2"]))]).toEqual(both);
    await expect(readSecrets(path, ["T-1", "T-3", "T-4"])).rejects.toThrow("has no secret of T-3, T-4.");
    await writeFile(path, `${first}\n`);
    expect([...(await readSecrets(path, ["T-1"]))]).toEqual([["T-1", first]]);
    await expect(readSecrets(path, ["T-1", "T-2"])).rejects.toThrow("line 1 must be ID,SECRET;");
  });

  it.for(["T-1;SECRET", "T-1,SECRET,x", "T-1,", "T-1,short", "#"])(
    "are refused with the line %s, which is not shown",
    async (line, { expect }) => {
      const path = join(folder, "secrets");
      const secret = "1".repeat(43);
      await writeFile(path, `terminalId,secret\n${line.replace("SECRET", secret)}\n`, { mode: 0o600 });
      const refused = await readSecrets(path, ["T-1"]).catch(String);
      expect(refused).toContain("line 2 must be ID,SECRET or a secret alone");
      expect(refused).not.toContain(secret);
    },
  );
});

describe("a mistake in the arguments", () => {
  it.for([
    [["sale", "1.00", "--password=a secret"], "Unknown option '--password'"],
    [["sale", "1.00", "-x"], "Unknown option '-x'"],
    [["sale", "1.00", "--within"], "Option '--within <SECONDS>' argument missing"],
    [
      ["sale", "1.00", "--within", "a secret"],
      "Option '--within <SECONDS>' is invalid. Use a whole number from 1 to 999999.",
    ],
    [["sale"], "Missing required argument 'AMOUNT'"],
    [["sael", "1.00"], "Unknown command 'sael' (Did you mean sale?)"],
    [["sale", "1.00", "--devcie", "T-1"], "Unknown option '--devcie' (Did you mean --device?)"],
  ] as const)("is named in one line, without a value: %j", async ([args, message], { expect }) => {
    const mistake = await posProgram(async () => undefined)
      .parseAsync(args, { from: "user" })
      .catch((error: unknown) => error);
    expect(mistakeText(mistake as Error)).toBe(message);
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
    [["--id", "POS"], ["POS"]],
  ] as const)("has, for the options %j, the ids %j", async ([args, terminalIds], { expect }) => {
    expect(await optionsOf(terminalProgram, args)).toMatchObject({ terminalIds });
  });
});
