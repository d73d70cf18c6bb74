/** The documentation's commands, as they stand there. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, inject, it } from "vitest";
import { boundTerminal, createAccount, enrolTerminal, posOf } from "../support/fresh-project.ts";
import { ROOT } from "../support/outside.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";

const run = promisify(execFile);
const TOOLS = ["bash", "curl", "openssl", "perl"];

function isOnPath(tool: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, tool)));
}

/** All bash blocks of a text, in order. */
function bashOf(markdown: string): string {
  return [...markdown.matchAll(/^```bash\n(.*?)^```$/gmsu)].map(([, code = ""]) => code).join("");
}

function page(name: string): Promise<string> {
  return readFile(join(ROOT, "src", "docs", name), "utf8");
}

async function commands(name: string): Promise<string> {
  return bashOf(await page(name));
}

/** What stands below a heading of the second level. */
async function section(name: string, heading: string): Promise<string> {
  return new RegExp(`^## ${heading}\\n(.*?)^## `, "msu").exec(await page(name))?.[1] ?? "";
}

/** Commands of the pages that read, such as the first one of most runbooks. Those that change: operator.test.ts. */
const READING = /^ *npm run operator -- (?:find|get|pending|terminals|audit|accounts list|resync status).*/gmu;

const OPERATOR = `"${process.execPath}" "${join(ROOT, "src", "tools", "operator.ts")}"`;

describe("the documentation", () => {
  if (TOOLS.every(isOnPath)) {
    it("logs in and sells with the commands of the first sale", async ({ expect }) => {
      const { baseUrl, folder } = inject("gateway");
      const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
      const terminal = new SimulatedTerminal({ baseUrl, terminalId, secret });
      await terminal.start();
      await terminal.bind((await posOf(account).bindKey()).key);
      const place = await mkdtemp(join(folder, "docs-"));
      const { posId, merchantId, password, signingKey } = account;
      await writeFile(join(place, "demo.env"), `PASSWORD='${password}'\nSIGNING_KEY='${signingKey}'\n`);
      const lines = [
        await commands("first-sale.md"),
        await commands("bind-a-terminal.md"),
        bashOf(await section("signatures.md", "Sign a login")),
        (await commands("close-the-day.md")).replaceAll(/^npm run .*$/gmu, ""),
      ]
        .join("")
        .replace(".wrangler/state/demo.env", "./demo.env")
        .replaceAll("http://127.0.0.1:8787", baseUrl)
        .replaceAll("POS-DEMO", posId)
        .replaceAll("M-DEMO", merchantId)
        .replaceAll("T-DEMO", terminalId);
      const { stdout } = await run("bash", ["-c", lines], { cwd: place });
      await terminal.stop();
      const [head = "", rest = ""] = stdout.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1.1 200 /u);
      const [body = "", ...events] = rest.split("event: ");
      expect(body).toMatch(/"statusCode":"00".*"transAmt":"7.80".*no response\n$/su);
      // The sale whose answer was lost, as a stream: its stages, then its outcome.
      expect(events.map((event) => event.split("\n")[0]).slice(-2)).toEqual(["stage", "result"]);
      const [result = "", after = ""] = events.at(-1)?.slice("result\ndata: ".length).split("\n\n") ?? [];
      expect(JSON.parse(result)).toMatchObject({ statusCode: "00", transData: { transAmt: "7.89" } });
      expect(after).toMatch(
        /^\{"key":"\w+",[^}]*\}\{"code":20000,[^}]*Bound: [^}]*\}\{"data":\[[^\]]*\][^}]*\}\{"access":/u,
      );
      expect(after).toContain('"closed":false');
      expect(after).toMatch(/\{"data":\[\],"next":null\}$/u);
    });

    it("creates an account and enrols a terminal with the operators' commands", async ({ expect }) => {
      const { baseUrl, folder, operatorToken } = inject("gateway");
      const place = await mkdtemp(join(folder, "docs-"));
      await writeFile(join(place, ".dev.vars"), `OPERATOR_TOKENS="tester:${operatorToken}"\n`, { mode: 0o600 });
      const own = crypto.randomUUID().slice(0, 8);
      const lines = bashOf((await page("onboard-a-shop.md")).split("## 3.")[0] ?? "")
        .replaceAll("http://127.0.0.1:8787", baseUrl)
        .replaceAll(/0001|1001/gu, own)
        .replaceAll("npm run operator --", OPERATOR);
      const { stdout } = await run("bash", ["-c", lines], { cwd: place });
      expect(stdout).toMatch(new RegExp(`^ *posId +SHOP-${own}$`, "mu"));
      expect(stdout).toMatch(new RegExp(`^ *terminalId +T-${own}$`, "mu"));
      expect(stdout).toMatch(/^ *activationCode +\w{4}-\w{4}-\w{4}$/mu);
    });
  } else {
    console.log(`Left out: the documentation's commands, which need ${TOOLS.join(", ")}.`);
  }

  it("reads what is there with every reading command for operators", async ({ expect }) => {
    const account = await createAccount();
    const { terminalId } = await boundTerminal(account);
    const pages = (await readdir(join(ROOT, "src", "docs"))).filter((name) => name.endsWith(".md"));
    const text = (await Promise.all(pages.map(page))).join("\n");
    const reading = [...new Set(text.match(READING))].map((line) =>
      line
        .replace(/ +#.*/u, "")
        .replaceAll("SHOP-0001", account.posId)
        .replaceAll(/T-0001|T-1001/gu, terminalId),
    );
    expect(reading.length).toBeGreaterThan(15);
    const { baseUrl, operatorToken } = inject("gateway");
    const failed: string[] = [];
    for (const command of reading) {
      const env = { ...process.env, GATEWAY_URL: baseUrl, OPERATOR_TOKEN: operatorToken, DRILL: account.posId };
      const ran = await run("bash", ["-c", command.replace("npm run operator --", OPERATOR)], { env }).catch(
        (error: { code: number; stderr: string }) => error,
      );
      // 1: nothing is found. 3 and 5: the call or the command is wrong.
      if ("code" in ran && ran.code !== 1) failed.push(`${command}: ${ran.code} ${ran.stderr}`);
    }
    expect(failed).toEqual([]);
  });
});
