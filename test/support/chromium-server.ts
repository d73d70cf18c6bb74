/** The browser of the tests: one for all files, because a process for each would cost seconds of CPU. */
import { chromium } from "playwright-core";
import type { BrowserServer } from "playwright-core";
import { CHROMIUM } from "./chromium-path.ts";
import { PATIENCE } from "./patience.ts";

/** Starts it if one is installed. Files connect to its `wsEndpoint()` and see nothing of each other's pages. */
export async function startChromium(): Promise<BrowserServer | null> {
  if (CHROMIUM === null) return null;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  return chromium.launchServer({
    executablePath: CHROMIUM,
    headless: true,
    host: "127.0.0.1",
    args,
    timeout: PATIENCE,
  });
}
