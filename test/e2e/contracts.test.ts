/** The contracts as they are served, and a client that a POS's developer generates from them. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, inject, it } from "vitest";
import { CONTRACTS } from "../../src/docs/contracts.ts";
import { createAccount } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";
import { TerminalProcess } from "../support/terminal-process.ts";

const run = promisify(execFile);

const TYPED_CLIENT = join(ROOT, "test", "typed-client");
const TOOLS = join(TYPED_CLIENT, "node_modules");
const PACKAGES = join(ROOT, "node_modules");

describe("the contracts that the gateway serves", () => {
  it.for(Object.entries(CONTRACTS))(
    "include /%s, also for web pages of other origins",
    async ([path, document], { expect }) => {
      const response = await fetch(`${inject("gateway").baseUrl}/${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toMatch(/^application\/json/u);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(await response.json()).toEqual(document);
    },
  );
});

/** What @hey-api/openapi-ts is told: Node needs the ends of the files' names. */
function heyConfig(input: string, path: string, plugins: string[]): string {
  return `export default ${JSON.stringify({ input, output: { path, module: { extension: ".ts" } }, plugins })};`;
}

const HEY = heyConfig("openapi-pos.json", "hey", ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"]);

/** The one schema of all frames in the wrapping that both generators read. */
async function framesAsComponents(): Promise<object> {
  const schema: unknown = await (await fetch(`${inject("gateway").baseUrl}/frames.json`)).json();
  const { $defs, oneOf } = JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));
  const info = { title: "Frames", version: "1" };
  return { openapi: "3.1.0", info, paths: {}, components: { schemas: { ...$defs, Frame: { oneOf } } } };
}

/** It wants an older TypeScript than the project, like the other generator. */
const OLDER_TYPESCRIPT = `import { registerHooks } from "node:module";
const older = ${JSON.stringify(pathToFileURL(join(TOOLS, "typescript", "lib", "typescript.js")).href)};
registerHooks({ resolve: (name, context, next) => next(name === "typescript" ? older : name, context) });`;

/** As strict as a developer can be. */
const STRICT = ["--strict", "--noUncheckedIndexedAccess", "--noEmit", "--skipLibCheck", "--allowImportingTsExtensions"];
const RESOLUTION = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--lib", "es2023,dom"];

async function newProject(hey: string): Promise<string> {
  const project = await mkdtemp(join(inject("gateway").folder, "typed-client-"));
  await symlink(PACKAGES, join(project, "node_modules"));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await writeFile(join(project, "hey.config.mjs"), hey);
  await writeFile(join(project, "older.mjs"), OLDER_TYPESCRIPT);
  return project;
}

/** With both generators. */
async function generate(project: string, document: string, output: string): Promise<void> {
  const types = [join(TOOLS, "openapi-typescript", "bin", "cli.js"), document, "--output", output];
  await run(process.execPath, types, { cwd: project });
  const hey = [join(PACKAGES, "@hey-api", "openapi-ts", "dist", "run.mjs"), "--file", "hey.config.mjs", "--silent"];
  await run(process.execPath, ["--import", "./older.mjs", ...hey], { cwd: project });
}

/** What the compiler finds wrong. */
async function compile(project: string, programs: string[]): Promise<string> {
  const words = [join(TOOLS, "typescript", "bin", "tsc"), ...STRICT, ...RESOLUTION, "--types", "node", ...programs];
  return (await run(process.execPath, words, { cwd: project }).catch((error: { stdout: string }) => error)).stdout;
}

describe("types that both generators make of the schema of a terminal's frames", () => {
  it("compile, and tell the frames apart", async ({ expect }) => {
    const project = await newProject(heyConfig("frames.json", "hey-frames", ["@hey-api/typescript"]));
    await copyFile(join(TYPED_CLIENT, "frames.ts"), join(project, "frames.ts"));
    await writeFile(join(project, "frames.json"), JSON.stringify(await framesAsComponents()));
    await generate(project, "frames.json", "frames-gateway.d.ts");
    expect(await compile(project, ["frames.ts"])).toBe("");
  });
});

describe("clients that openapi-typescript and @hey-api/openapi-ts generate of the document for a POS", () => {
  it("compile, and sell", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    const project = await newProject(HEY);
    const posPrograms = ["fetch-sale.ts", "hey-sale.ts"];
    for (const name of [...posPrograms, "signature.ts"]) await copyFile(join(TYPED_CLIENT, name), join(project, name));
    await writeFile(join(project, "openapi-pos.json"), await (await fetch(`${baseUrl}/openapi-pos.json`)).text());
    await generate(project, "openapi-pos.json", "gateway.d.ts");
    const generated = await readFile(join(project, "hey", "types.gen.ts"), "utf8");
    expect(generated).toMatch(/\breferenceId: string\b/u);
    expect(generated).not.toContain("unknown & unknown");
    expect(await compile(project, posPrograms)).toBe("");

    const account = await createAccount();
    const terminal = new TerminalProcess(`T-${account.posId}`, account);
    await terminal.start();
    const { posId, merchantId, password, signingKey } = account;
    const env = {
      BASE_URL: baseUrl,
      POS_ID: posId,
      MERCHANT_ID: merchantId,
      PASSWORD: password,
      SIGNING_KEY: signingKey,
      DEVICE_ID: terminal.terminalId,
    };
    for (const name of posPrograms) {
      const pos = new Program([name], { cwd: project, env });
      expect(await pos.end(), pos.output).toBe(0);
      expect(JSON.parse(pos.stdout)).toMatchObject({ statusCode: "00", transAmt: "12.50", currency: "MYR" });
    }
    expect(terminal.ledger.charges).toHaveLength(2);
    await terminal.program.end("SIGTERM");
  });
});
