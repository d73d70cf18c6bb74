/** `npm start` if it cannot start: it says so at once, and damages nothing. */
import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { Program } from "../support/program.ts";
import { freePort } from "../support/free-port.ts";
import { portsBeside } from "../support/listening-ports.ts";
import { ROOT } from "../support/outside.ts";

/** A failed start ends before it has started anything. */

async function started(folder: string, ...args: string[]): Promise<Program> {
  const env = { PORT: String(await freePort()), PERSIST_TO: folder };
  return new Program([join(ROOT, "src", "tools", "development", "start.ts"), ...args], { cwd: ROOT, env });
}

describe("npm start", () => {
  it.for([[], ["--bare"]])("names the gateway that runs on a data folder, untouched: %j", async (args, { expect }) => {
    const { baseUrl, folder } = inject("gateway");
    const state = join(folder, "state");
    const before = await readdir(state);
    const second = await started(state, ...args);
    expect(await second.end(), second.output).toBe(1);
    expect(second.stdout).toBe("");
    expect(second.stderr).toMatch(/^Process \d+ already runs a gateway on the data folder /u);
    expect(second.stderr).toContain(`on port ${new URL(baseUrl).port}. Use it, end it`);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    expect(await readdir(state)).toEqual(before);
  });

  it("prints what to restore or delete if the data's keys are lost", async ({ expect }) => {
    const state = await mkdtemp(join(inject("gateway").folder, "lost-"));
    await mkdir(join(state, "v3", "d1"), { recursive: true });
    await writeFile(join(state, "master-keys.json"), JSON.stringify({ "dev-1": "00" }), { mode: 0o600 });
    const start = await started(state);
    expect(await start.end(), start.output).toBe(1);
    expect(start.stderr).toMatch(/^The MASTER_KEYS in \S+\.dev\.vars are not those .*\n.*PERSIST_TO/u);
    expect(await readdir(state)).toEqual(["master-keys.json", "v3"]);
  });

  it.runIf(process.platform === "linux")(
    "opens no inspector, through which anybody could read its keys",
    async ({ expect }) => {
      const ports = portsBeside(Number(new URL(inject("gateway").baseUrl).port));
      expect(ports.length).toBeGreaterThan(0);
      for (const port of ports) {
        for (const path of ["/json", "/json/list", "/json/version"]) {
          const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
          expect([403, 404], `${path} on port ${port}`).toContain(status);
        }
      }
    },
  );

  it("refuses an origin that no browser sends", async ({ expect }) => {
    const state = await mkdtemp(join(inject("gateway").folder, "origins-"));
    const start = await started(state, "--var", "CORS_ORIGINS:https://pos.example.com/pay");
    expect(await start.end(), start.output).toBe(1);
    expect(start.stderr).toContain('has the entry "https://pos.example.com/pay", which no browser sends');
  });

  it("keeps no traces beside the data, which have webhook addresses (I6)", async ({ expect }) => {
    const { baseUrl, folder } = inject("gateway");
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    const kept = await readdir(join(folder, "state", "v3"));
    expect(kept).toContain("do");
    expect(kept).not.toContain("observability");
  });

  it("leaves no way to the database and the objects past the gateway", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    for (const path of ["/cdn-cgi/local/explorer", "/cdn-cgi/local/explorer/api/d1/database"]) {
      const { status, headers } = await fetch(`${baseUrl}${path}`);
      expect([path, status, headers.get("X-Request-Id")]).toEqual([path, 404, expect.stringMatching(/./u)]);
    }
  });

  it("prints its options with their defaults for --help", async ({ expect }) => {
    const help = await started("/nowhere", "--help");
    expect(await help.end()).toBe(0);
    expect(help.stdout).toMatch(/PERSIST_TO \(default:\s+\.wrangler\/state\)/u);
  });
});
