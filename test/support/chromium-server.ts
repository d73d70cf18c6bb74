/** The browser of the tests: one for all files, because a process for each would cost seconds of CPU. */
import { existsSync } from "node:fs";
import type { BrowserServer } from "playwright-core";
import { PATIENCE } from "./patience.ts";

/** Debian's paths. The shell is the same engine without windows, and takes a third less CPU. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const { CHROMIUM: chosen } = process.env;

/** The path of the browser; null if there is none: the tests in a browser are left out. */
export const CHROMIUM = (chosen === undefined ? INSTALLED : [chosen]).find((path) => existsSync(path)) ?? null;

/** Starts it if one is installed. Files connect to its `wsEndpoint()` and see nothing of each other's pages. */
export async function startChromium(): Promise<BrowserServer | null> {
  if (CHROMIUM === null) return null;
  // Only here: every test file that needs a constant of the setup would load it.
  const { chromium } = await import("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  return chromium.launchServer({
    executablePath: CHROMIUM,
    headless: true,
    host: "127.0.0.1",
    args,
    timeout: PATIENCE,
  });
}
