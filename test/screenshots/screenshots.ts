/**
 * `npm run screenshots`: takes the README's pictures of both pages in Chromium (`CHROMIUM=path`), with the gateway and the
 * demo of `npm start` on a new data folder. Writes them to `src/docs/pictures`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { operatorToken } from "../../src/sdk/command-line/operator-client.ts";
import { startChromium } from "../support/chromium-server.ts";
import { freePort } from "../support/free-port.ts";
import { Program } from "../support/program.ts";

const ROOT = join(import.meta.dirname, "../..");
const PICTURES = join(ROOT, "src", "docs", "pictures");
const VIEWPORT = { width: 1280, height: 800 };

/** The gateway with its demo. */
async function startDemo(folder: string): Promise<Program> {
  const env = { PORT: String(await freePort()), PERSIST_TO: folder };
  const demo = new Program([join(ROOT, "src", "tools", "development", "start.ts")], { cwd: ROOT, env });
  await demo.says("/console#");
  return demo;
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: "disabled" });
  console.log(`${name}.png`);
}

/** The operator's page, signed in with the demo's token. */
async function takeOperatorPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/operator/console`);
  await page.getByLabel("Operator's token").fill(await operatorToken(join(ROOT, ".dev.vars")));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.mouse.move(0, 0);
  // Statistics have a payment about a minute after its end.
  await page.getByText(/^Approved [1-9]/u).waitFor({ timeout: 180_000 });
  await take(page, "operator-overview");
}

const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
const server = await startChromium();
if (server === null) throw new Error("There is no Chromium. Set CHROMIUM to its path.");
const demo = await startDemo(folder);
try {
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light" });
  const [link = ""] = /http:\S+\/console#\S+/u.exec(demo.output) ?? [];
  await page.goto(link);
  const half = (name: string) => page.getByRole("region", { name, exact: true });
  const [pos, terminal] = [half("Point of sale"), half("Virtual terminal")];
  await pos.getByText("Connected.", { exact: true }).waitFor();
  await pos.getByLabel("Amount").fill("12.50");
  await pos.getByRole("button", { name: "Sign and send", exact: true }).click();
  const tap = terminal.getByRole("button", { name: "Tap", exact: true });
  await terminal.getByText("Tap, insert or swipe your card", { exact: true }).first().waitFor();
  await take(page, "console-waiting");
  await tap.click();
  await pos.getByRole("status").getByText("Approved", { exact: true }).waitFor();
  await take(page, "console-approved");
  await takeOperatorPage(page, new URL(link).origin);
} finally {
  await demo.end("SIGTERM");
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
