/** `npm run simulate` against a gateway: what it does, and that it leaves nothing behind, however it ends. */
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { operator } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";

async function simulation(args: string[], folder?: string): Promise<{ program: Program; folder: string }> {
  const { baseUrl, operatorToken, folder: all } = inject("gateway");
  const data = folder ?? (await mkdtemp(join(all, "simulate-")));
  const env = { OPERATOR_TOKEN: operatorToken, PERSIST_TO: data };
  const script = join(ROOT, "src", "tools", "simulate", "simulate.ts");
  return { program: new Program([script, "--url", baseUrl, ...args], { cwd: ROOT, env }), folder: data };
}

/** The ids with that beginning that are still in use: accounts and terminals. */
async function leftOf(prefix: string): Promise<string[]> {
  const [accounts, terminals] = await Promise.all([
    operator().call("GET", `/accounts?posId=${prefix}&status=active`),
    operator().call("GET", `/terminals?terminalId=${prefix}&status=enrolled`),
  ]);
  return [accounts, terminals].flatMap(({ body }) =>
    (body["data"] as Record<string, string>[]).map((row) => row["terminalId"] ?? row["posId"] ?? ""),
  );
}

async function locksIn(folder: string): Promise<string[]> {
  const [gateway = ""] = await readdir(join(folder, "simulations"));
  return readdir(join(folder, "simulations", gateway));
}

function prefixOf({ output }: Program): string {
  return /SIM-[0-9A-F]{8}/u.exec(output)?.[0] ?? "";
}

describe("npm run simulate", () => {
  it("sells to every kind of customer, checks every promise, and cleans up", async ({ expect }) => {
    const args = ["--terminals", "12", "--minutes", "0.1", "--sales-per-minute", "240", "--seed", "5"];
    const { program, folder } = await simulation(args);
    expect(await program.end(), program.output).toBe(0);
    expect(program.output).toMatch(/connecting 12 terminals[^]* …\nSelling for 0\.1 minutes/u);
    expect(program.output).toMatch(/Transactions +\d\d, \d+ per minute/u);
    expect(program.output).toMatch(/ {2}00 00 +\d+/u);
    expect(program.output).toMatch(/Broken promises +0/u);
    expect(program.output).toContain("Removed 1 accounts and 12 terminals.");
    expect([await leftOf(prefixOf(program)), await locksIn(folder)]).toEqual([[], []]);
    expect(program.output).not.toContain(inject("gateway").operatorToken);
  });

  it("removes everything on Ctrl-C, in the middle of sales, and still reports", async ({ expect }) => {
    const { program, folder } = await simulation(["--terminals", "3", "--minutes", "10", "--sales-per-minute", "200"]);
    await program.says("Selling for");
    const [posId = "", ...terminals] = await leftOf(prefixOf(program));
    expect(terminals).toHaveLength(3);
    await expect
      .poll(async () => (await operator().call("GET", `/accounts/${posId}/transactions`)).body["data"])
      .not.toEqual([]);
    expect(await program.end("SIGINT"), program.output).toBe(0);
    expect(program.output).toContain("Removed 1 accounts and 3 terminals.");
    expect(program.output).toMatch(/Broken promises +0/u);
    expect([await leftOf(prefixOf(program)), await locksIn(folder)]).toEqual([[], []]);
  });

  it("cleans up after a run that was killed", async ({ expect }) => {
    const args = ["--terminals", "2", "--minutes", "10"];
    const killed = await simulation(args);
    await killed.program.says("Selling for");
    await killed.program.end("SIGKILL");
    const prefix = prefixOf(killed.program);
    expect(await leftOf(prefix)).toHaveLength(3);
    const next = await simulation(["--terminals", "1", "--minutes", "0.05"], killed.folder);
    expect(await next.program.end(), next.program.output).toBe(0);
    expect(next.program.output).toContain(`Removed 1 accounts and 2 terminals that an earlier run had left behind.`);
    expect([await leftOf(prefix), await locksIn(killed.folder)]).toEqual([[], []]);
  });

  it("refuses a gateway on another machine that is not named twice", async ({ expect }) => {
    const { program } = await simulation(["--url", "https://gateway.example.com"]);
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain("gateway.example.com is not this machine.");
  });
});
