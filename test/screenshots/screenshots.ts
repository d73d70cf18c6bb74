/**
 * `npm run screenshots`: takes the README's pictures of both pages in Chromium (`CHROMIUM=path`), with the gateway and the
 * demo of `npm start` on a new data folder. Writes them to `src/docs/pictures`.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { operatorToken } from "../../src/command-line/operator/client.ts";
import { startChromium } from "../support/chromium-server.ts";
import { freePort } from "../support/free-port.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PICTURES = join(ROOT, "src", "docs", "pictures");
const VIEWPORT = { width: 1280, height: 800 };
const START_WITHIN = 120_000;
const OFFLINE_WITHIN = 60_000;

interface Demo {
  /** Opens the console, signed in. */
  link: string;
  /** Resolves when it has printed a text. */
  says: (text: RegExp) => Promise<void>;
  end: () => Promise<void>;
}

/** The gateway with its demo. */
async function startDemo(folder: string): Promise<Demo> {
  const env = { ...process.env, PORT: String(await freePort()), PERSIST_TO: folder };
  const start = join(ROOT, "src", "development", "start.ts");
  const child = spawn(process.execPath, [start], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let said = "";
  let look: (() => void) | null = null;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    look?.();
  });
  const find = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The demo did not start in time.\n${said}`)), START_WITHIN);
      void closed.then(() => reject(new Error(`The demo ended.\n${said}`)));
      look = () => {
        const [found] = pattern.exec(said) ?? [];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      };
      look();
    });
  return {
    link: await find(/http:\S+\/console#\S+(?=\n)/u),
    says: async (text) => void (await find(text)),
    end: () => {
      child.kill("SIGTERM");
      return closed;
    },
  };
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
  // The demo's last terminal has gone; the gateway waits some seconds whether it comes back.
  await page.getByText("Station Kiosk.").waitFor({ timeout: OFFLINE_WITHIN });
  await take(page, "operator-overview");
}

const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
const server = await startChromium();
if (server === null) throw new Error("There is no Chromium. Set CHROMIUM to its path.");
const demo = await startDemo(folder);
try {
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light" });
  await page.goto(demo.link);
  const half = (name: string) => page.getByRole("region", { name, exact: true });
  const [till, terminal] = [half("Point of sale"), half("Virtual terminal")];
  await till.getByText("Connected.", { exact: true }).waitFor();
  await till.getByLabel("Amount").fill("12.50");
  await till.getByRole("button", { name: "Sign and send", exact: true }).click();
  const tap = terminal.getByRole("button", { name: "Tap", exact: true });
  await terminal.getByText("Tap, insert or swipe your card", { exact: true }).first().waitFor();
  await take(page, "console-waiting");
  await tap.click();
  await till.getByRole("status").getByText("Approved", { exact: true }).waitFor();
  await take(page, "console-approved");
  await demo.says(/simulated terminals, the last one offline/u);
  await takeOperatorPage(page, new URL(demo.link).origin);
} finally {
  await demo.end();
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
