/** Lists of the operator's page in a real browser: while they are open, when they are left, and searched for a payment. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { button } from "../../support/console-page.ts";
import type { FoundPayments } from "../../../src/protocol/schemas/operator-transactions.ts";
import { violations } from "../../support/accessibility.ts";
import { operator, posOf } from "../../support/fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "../../support/fresh-project.ts";
import { focused, openOperatorPage, question, sheet, signIn } from "../../support/operator-page.ts";
import type { OperatorPage } from "../../support/operator-page.ts";
import { expectPolicyKept, openOperatorShop, type OperatorShop } from "../../support/operator-shop.ts";

let shop: OperatorShop;
let browser: Browser;
/** Signed in. */
let desk: OperatorPage;
let account: OutsideAccount;
let terminal: OutsideTerminal;

beforeAll(async () => {
  shop = await openOperatorShop("Corner shop");
  ({ browser, desk, account, terminal } = shop);
});

afterAll(async () => {
  expectPolicyKept(desk);
  await shop.close();
});

/** Goes to a place, and waits until it is drawn, but for no frame: time may stand still. */
async function drawPlace({ page }: OperatorPage, place: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener("hashchange", () => setTimeoutOfTest(resolve), { once: true });
    location.hash = "#/${place}";
  })`);
}

describe("a section that is left at once", () => {
  it.for([
    ["before its first frame", ["audit"], 0, 0],
    // The address changes within the section, which is drawn twice.
    ["after its first frame, in which it was drawn twice", ["audit", "audit?again=1"], 20, 1],
  ] as const)("stops reading, and is never drawn beside another one: %s", async (scene, { expect }) => {
    const [, places, frame, readings] = scene;
    const own = await openOperatorPage(browser);
    const { page } = own;
    await page.evaluate("window.setTimeoutOfTest = setTimeout.bind(window)");
    await signIn(own);
    // The address may change before the first frame.
    await own.go("channels");
    await sheet(own, "E-wallet channels").waitFor();
    let calls = 0;
    page.on("request", (request) => void (calls += request.url().endsWith("/operator/audit") ? 1 : 0));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    for (const place of places) await drawPlace(own, place);
    await page.clock.runFor(frame);
    await drawPlace(own, "terminals");
    await page.clock.runFor(120_000);
    // What the page has asked by then has left before this does.
    await page.evaluate(`fetch("/healthz")`);
    expect([calls, await sheet(own, "Audit log").count()]).toEqual([readings, 0]);
    expect(own.complaints).toEqual([]);
    await own.close();
  });
});

describe("a list that stays open", () => {
  it("refreshes itself, ticks its ages and marks what has changed", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    await page.clock.install();
    await page.reload();
    await signIn(own);
    await own.go(`terminals/${terminal.terminalId}`);
    const journal = sheet(own, "Journal");
    await journal.getByRole("link", { name: "sale MYR 12.50" }).first().focus();
    const before = await page.evaluate<number>("scrollY");
    await shop.sell("12.51");
    await page.clock.runFor(10_000);
    await journal.getByText("Updated just now, 1 row changed").waitFor();
    expect(await journal.locator("[data-changed=true]").innerText()).toContain("sale MYR 12.51");
    expect([await focused(page), await page.evaluate("scrollY")]).toEqual(["sale MYR 12.50", before]);
    await page.clock.runFor(4_000);
    await journal.getByText(/^Updated [4-9] s ago/u).waitFor();
    await page.clock.runFor(10_000);
    await journal.getByText(/^Updated [^,]+$/u).waitFor();
    await own.close();
  });

  it("waits while a dialog is open and after the user scrolls", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    await page.clock.install();
    await page.reload();
    let calls = 0;
    await page.route("**/operator/shops?*", (route) => {
      calls++;
      return route.fulfill({ json: { data: [], next: "another" } });
    });
    await page.route("**/operator/shops", (route) => {
      calls++;
      const shops = [{ merchantId: "M-1", name: "Shop", timezone: "UTC", createdAt: new Date().toISOString() }];
      return route.fulfill({ json: { data: shops, next: "another" } });
    });
    await signIn(own);
    await own.go("shops");
    const shops = sheet(own, "Shops");
    await shops.getByText(/^Updated/u).waitFor();
    await button(page, "New shop").click();
    const opened = calls;
    await page.clock.runFor(30_000);
    expect(calls).toBe(opened);
    await button(question(own), "Cancel").click();
    await page.clock.runFor(10_000);
    await expect.poll(() => calls).toBeGreaterThan(opened);
    await shops.getByText(/^Updated just now/u).waitFor();
    await button(page, "More").click();
    const back = button(page, "Back to the first page");
    await back.waitFor();
    const further = calls;
    await page.clock.runFor(30_000);
    expect(calls).toBe(further);
    await back.click();
    await back.waitFor({ state: "detached" });
    await own.close();
  });
});

describe("the list of payments", () => {
  it("has the payments of the last seconds, found by whatever is known", async ({ expect }) => {
    const { page } = desk;
    const amount = "77.13";
    const sale = { ...shop.saleOf(amount), referenceId: `LOOK-${Date.now().toString(36).toUpperCase()}` };
    await posOf(account).sale(sale);
    await desk.go("payments");
    const row = page.getByRole("table", { name: "Payments" }).getByRole("row").filter({ hasText: sale.referenceId });
    await row.waitFor();
    const text = page.getByLabel("Find", { exact: true });
    for (const typed of [sale.referenceId, sale.referenceId.toLowerCase(), "77,13", "77.13 MYR", "corner shop"]) {
      await text.fill(typed);
      await button(page, "Find").click();
      await expect.poll(() => new URLSearchParams(page.url().split("?")[1]).get("text")).toBe(typed);
      await row.waitFor();
      // A shop's name is what many payments have: the newest of them are found.
      if (typed === "corner shop") continue;
      await expect.poll(() => page.getByText(/^Searched: payments from /u).innerText()).not.toContain("may be missing");
    }
    await row.getByRole("link", { name: "sale" }).click();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    // The search survives Back and a reload of the address.
    await page.goBack();
    await row.waitFor();
    expect(await text.inputValue()).toBe("corner shop");
    await text.fill("nobody-sold-this");
    await button(page, "Find").click();
    await page.getByText("No payments found.").waitFor();
  });
});

/** A sale that the terminal declines while its conflicting result, as the gateway lists it, is open. */
async function contradict(page: Page, requestId: string): Promise<void> {
  await page.route(/\/operator\/transactions\?(?!transId)|\/operator\/transactions$/u, async (route) => {
    const response = await route.fetch();
    const { data, ...others } = (await response.json()) as FoundPayments;
    const rows = data.map((row) => (row.requestId === requestId ? { ...row, conflict: true } : row));
    await route.fulfill({ response, json: { ...others, data: rows } });
  });
  await page.route(/\/operator\/pending\?.*conflict=true/u, (route) =>
    route.fulfill({
      json: { data: [{ requestId, posId: account.posId, terminalId: terminal.terminalId }], next: null },
    }),
  );
}

function numberOf(found: Record<string, unknown>): string {
  return (found as unknown as FoundPayments).data[0]?.requestId ?? "none";
}

describe("the payments of one outcome", () => {
  it("has a tab with its count, and the address of the tab", async ({ expect }) => {
    const { page } = desk;
    await desk.go("payments?amount=10.05&posId=" + account.posId);
    const tabs = page.getByRole("navigation", { name: "Payments by outcome" });
    await tabs.getByRole("link", { name: /^Not approved 1/u }).click();
    const rows = page.getByRole("table", { name: "Payments" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(2);
    expect(page.url()).toContain("outcome=11");
    await button(page, `Remove Account: ${account.posId}`).click();
    await expect.poll(() => page.url()).not.toContain(account.posId);
    expect(page.url()).toContain("outcome=11");
  });

  it("shows a contradicted payment as what it is, not as a decline", async ({ expect, onTestFinished }) => {
    const { page } = desk;
    onTestFinished(() => page.unrouteAll({ behavior: "ignoreErrors" }));
    await desk.go("channels");
    const { body } = await operator().call("GET", `/transactions?posId=${account.posId}&amount=10.05`);
    const requestId = numberOf(body);
    await contradict(page, requestId);
    await desk.go("payments?posId=" + account.posId);
    const row = page.getByRole("table", { name: "Payments" }).getByRole("row").filter({ hasText: requestId });
    await row.getByText("Conflicting results").waitFor();
    expect(await row.innerText()).not.toContain("Not approved");
    await row.getByRole("link", { name: "sale" }).click();
    const payment = sheet(desk, "sale MYR 10.05");
    await payment.getByText("Conflicting results").waitFor();
    await payment.getByText("Find out with the acquirer").waitFor();
    expect(await button(payment, "Close").count()).toBe(1);
    expect(await violations(page), "a contradicted payment").toEqual([]);
  });
});

describe("a payment's page", () => {
  it("names its shop, what to do, and other payments of the amount", async ({ expect }) => {
    const { page } = desk;
    await shop.sell("66.60");
    await shop.sell("66.60");
    await desk.go("payments?amount=66.60&posId=" + account.posId);
    await page.getByRole("table", { name: "Payments" }).getByRole("link", { name: "sale" }).first().click();
    const payment = sheet(desk, "sale MYR 66.60");
    await payment.getByRole("link", { name: "Corner shop" }).waitFor();
    await payment.getByText("Money moved. It is final.").waitFor();
    const similar = sheet(desk, "Same amount, within an hour");
    await similar.getByRole("link", { name: "sale" }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(payment, "Copy for support").click();
    await payment.getByText("Copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(/^State: Approved\..*\nShop: Corner shop, account POS-.*\nReference: /mu);
  });
});

describe("the box that finds anything", () => {
  it("finds a terminal and a payment after a slash", async ({ expect }) => {
    const { page } = desk;
    await desk.go("channels");
    await sheet(desk, "E-wallet channels").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(terminal.terminalId.slice(0, 9));
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Terminals" }).getByRole("link", { name: terminal.terminalId }).waitFor();
    const { body } = await operator().call("GET", `/transactions?posId=${account.posId}&amount=10.05`);
    const requestId = numberOf(body);
    await page.keyboard.press("/");
    await page.keyboard.type(requestId);
    await page.keyboard.press("Enter");
    await sheet(desk, "sale MYR 10.05").waitFor();
    expect(page.url()).toContain(`/payments/${terminal.terminalId}/${requestId}`);
  });
});

describe("a list that cannot be read", () => {
  it("says why, and reads again when it is asked to", async ({ expect, onTestFinished }) => {
    const { page } = desk;
    onTestFinished(() => page.unrouteAll({ behavior: "ignoreErrors" }));
    await desk.go("channels");
    await page.route("**/operator/accounts", (route) =>
      route.fulfill({ status: 503, json: { message: "The database does not answer." } }),
    );
    await desk.go("accounts");
    await sheet(desk, "Accounts").getByText("The database does not answer.").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await button(page, "Retry").click();
    await page.getByRole("table", { name: "Accounts" }).waitFor();
    expect(await button(page, "Retry").count()).toBe(0);
  });
});
