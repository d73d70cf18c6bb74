/**
 * A small run for killed-run.test.ts: `node run-to-be-killed.ts FOLDER PORT`. Starts what a run of tests starts, says so with its own
 * process number and its parent's, and waits. Without a port it starts no gateway and no browser.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayProcess } from "../../src/development/gateway-process.ts";
import { startChromium } from "./chromium-server.ts";

const ROOT = join(import.meta.dirname, "../..");

const [folder = "", port] = process.argv.slice(2);

/** Starts wrangler with a Worker of one line, which answers everything. */
async function startGateway(): Promise<void> {
  const entry = join(folder, "worker.mjs");
  const config = join(folder, "wrangler.toml");
  await writeFile(entry, "export default { fetch: () => new Response() };");
  await writeFile(config, 'name = "small"\ncompatibility_date = "2026-01-01"\n');
  const forWrangler = [entry, "--config", config];
  const options = {
    once: false,
    bare: true,
    fleet: 0,
    port: Number(port),
    persistTo: join(folder, "state"),
    forWrangler,
  };
  const problem = await new GatewayProcess(ROOT, options).up();
  if (problem !== null) throw new Error(problem);
}

// One that no signal of a terminal or of `kill` ends, in a process group of its own.
const stubborn = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {}); setInterval(() => {}, 1000);`;
spawn(process.execPath, ["-e", stubborn], { detached: true, stdio: "ignore" });
if (port !== undefined) await Promise.all([startGateway(), startChromium()]);
console.log(`ready ${process.pid} ${process.ppid}`);
setInterval(() => undefined, 1_000);
