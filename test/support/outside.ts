/**
 * For tests from outside: a separate gateway, on its own port and in its own folder, as `npm start -- --bare` runs it.
 * It is there before the first of these tests, and gone after the last one.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BrowserServer } from "playwright-core";
import type { TestProject } from "vitest/node";
import { lockFolder } from "../../src/tools/development/data-folder.ts";
import { makeDevVars } from "../../src/tools/development/secrets.ts";
import { OperatorClient, operatorToken } from "../../src/sdk/command-line/operator-client.ts";
import { GatewayProcess, migrateDatabase } from "../../src/tools/development/gateway-process.ts";
import { startChromium } from "./chromium-server.ts";
import { freePort } from "./free-port.ts";
import { buildSite } from "./site.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

interface OutsideGateway {
  baseUrl: string;
  operatorToken: string;
  /** Where files connect to their common browser; null if there is none. */
  browser: string | null;
  /** The port of pages that may call the gateway. */
  pagePort: number;
  /** For files that a test leaves behind. */
  folder: string;
  /** The package payment-terminal-client as it is published; empty if no file of this run installs it. */
  tarball: string;
}

declare module "vitest" {
  interface ProvidedContext {
    gateway: OutsideGateway;
  }
}

export const WALLET = "Example Pay";

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "outside-"));
  const [port, pagePort] = [await freePort(), await freePort()];
  const vars = { REQUEST_SECONDS: "40", CORS_ORIGINS: `http://127.0.0.1:${pagePort}` };
  const options = {
    once: false,
    bare: true,
    port,
    persistTo: join(folder, "state"),
    vars,
  };
  const devVars = join(ROOT, ".dev.vars");
  const locked = await lockFolder(options.persistTo, port);
  if (!locked.ok) throw new Error(locked.error);
  await makeDevVars(devVars);
  // All before the gateway runs: packing builds below `src`, which the gateway watches.
  const [tarball, migration] = await Promise.all([
    isTested(project, "package.test.ts").then((is) => (is ? packed(folder) : "")),
    migrateDatabase(ROOT, options),
    isTested(project, "browser/docs.test.ts").then((is) => (is ? buildSite() : null)),
  ]);
  if (migration !== null) throw new Error(migration);
  const gateway = new GatewayProcess(ROOT, options);
  let chromium: BrowserServer | null = null;
  const tidyUp = async (): Promise<void> => {
    await Promise.all([gateway.end(), chromium?.close()]);
    locked.value();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const up = gateway.up();
    chromium = await startChromium();
    const problem = await up;
    if (problem !== null) throw new Error(problem);
    const token = await operatorToken(devVars);
    const channel = { status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" };
    await new OperatorClient(gateway.baseUrl, token).must("PUT", `/channels/${encodeURIComponent(WALLET)}`, channel);
    project.provide("gateway", {
      baseUrl: gateway.baseUrl,
      operatorToken: token,
      browser: chromium?.wsEndpoint() ?? null,
      pagePort,
      folder,
      tarball,
    });
  } catch (error) {
    // Vitest does not ask a setup that failed to tidy up: its gateway would stay, and keep the run from ending.
    await tidyUp();
    throw error;
  }
  return tidyUp;
}

/** Packing takes a second of CPU. */
async function isTested(project: TestProject, name: string): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  return testFiles.some((file) => file.endsWith(`/${name}`));
}

async function packed(folder: string): Promise<string> {
  const options = ["--workspace", "payment-terminal-client", "--pack-destination", folder, "--loglevel=error"];
  await promisify(execFile)("npm", ["pack", ...options], { cwd: ROOT });
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack made no tarball");
  return join(folder, name);
}
