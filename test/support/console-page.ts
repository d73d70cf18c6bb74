/** The console in a real browser, as its user sees it: by the names of things, never by the page's insides. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { inject } from "vitest";
import { type WatchedPage, watchedPage, withoutPauses } from "./chromium.ts";
import { boundTerminal } from "./fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "./fresh-project.ts";

export interface ConsolePage extends WatchedPage {
  pos: Locator;
  terminal: Locator;
  /** Opens it once more, as the next user finds it: a page keeps what it knows in memory. */
  anew: () => Promise<void>;
}

/** Opens the console; without an address that of the tests' gateway. */
export async function openConsole(
  browser: Browser,
  options: BrowserContextOptions = {},
  address = `${inject("gateway").baseUrl}/console`,
): Promise<ConsolePage> {
  const watched = await watchedPage(browser, { reducedMotion: "reduce", ...options });
  const { page, complaints, origins } = watched;
  await withoutPauses(page.context());
  const anew = async (): Promise<void> => {
    complaints.length = 0;
    origins.clear();
    await page.goto(address);
  };
  await page.goto(address);
  const half = (name: string): Locator => page.getByRole("region", { name, exact: true });
  return { ...watched, pos: half("Point of sale"), terminal: half("Virtual terminal"), anew };
}

export function button(within: Locator | Page, name: string): Locator {
  return within.getByRole("button", { name, exact: true });
}

export async function signInPos({ pos }: ConsolePage, account: OutsideAccount): Promise<void> {
  await pos.getByLabel("POS id").fill(account.posId);
  await pos.getByLabel("Password").fill(account.password);
  await pos.getByLabel("Merchant id").fill(account.merchantId);
  await pos.getByLabel("Signing key").fill(account.signingKey);
  await button(pos, "Sign in").click();
  await pos.getByRole("form", { name: "New transaction" }).waitFor();
}

export async function signInTerminal(
  { terminal }: ConsolePage,
  { terminalId, secret }: OutsideTerminal,
): Promise<void> {
  await terminal.getByLabel("Terminal id").fill(terminalId);
  await terminal.getByLabel("Secret").fill(secret);
  await button(terminal, "Sign in").click();
  await terminal.getByText("Online").waitFor();
}

/** Signs both halves in, with a terminal that is bound already. Resolves to that. */
export async function signInBoth(console: ConsolePage, account: OutsideAccount): Promise<OutsideTerminal> {
  const terminal = await boundTerminal(account);
  await signInTerminal(console, terminal);
  await signInPos(console, account);
  await console.pos.getByText("Connected.", { exact: true }).waitFor();
  return terminal;
}

/** Asks for a bind key and lets the terminal half read it, as a person would; ends at the form for transactions. */
export async function bindByHandOver({ pos }: ConsolePage): Promise<void> {
  await button(pos, "Bind the virtual terminal").click();
  await pos.getByText("Connected.", { exact: true }).waitFor();
}

/** Opens the form again if a transaction that was sent has left only a line of it. */
export async function openForm(pos: Locator): Promise<void> {
  const reopen = button(pos, "New transaction");
  if (await reopen.isVisible()) await reopen.click();
}

/** Fills the form and sends it; what is not given stays as it is. */
export async function send(
  { pos }: ConsolePage,
  { type, ...fields }: { type?: string; amount?: string; cash?: string } = {},
): Promise<void> {
  await openForm(pos);
  if (type !== undefined) await pos.getByText(type, { exact: true }).first().click();
  if (fields.amount !== undefined) await pos.getByLabel("Amount").fill(fields.amount);
  if (fields.cash !== undefined) await pos.getByLabel("Cash amount").fill(fields.cash);
  await button(pos, "Sign and send").click();
}

/** The big words about the transaction that is shown, when they are these. */
export async function standing({ pos }: ConsolePage, title: string): Promise<void> {
  await pos.getByRole("status").getByText(title, { exact: true }).waitFor();
}

/** Makes a sale that its customer pays for by tapping. */
export async function sell(console: ConsolePage, amount: string): Promise<void> {
  await send(console, { amount });
  await button(console.terminal, "Tap").click();
  await standing(console, "Approved");
}
