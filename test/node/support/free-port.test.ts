import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, it, vi } from "vitest";
import type { MockInstance } from "vitest";
import { freePort } from "../../support/free-port.ts";

const LOWEST = 20_000;
const PORTS = 10_000;

/** Lets the next search begin with `port`. */
function tryFirst(port: number): MockInstance {
  return vi.spyOn(Math, "random").mockReturnValueOnce((port - LOWEST + 0.5) / PORTS);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a free port", () => {
  it("is below the ports of outgoing connections", async ({ expect }) => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(LOWEST);
    expect(Math.max(...ports)).toBeLessThan(LOWEST + PORTS);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it("is followed by as many free ones as are asked for", async ({ expect }) => {
    const first = await freePort(6);
    const servers = [0, 1, 2, 3, 4, 5].map((index) => createServer().listen(first + index, "127.0.0.1"));
    await Promise.all(servers.map((server) => once(server, "listening")));
    expect(servers.map((server) => server.listening)).not.toContain(false);
    for (const server of servers) server.close();
  });

  it("is not in use, and neither are the ports after it", async ({ expect }) => {
    const taken = await freePort();
    const server = createServer().listen(taken, "127.0.0.1");
    await once(server, "listening");
    const random = tryFirst(taken);
    const found = await freePort(3);
    expect(random.mock.calls.length).toBeGreaterThan(1);
    expect([0, 1, 2].map((index) => found + index)).not.toContain(taken);
    server.close();
  });

  it("is given to one process only, although nobody listens on it yet", async ({ expect }) => {
    const helper = join(import.meta.dirname, "../../support/free-port.ts");
    const program = `import { freePort } from ${JSON.stringify(helper)};
      console.log(await freePort()); setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(other.stdout, "data")) as [Buffer];
    const port = Number(String(said));
    tryFirst(port);
    expect(await freePort()).not.toBe(port);
    other.kill("SIGKILL");
    await once(other, "close");
    tryFirst(port);
    expect(await freePort()).toBe(port);
  });
});
