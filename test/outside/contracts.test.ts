/** The contracts as they are served, and a client that a till's developer generates from them. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, inject, it } from "vitest";
import { asyncApi } from "../../src/contracts/asyncapi.ts";
import { openApi } from "../../src/http/openapi/openapi.ts";
import { createAccount, Program } from "../support/fresh-project.ts";
import { ROOT } from "../support/outside.ts";
import { TerminalProcess } from "../support/terminal-process.ts";

const run = promisify(execFile);

const TYPED_CLIENT = join(ROOT, "test", "typed-client");
const TOOLS = join(TYPED_CLIENT, "node_modules");

describe("the gateway serves", () => {
  it.for([
    ["/openapi.json", openApi()],
    ["/asyncapi.json", asyncApi()],
  ] as const)("%s, also to web pages of other origins", async ([path, document], { expect }) => {
    const response = await fetch(inject("gateway").baseUrl + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/u);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(await response.json()).toEqual(document);
  });
});

describe("a client with types of the OpenAPI document", () => {
  it("is generated, compiles, and sells", async ({ expect }) => {
    const { baseUrl, folder } = inject("gateway");
    const project = await mkdtemp(join(folder, "typed-client-"));
    await symlink(join(ROOT, "node_modules"), join(project, "node_modules"));
    await copyFile(join(TYPED_CLIENT, "sale.ts"), join(project, "sale.ts"));
    await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await writeFile(join(project, "openapi.json"), await (await fetch(`${baseUrl}/openapi.json`)).text());
    const generate = [join(TOOLS, "openapi-typescript", "bin", "cli.js"), "openapi.json", "--output", "gateway.d.ts"];
    await run(process.execPath, generate, { cwd: project });

    const strict = [
      "--strict",
      "--noUncheckedIndexedAccess",
      "--noEmit",
      "--skipLibCheck",
      "--allowImportingTsExtensions",
    ];
    const how = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--lib", "es2023,dom"];
    const compile = [join(TOOLS, "typescript", "bin", "tsc"), ...strict, ...how, "--types", "node", "sale.ts"];
    const compiled = run(process.execPath, compile, { cwd: project });
    expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe("");

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
    const till = new Program(["sale.ts"], { cwd: project, env });
    expect(await till.end(), till.output).toBe(0);
    expect(JSON.parse(till.stdout)).toMatchObject({ statusCode: "00", transAmt: "12.50", currency: "MYR" });
    expect(terminal.ledger.charges).toHaveLength(1);
    await terminal.program.end("SIGTERM");
  });
});
