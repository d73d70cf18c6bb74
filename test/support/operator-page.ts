/** The operator's page in a real browser, as its user sees it. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { inject } from "vitest";

export interface OperatorPage {
  page: Page;
  /** What the browser complained about: broken rules of the page's policy, exceptions, failed files. */
  complaints: string[];
  /** The origins that the page has asked for anything. */
  origins: Set<string>;
  /** Goes to a place of the page, such as `terminals/T-1`, signed in as before. */
  go: (place: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Opens the page in a new context, not signed in. */
export async function openOperatorPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OperatorPage> {
  const address = `${inject("gateway").baseUrl}/operator/console`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => {
    // What the gateway refuses is shown by the page; the browser says it once more.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  await page.goto(address);
  const go = async (place: string): Promise<void> => {
    await page.evaluate(`location.hash = "#/${place}"`);
  };
  return { page, complaints, origins, go, close: () => context.close() };
}

export async function signIn({ page }: OperatorPage, token = inject("gateway").operatorToken): Promise<void> {
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A sheet of the page by its heading. */
export function sheet({ page }: OperatorPage, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** The question that the page asks before a change. */
export function question({ page }: OperatorPage): Locator {
  return page.getByRole("dialog");
}
