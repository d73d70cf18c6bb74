/** The package payment-terminal-client, installed from a tarball in a project that knows nothing of this one. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, inject, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/outside.ts";
import { createAccount, enrolTerminal, freshProject, posOf } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";

const run = promisify(execFile);
let project: string;

/** The package's bin. */
function bin(): string {
  return join(project, "node_modules", ".bin", "payment-terminal-client");
}

beforeAll(async () => {
  project = await freshProject();
});

const TERMINAL = `
import { FileStore } from "payment-terminal-client/file-store";
import { TerminalClient } from "payment-terminal-client/terminal";

const { BASE_URL, TERMINAL_ID, TERMINAL_SECRET, BIND_KEY } = process.env;
const client = new TerminalClient({
  baseUrl: BASE_URL,
  terminalId: TERMINAL_ID,
  secret: TERMINAL_SECRET,
  softwareVersion: "shop 1",
  terminalSn: "SN-1",
  store: new FileStore("terminal.json"),
  handler: {
    async onRequest(request, { reachedHost }) {
      await reachedHost();
      return { statusCode: "00", responseCode: "00", transData: { paymentChannel: "VISA", invNo: "000001" } };
    },
  },
});
await client.start();
await client.connected();
await client.bind(BIND_KEY);
console.log("bound");
`;

const POS = `
import { PosClient, newReferenceId } from "payment-terminal-client/pos";

const { BASE_URL, POS_ID, PASSWORD, MERCHANT_ID, SIGNING_KEY, TERMINAL_ID } = process.env;
const pos = new PosClient({
  baseUrl: BASE_URL,
  posId: POS_ID,
  password: PASSWORD,
  merchantId: MERCHANT_ID,
  signingKey: SIGNING_KEY,
});
const sale = { referenceId: newReferenceId(), transAmt: "12.50", paymentMethod: "bankCard" };
const answer = await pos.sale({ deviceId: TERMINAL_ID, ...sale });
console.log(JSON.stringify(answer));
`;

