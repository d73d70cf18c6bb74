/** The commands of a tester that the kits start and kill. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { runCommand } from "../../../../src/sdk/conformance/tester.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-command-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a command of the tester", () => {
  it("ends with everything that its shell has started", async ({ expect }) => {
    const file = join(folder, "pid");
    const command = runCommand(`sleep 60 & echo $! > "${file}.next"; mv "${file}.next" "${file}"; wait`, {}, "hidden");
    await expect.poll(() => existsSync(file)).toBe(true);
    const pid = Number(await readFile(file, "utf8"));
    expect(isAlive(pid)).toBe(true);
    command.end("SIGKILL");
    expect(await command.ended).toBeNull();
    await expect.poll(() => isAlive(pid)).toBe(false);
    command.end("SIGKILL");
  });
});
