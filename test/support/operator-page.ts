/** The operator's page in a real browser, as its user sees it. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { inject } from "vitest";
import { type WatchedPage, watchedPage } from "./chromium.ts";

export interface OperatorPage extends WatchedPage {
  /** Goes to a place of the page, such as `terminals/T-1`, signed in as before. */
  go: (place: string) => Promise<void>;
}

/** Opens the page in a new context, not signed in. What the gateway refuses, the page shows: it is no complaint. */
export async function openOperatorPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OperatorPage> {
  const watched = await watchedPage(browser, options, (text) => !text.startsWith("Failed to load resource"));
  const { page } = watched;
  await page.goto(`${inject("gateway").baseUrl}/operator/console`);
  const go = async (place: string): Promise<void> => {
    await page.evaluate(`location.hash = "#/${place}"`);
  };
  return { ...watched, go };
}

export async function signIn({ page }: OperatorPage, token = inject("gateway").operatorToken): Promise<void> {
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Finds a sheet of the page by its heading. */
export function sheet({ page }: OperatorPage, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** The question that the page asks before a change. */
export function question({ page }: OperatorPage): Locator {
  return page.getByRole("dialog");
}

/** The text of the element that has the focus, or its id. */
export function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.textContent || document.activeElement.id");
}