describe("the package", () => {
  it("installs nothing but itself, and runs no install script", async ({ expect }) => {
    const installed = await readdir(join(project, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["payment-terminal-client"]);
    const folder = join(project, "node_modules", "payment-terminal-client");
    expect((await readdir(folder)).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const [own, root] = await Promise.all(
      [folder, ROOT].map(async (path) => JSON.parse(await readFile(join(path, "package.json"), "utf8"))),
    );
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"]) expect(own[kind]).toBeUndefined();
    const atInstall = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
    const scripts = Object.keys({ ...own.scripts, ...root.scripts });
    expect(scripts.filter((name) => atInstall.includes(name))).toEqual([]);
  });

  it("loads in any runtime: only the modules for Node import Node's", async ({ expect }) => {
    const folder = join(project, "node_modules", "payment-terminal-client", "dist");
    const files = await readdir(folder, { recursive: true });
    const modules = files.filter((name) => name.endsWith(".js") && !name.startsWith("bin"));
    const texts = await Promise.all(modules.map(async (name) => [name, await readFile(join(folder, name), "utf8")]));
    expect(texts.length).toBeGreaterThan(20);
    expect(
      texts.filter(([, text]) => /^(?:import|export) .*from "[^.]/mu.test(text ?? "")).map(([name]) => name),
    ).toEqual(["file-lock.js", "file-store.js"].map((name) => join("sdk", "client", name)));
    const { exports } = JSON.parse(await readFile(join(folder, "..", "package.json"), "utf8"));
    const [, ...paths] = Object.keys(exports);
    const names = paths.map((path) => path.replace(".", "payment-terminal-client"));
    await writeFile(
      join(project, "all.js"),
      `console.log(${names.map((name) => `await import("${name}")`).join(", ")});`,
    );
    const all = new Program(["all.js"], { cwd: project });
    expect(await all.end(), all.output).toBe(0);
    for (const name of ["PosClient", "TerminalClient", "FileStore", "IndexedDbStore"]) {
      expect(all.output).toContain(`[class ${name}`);
    }
  });

  it("sells in Node with a POS and a terminal of few lines", async ({ expect }) => {
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const { posId, merchantId, password, signingKey } = account;
    await writeFile(join(project, "terminal.js"), TERMINAL);
    await writeFile(join(project, "pos.js"), POS);
    const { key } = await posOf(account).bindKey();
    const env = {
      BASE_URL: inject("gateway").baseUrl,
      TERMINAL_ID: terminalId,
      TERMINAL_SECRET: secret,
      BIND_KEY: key,
      POS_ID: posId,
      MERCHANT_ID: merchantId,
      PASSWORD: password,
      SIGNING_KEY: signingKey,
    };
    const terminal = new Program(["terminal.js"], { cwd: project, env });
    await terminal.says("bound");
    const pos = new Program(["pos.js"], { cwd: project, env });
    expect(await pos.end(), pos.output).toBe(0);
    expect(JSON.parse(pos.output)).toMatchObject({
      statusCode: "00",
      softwareVersion: "shop 1",
      transData: { transAmt: "12.50", paymentChannel: "VISA" },
    });
    await terminal.end("SIGTERM");
  });

  // TypeScript 7 has no "node10", the resolution without `exports`.
  it.for([
    ["nodenext", "nodenext", "typescript"],
    ["esnext", "bundler", "typescript"],
    ["commonjs", "node10", "test/typed-client/typescript"],
  ] as const)(
    "has declarations that a strict compiler accepts (%s, %s)",
    async ([module, resolution, typescript], { expect }) => {
      await copyFile(join(ROOT, "test", "typed-client", "pos.ts"), join(project, "pos.ts"));
      const compiler = join(ROOT, dirname(typescript), "node_modules", "typescript", "bin", "tsc");
      const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
      const how = ["--module", module, "--moduleResolution", resolution, "--target", "es2022", "--lib", "es2023,dom"];
      const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules", "@types")];
      const compiled = run(process.execPath, [compiler, ...strict, ...how, ...types, "pos.ts"], { cwd: project });
      const { stdout } = await compiled.catch((error: { stdout: string }) => error);
      expect(stdout).toBe("");
    },
  );

  it.for(['import "payment-terminal-client"', 'require("payment-terminal-client")'])(
    "has nothing to %s, and names all that there is",
    async (code, { expect }) => {
      await writeFile(
        join(project, "root.cjs"),
        code.startsWith("import") ? `import("payment-terminal-client")` : code,
      );
      const program = new Program(["root.cjs"], { cwd: project });
      expect(await program.end()).toBe(1);
      const { exports } = JSON.parse(await readFile(join(ROOT, "src", "sdk", "package.json"), "utf8"));
      for (const path of Object.keys(exports).slice(1)) expect(program.stderr).toContain(path.slice(1));
    },
  );
});

describe("its commands", () => {
  it.for([
    [["--help"], "conformance [arguments...]"],
    [["conformance", "--help"], "npx payment-terminal-client conformance terminal http"],
    [["pos", "--help"], "npx payment-terminal-client pos sale 12.50"],
    [["terminal", "--help"], "npx payment-terminal-client terminal --id T-0001"],
  ] as const)("run with npx, and help: %j", async ([args, text], { expect }) => {
    const options = ["--no-install", "--offline", "payment-terminal-client"];
    const { stdout } = await run("npx", [...options, ...args], { cwd: project });
    expect(stdout).toContain(text);
    expect(stdout).not.toContain("npm run");
  });

  it.for([
    [[], "conformance [arguments...]"],
    [["termnal"], "Unknown command 'termnal' (Did you mean terminal?)"],
    [["pos", "sale"], "Missing required argument 'AMOUNT'"],
  ] as const)("end with status 5 if called with %j, and print “%s”", async ([args, text], { expect }) => {
    const program = new Program([bin(), ...args], { cwd: project });
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain(text);
  });

  // Node 20 is the oldest that the package runs on; it has no WebSocket.
  it.for([
    ["the platform's WebSocket", []],
    ["its own WebSocket", ["--no-experimental-websocket"]],
  ] as const)("test a terminal, here the simulated one, with %s", async ([, flags], { expect }) => {
    const cwd = join(project, `shop${flags.length}`);
    await mkdir(cwd);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const only = "login,connect,hello,bind,accepted,result-fields,result-kept";
    const kit = new Program([bin(), "conformance", "terminal", url, "--auto", "--json", "--only", only], { cwd });
    await kit.says("Waiting for the terminal");
    const env = join(cwd, ".payment-terminal-client", "conformance", `127.0.0.1_${port}`, "terminal.env");
    const args = ["--id", "T-1", "--url", url, "--env", env, "--bind-key", "TEST-KEYS", "--pace", "20"];
    const terminal = new Program([...flags, bin(), "terminal", ...args], { cwd });
    expect(await kit.end(), kit.output).toBe(0);
    expect(JSON.parse(kit.stdout)).toMatchObject({ kept: only.split(",").length, broken: 0, blocked: 0 });
    await terminal.end("SIGTERM");
    expect(existsSync(join(cwd, ".wrangler"))).toBe(false);
  });

  it("test a POS, in this case their own", async ({ expect }) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const drive = `"${process.execPath}" "${bin()}" pos $ACTION $ARGUMENTS`;
    const args = [url, "--json", "--only", "login,sale,void", "--drive", drive];
    const { baseUrl, operatorToken } = inject("gateway");
    const env = { GATEWAY_URL: baseUrl, OPERATOR_TOKEN: operatorToken };
    const kit = new Program([bin(), "conformance", "pos", ...args], { cwd: project, env });
    expect(await kit.end(), kit.output).toBe(0);
    expect(JSON.parse(kit.stdout)).toMatchObject({ broken: 0, blocked: 0 });
  });

  it("sell at the gateway", async ({ expect }) => {
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const { posId, merchantId, password, signingKey } = account;
    const env = { GATEWAY_URL: inject("gateway").baseUrl, POS_ID: posId, PASSWORD: password };
    const args = ["--id", terminalId, "--bind", "--pace", "20"];
    const terminal = new Program([bin(), "terminal", ...args], {
      cwd: project,
      env: { ...env, TERMINAL_SECRET: secret },
    });
    await terminal.says(`Ready for ${posId}`);
    const more = { MERCHANT_ID: merchantId, SIGNING_KEY: signingKey, DEVICE_ID: terminalId };
    const pos = new Program([bin(), "pos", "sale", "12.50", "--json"], { cwd: project, env: { ...env, ...more } });
    expect(await pos.end(), pos.output).toBe(0);
    expect(JSON.parse(pos.stdout)).toMatchObject({ statusCode: "00", transData: { transAmt: "12.50" } });
    await terminal.end("SIGTERM");
  });
});
