/** The operator's page in a real browser, at a running gateway: one page and one shop for all scenes. */
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, inject, it, vi } from "vitest";
import { newReferenceId } from "../../../src/sdk/client/pos.ts";
import type { Overview } from "../../../src/protocol/schemas/operator-overview.ts";
import { SimulatedTerminal } from "../../../src/sdk/simulator/simulated-terminal.ts";
import { violations } from "../../support/accessibility.ts";
import { connect } from "../../support/chromium.ts";
import { button } from "../../support/console-page.ts";
import { boundTerminal, createAccount, operator, posOf } from "../../support/fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "../../support/fresh-project.ts";
import { openOperatorPage, question, sheet, signIn } from "../../support/operator-page.ts";
import type { OperatorPage } from "../../support/operator-page.ts";
import { PATIENCE, TEST_PATIENCE } from "../../support/patience.ts";
import { STATISTICS_DELAY } from "../../../src/gateway/account/statistics.ts";

/** Bytes of the whole page, compressed as a server would. */
const PAGE_BYTES = 80_000;

let browser: Browser;
/** Signed in. */
let desk: OperatorPage;
let account: OutsideAccount;
let terminal: OutsideTerminal;
let simulated: SimulatedTerminal;

beforeAll(async () => {
  browser = await connect();
  account = await createAccount();
  terminal = await boundTerminal(account);
  simulated = new SimulatedTerminal({ baseUrl: inject("gateway").baseUrl, ...terminal });
  await simulated.start();
  const shop = { name: "Corner shop", timezone: "Asia/Kuala_Lumpur" };
  await operator().must("PUT", `/shops/${account.merchantId}`, shop);
  await sell("12.50");
  await sell("10.05");
  desk = await openOperatorPage(browser);
  await signIn(desk);
  await desk.page.getByRole("navigation", { name: "Sections" }).waitFor();
});

afterAll(async () => {
  await simulated.stop();
  await browser.close();
});

function saleOf(transAmt: string) {
  const { terminalId: deviceId } = terminal;
  return { deviceId, referenceId: newReferenceId(), paymentMethod: "bankCard", transAmt } as const;
}

async function sell(amount: string): Promise<void> {
  await posOf(account).sale(saleOf(amount));
}

/** A sale with an unknown outcome, whose POS has stopped asking. Resolves to its number. */
async function pendingSale(): Promise<string> {
  const controller = new AbortController();
  const onProgress = ({ pending }: { pending: unknown }): void => {
    if (pending !== null) controller.abort();
  };
  const selling = posOf(account).sale(saleOf("10.22"), { signal: controller.signal, onProgress });
  await selling.catch(() => undefined);
  const { body } = await operator().call("GET", `/terminals/${terminal.terminalId}/transactions?limit=1`);
  const [newest] = body["data"] as [{ requestId: string; state: string }];
  if (newest.state !== "pending") throw new Error(`the sale is ${newest.state}`);
  return newest.requestId;
}

/** Everything that the browser keeps for the page. */
const KEPT = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`;

describe("signing in as an operator", () => {
  it("refuses an unknown token, and keeps the right one only in memory", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    const { operatorToken } = inject("gateway");
    for (const wrong of ["nobody-has-this-token-here", "ünlesbar", operatorToken.slice(1)]) {
      await signIn(own, wrong);
      await page.getByText("No operator has this token.").waitFor();
    }
    await signIn(own, ` ${operatorToken} `);
    await sheet(own, "Now").waitFor();
    expect(await page.evaluate(KEPT)).toBe('[{},{},""]');
    expect(page.url()).not.toContain(operatorToken);
    await page.reload();
    await page.getByLabel("Operator's token").waitFor();
    await signIn(own);
    await button(page, "Sign out").click();
    await page.getByLabel("Operator's token").waitFor();
    expect(own.complaints).toEqual([]);
    await own.close();
  });

  it("asks nothing of a Cloudflare Access user until that session ends", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    const { operatorToken } = inject("gateway");
    let isSignedIn = true;
    // What Cloudflare's edge does: it signs each request in, or redirects to its own page.
    await page.route("**/operator/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      expect(route.request().headers()["authorization"]).toBeUndefined();
      if (pathname.endsWith("/session.json"))
        return route.fulfill({ json: { operator: "anna@example.com", console: false } });
      if (pathname.startsWith("/operator/console")) return route.continue();
      if (!isSignedIn) return route.fulfill({ status: 302, headers: { Location: "https://team.example.com/login" } });
      return route.continue({
        headers: { ...route.request().headers(), Authorization: `Bearer ${operatorToken}` },
      });
    });
    await page.reload();
    await page.getByText("anna@example.com").waitFor();
    await own.go("audit");
    await page.getByRole("table", { name: "Audit log" }).waitFor();
    isSignedIn = false;
    await own.go("channels");
    await page.getByText("The gateway no longer accepts your sign-in.").waitFor();
    await own.close();
  });
});

/** Everything that can be broken, in the gateway's own shape. */
async function brokenOverview(page: Page): Promise<void> {
  await page.route("**/operator/overview", async (route) => {
    const response = await route.fetch();
    const real = (await response.json()) as Overview;
    const since = new Date(Date.parse(real.at) - 3_600_000).toISOString();
    const { merchantId, posId } = account;
    const overview: Overview = {
      ...real,
      incidents: [
        {
          kind: "offline",
          id: `offline ${merchantId}`,
          title: "1 terminal offline",
          detail: "Corner shop.",
          since,
          posId: null,
          merchantId,
        },
        {
          kind: "webhook",
          id: `webhook ${posId} wh_1`,
          title: "Webhook disabled",
          detail: `wh_1 of ${posId}, books.example.com.`,
          since,
          posId,
          merchantId: null,
        },
      ],
    };
    await route.fulfill({ response, json: overview });
  });
}

/** The account's declines, which statistics show some time after they were recorded. */
async function seeDeclinesCounted(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await operator().call("GET", `/statistics?by=responseCode&posId=${account.posId}`);
      const codes = (body["data"] as { responseCode: string }[]).map(({ responseCode }) => responseCode);
      if (!codes.includes("05")) throw new Error(`counted until now: ${codes.join()}`);
    },
    { timeout: PATIENCE + STATISTICS_DELAY, interval: 1_000 },
  );
}

describe("the overview", { timeout: 2 * TEST_PATIENCE }, () => {
  it("shows faults, business and speed, and links each number to its list", async ({ expect }) => {
    const { page } = desk;
    await desk.go("channels");
    await brokenOverview(page);
    await desk.go("overview");
    const now = sheet(desk, "Now");
    await now.getByText("Corner shop. For 1 h.").waitFor();
    await now.getByText("books.example.com").waitFor();
    await sheet(desk, "Business").getByText("payments, 24 hours").waitFor();
    await sheet(desk, "Speed").getByRole("cell", { name: "Customer and host" }).waitFor();
    await page.getByText("Payments by hour as a table").click();
    expect(await page.getByRole("table", { name: "Payments by hour" }).getByRole("row").count()).toBe(25);
    await now.getByRole("link", { name: "Webhook disabled" }).click();
    await sheet(desk, account.posId).waitFor();
    await page.goBack();
    await now.getByRole("link", { name: "1 terminal offline" }).click();
    await page.getByRole("table", { name: "Terminals" }).or(page.getByText("None.")).waitFor();
    expect(await page.getByLabel("Shop").inputValue()).toBe(account.merchantId);
    // The form follows the address.
    await page.goBack();
    await now.getByRole("link", { name: "1 terminal offline" }).waitFor();
    await page.goForward();
    expect(await page.getByLabel("Shop").inputValue()).toBe(account.merchantId);
    await button(page, "Show all").click();
    await expect.poll(() => page.getByLabel("Shop").inputValue()).toBe("");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("leads from a reason to its payments, and on to a timeline", async ({ expect }) => {
    const { page } = desk;
    await seeDeclinesCounted();
    await desk.go("channels");
    await desk.go("overview");
    await sheet(desk, "Business").getByRole("link", { name: "All reasons" }).click();
    const reasons = page.getByRole("table", { name: "Statistics" });
    await reasons.getByRole("link", { name: /^05 / }).click();
    await page.getByText("Only payments with 05 do not honour.").waitFor();
    await page.getByRole("link", { name: account.posId, exact: true }).click();
    const payments = page.getByRole("table", { name: "Payments", exact: true }).getByRole("row");
    await payments.nth(1).waitFor();
    const rows = (await payments.allInnerTexts()).slice(1);
    expect(rows.every((row) => /Not approved\s+05 do not honour/u.test(row))).toBe(true);
    await payments.nth(1).getByRole("link", { name: "sale MYR 10.05" }).click();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
  });

  it("stops polling while nobody looks at the page", async ({ expect }) => {
    const { page } = desk;
    // A clock cannot run or clear the timers from before it: the overview is drawn after it.
    await desk.go("channels");
    await sheet(desk, "E-wallet channels").waitFor();
    await page.clock.install();
    await desk.go("overview");
    await sheet(desk, "Now").waitFor();
    let calls = 0;
    page.on("request", (request) => void (calls += request.url().endsWith("/operator/overview") ? 1 : 0));
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })`);
    await page.clock.runFor(120_000);
    const hidden = calls;
    await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event("visibilitychange"))`);
    await expect.poll(() => calls).toBeGreaterThan(hidden);
    expect(hidden).toBe(0);
    await page.clock.resume();
  });
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
    ["before its first frame", ["overview"], 0, 0],
    // The address changes within the section, which is drawn twice.
    ["after its first frame, in which it was drawn twice", ["overview", "overview?again=1"], 20, 1],
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
    page.on("request", (request) => void (calls += request.url().endsWith("/operator/overview") ? 1 : 0));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    for (const place of places) await drawPlace(own, place);
    await page.clock.runFor(frame);
    await drawPlace(own, "terminals");
    await page.clock.runFor(120_000);
    // What the page has asked by then has left before this does.
    await page.evaluate(`fetch("/healthz")`);
    expect([calls, await page.locator(".overview").count()]).toEqual([readings, 0]);
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
    await sell("12.51");
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

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.textContent || document.activeElement.id");
}

describe("an account", () => {
  it("requires its id to be typed for deletion, and no open payment", async ({ expect }) => {
    const own = await createAccount();
    const { page } = desk;
    const status = async (): Promise<unknown> =>
      (await operator().call("GET", `/accounts/${own.posId}`)).body["status"];
    await desk.go(`accounts/${own.posId}`);
    const asked = question(desk);
    await button(page, "Delete").focus();
    await page.keyboard.press("Enter");
    await asked.getByText(`Delete ${own.posId} permanently?`).waitFor();
    await page.keyboard.press("Enter");
    await asked.waitFor({ state: "detached" });
    await button(page, "Delete").click();
    await button(asked, "Delete").click();
    await asked.getByText(`Type ${own.posId}.`, { exact: true }).waitFor();
    expect(await status()).toBe("active");
    await page.route(`**/operator/accounts/${own.posId}`, (route) =>
      route.request().method() === "DELETE"
        ? route.fulfill({ status: 409, json: { message: "Do not delete this account yet" } })
        : route.fallback(),
    );
    await asked.getByLabel(`Type ${own.posId} to confirm`).fill(own.posId);
    await button(asked, "Delete").click();
    await asked.getByText("Do not delete this account yet").waitFor();
    await asked.getByText("Even if payments are open").click();
    await button(asked, "Delete").click();
    await asked.getByText(`${own.posId} is deleted.`).waitFor();
    expect(await status()).toBe("deleted");
    await button(asked, "Close").click();
    await page.unroute(`**/operator/accounts/${own.posId}`);
  });

  it("goes through creation, a new password, suspension and activation", async ({ expect }) => {
    const { page } = desk;
    const { baseUrl } = inject("gateway");
    const posId = `POS-${crypto.randomUUID().slice(0, 8)}`;
    await desk.go("accounts");
    await button(page, "New account").click();
    const asked = question(desk);
    await asked.getByLabel("Account id").fill(posId);
    await asked.getByLabel("Merchant id").fill(account.merchantId);
    await asked.getByLabel("Currency").fill("nonsense");
    await asked.getByLabel("Time zone").fill("Asia/Kuala_Lumpur");
    await button(asked, "Create").click();
    await asked.getByText(/^currency: /u).waitFor();
    await asked.getByLabel("Currency").fill("MYR");
    await button(asked, "Create").click();
    expect(await asked.getByRole("region", { name: "Signing key" }).innerText()).toMatch(/^[\w-]{43}$/u);
    const first = await asked.getByRole("region", { name: "Password" }).innerText();
    expect(first).toMatch(/^[\w-]{27}$/u);
    await button(asked, "Close").click();
    await desk.go(`accounts/${posId}`);
    await button(page, "New password").click();
    await button(asked, "New password").click();
    const password = await asked.getByRole("region", { name: "Password" }).innerText();
    const loginWith = async (given: string): Promise<number> => {
      const body = JSON.stringify({ posId, password: given });
      const headers = { "Content-Type": "application/json" };
      return (await fetch(`${baseUrl}/auth/login`, { method: "POST", headers, body })).status;
    };
    expect([await loginWith(first), await loginWith(password)]).toEqual([401, 200]);
    await button(asked, "Close").click();
    await button(page, "Suspend").click();
    await button(asked, "Suspend").click();
    await asked.getByText("status active → suspended").waitFor();
    await button(asked, "Close").click();
    await button(page, "Activate").click();
    await button(asked, "Activate").click();
    await asked.getByText(`${posId} is active.`).waitFor();
    await button(asked, "Close").click();
  });
});

describe("a terminal", () => {
  it("explains unbinding before it happens, and shows its audit row", async ({ expect }) => {
    const { page } = desk;
    const { terminalId } = await boundTerminal(account);
    await desk.go(`terminals/${terminalId}`);
    await button(page, "Unbind").click();
    const asked = question(desk);
    await asked.getByText(`Unbind ${terminalId} from ${account.posId}?`).waitFor();
    await asked.getByText("No payment in progress.").waitFor();
    await button(asked, "Cancel").click();
    const bound = async (): Promise<unknown> =>
      (await operator().call("GET", `/terminals/${terminalId}`)).body["posId"];
    expect(await bound()).toBe(account.posId);
    await button(page, "Unbind").click();
    await button(asked, "Unbind").click();
    await asked.getByText(`${terminalId} is unbound.`).waitFor();
    expect(await asked.innerText()).toMatch(/Audit log: .* developer terminal\.unbind/u);
    expect(await bound()).toBeNull();
    await button(asked, "Close").click();
    await page.getByText("no account").waitFor();
  });

  it("turns red only once connected, and dates an unseen loss", async ({ expect }) => {
    const { page } = desk;
    const { terminalId } = await boundTerminal(account);
    await desk.go(`terminals/${terminalId}`);
    const panel = sheet(desk, terminalId);
    await panel.getByText("never connected").waitFor();
    expect(await panel.locator(".dot").getAttribute("data-tone")).toBe("neutral");
    const path = `**/operator/terminals/${terminalId}`;
    await page.route(path, async (route) => {
      const response = await route.fetch();
      const lost = { offlineSince: minutesAgo(2), lastHeartbeat: minutesAgo(60) };
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...lost } });
    });
    await desk.go("channels");
    await sheet(desk, "E-wallet channels").waitFor();
    await desk.go(`terminals/${terminalId}`);
    await panel
      .getByText(/offline for at least [0-9]/u)
      .first()
      .waitFor();
    await panel.getByText(/^at or before /u).waitFor();
    expect(await panel.locator(".dot").getAttribute("data-tone")).toBe("bad");
    await page.unroute(path);
  });

  it("requires its id to be typed before it is retired", async ({ expect }) => {
    const { page } = desk;
    const { terminalId } = await boundTerminal(account);
    const path = `/terminals/${terminalId}`;
    const status = async (): Promise<unknown> => (await operator().call("GET", path)).body["status"];
    await desk.go(`terminals/${terminalId}`);
    const asked = question(desk);
    await button(page, "Retire").focus();
    await page.keyboard.press("Enter");
    await asked.getByText(`Retire ${terminalId} permanently?`).waitFor();
    expect(await focused(page)).toBe("Cancel");
    await page.keyboard.press("Enter");
    await asked.waitFor({ state: "detached" });
    expect(await status()).toBe("enrolled");
    const retire = asked.getByRole("button", { name: "Retire" });
    await button(page, "Retire").click();
    await asked.getByLabel(`Type ${terminalId} to confirm`).fill(terminalId.toLowerCase());
    await page.keyboard.press("Enter");
    await asked.getByText(`Type ${terminalId}.`, { exact: true }).waitFor();
    expect(await status()).toBe("enrolled");
    expect(await violations(page)).toEqual([]);
    const [fill, edge, ground] = await page.evaluate<string[]>(
      "['.dialog [data-look=danger]', '.dialog'].flatMap((name) => ((look) => [look.backgroundColor, look.borderColor])" +
        "(getComputedStyle(document.querySelector(name)))).slice(0, 3)",
    );
    expect([fill, fill === ground]).toEqual([edge, false]);
    await asked.getByLabel(`Type ${terminalId} to confirm`).fill(terminalId);
    await retire.click();
    await asked.getByText(`${terminalId} is retired.`).waitFor();
    expect(await status()).toBe("retired");
    await button(asked, "Close").click();
  });
});

describe("a payment with an unknown outcome", () => {
  it("is resolved by the operator, with a reason, and never without one", async ({ expect }) => {
    const { page } = desk;
    const number = await pendingSale();
    await desk.go(`terminals/${terminal.terminalId}`);
    await sheet(desk, terminal.terminalId).getByRole("link", { name: "Payments" }).click();
    await page.getByRole("link", { name: `sale ${number}` }).click();
    await page.getByText("The terminal does not know the outcome yet.").waitFor();
    await button(page, "Resolve").click();
    const asked = question(desk);
    await asked.getByText(`Resolve sale MYR 10.22 by ${account.posId} permanently?`).waitFor();
    await button(asked, "Resolve").click();
    await asked.getByText("Choose an outcome first.").waitFor();
    await asked.getByText("11: no money moved").click();
    await button(asked, "Resolve as 11").click();
    await asked.getByText("Enter a reason. The cashier sees it.").waitFor();
    await asked.getByLabel("Reason").fill("The acquirer has no such payment.");
    await button(asked, "Resolve as 11").click();
    await asked.getByText(`Payment ${number} is resolved as 11.`).waitFor();
    expect(await asked.innerText()).toMatch(/developer transaction\.resolve/u);
    await button(asked, "Close").click();
    await page.getByText("RESOLVED. Resolved by developer.").waitFor();
    await desk.go("payments");
    await page.getByLabel("Find", { exact: true }).fill(number);
    await button(page, "Find").click();
    await page.getByText("The acquirer has no such payment.").first().waitFor();
  });
});

describe("the list of payments", () => {
  it("has the payments of the last seconds, found by whatever is known", async ({ expect }) => {
    const { page } = desk;
    const amount = "77.13";
    const sale = { ...saleOf(amount), referenceId: `LOOK-${Date.now().toString(36).toUpperCase()}` };
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

const PLACES = (): string[] => [
  "overview",
  "terminals",
  `terminals/${terminal.terminalId}`,
  "accounts",
  `accounts/${account.posId}`,
  "shops",
  "payments",
  "pending",
  "statistics",
  "channels",
  "audit",
];

/** Opens a section, and waits until it has loaded. */
async function openPlace(place: string): Promise<void> {
  await desk.go(place);
  await desk.page.getByRole("heading", { level: 2 }).first().waitFor();
  await desk.page.getByText("Loading…").first().waitFor({ state: "detached" });
}

describe("the operator's page for everybody", () => {
  it("violates no accessibility rule, light or dark, on every screen", async ({ expect, onTestFinished }) => {
    const { page } = desk;
    onTestFinished(() => page.emulateMedia({ colorScheme: null }));
    for (const place of PLACES()) {
      await openPlace(place);
      expect(await violations(page), place).toEqual([]);
    }
    await openPlace(`terminals/${terminal.terminalId}`);
    await button(page, "Retire").click();
    expect(await violations(page), "a question").toEqual([]);
    await button(question(desk), "Cancel").click();
    await page.getByRole("table", { name: "Journal" }).getByRole("link").first().click();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    expect(await violations(page), "a payment").toEqual([]);
  });

  it("fits every width, without scrolling sideways", async ({ expect, onTestFinished }) => {
    const { page } = desk;
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 900 }));
    for (const place of PLACES()) {
      await openPlace(place);
      for (const width of [360, 820, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const [content, room] = await page.evaluate<[number, number]>(
          "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
        );
        expect(content, `${place} at ${width}`).toBeLessThanOrEqual(room);
        const lost = await page.evaluate(
          "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth + 1)" +
            ".map((one) => one.getAttribute('aria-label'))",
        );
        expect(lost, `columns out of sight: ${place} at ${width}`).toEqual([]);
      }
    }
  });

  it("can be used by keyboard alone, and keeps focus after a question", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    const tabTo = async (words: string): Promise<void> => {
      for (let presses = 0; (await focused(page)) !== words; presses++) {
        expect(presses, `on the way to ${words}`).toBeLessThan(40);
        await page.keyboard.press("Tab");
      }
    };
    await page.getByLabel("Operator's token").focus();
    await page.keyboard.type(inject("gateway").operatorToken);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
    await tabTo("Channels");
    await page.keyboard.press("Enter");
    await sheet(own, "E-wallet channels").waitFor();
    await tabTo("New channel");
    await page.keyboard.press("Enter");
    await question(own).getByText("Add a channel").waitFor();
    await page.keyboard.press("Escape");
    await question(own).waitFor({ state: "detached" });
    expect(await focused(page)).toBe("New channel");
    await own.close();
  });
});

describe("the operator's page as files", () => {
  it("takes less than 80 kB compressed, and includes its parts' licenses", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    const bytesOf = async (path: string): Promise<number> => {
      const file = await fetch(baseUrl + path);
      expect([path, file.status]).toEqual([path, 200]);
      return gzipSync(new Uint8Array(await file.arrayBuffer())).length;
    };
    const files = ["", "/main.js", "/style.css", "/icon.svg"].map((name) => bytesOf(`/operator/console${name}`));
    expect((await Promise.all(files)).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(PAGE_BYTES);
    expect(await (await fetch(`${baseUrl}/licenses.txt`)).text()).toContain("preact 11.2.0");
  });
});

describe("the operator's page in all scenes", () => {
  it("calls only its own origin, and never violates its policy", ({ expect }) => {
    expect([...desk.origins].filter((origin) => origin !== "null")).toEqual([inject("gateway").baseUrl]);
    expect(desk.complaints).toEqual([]);
  });
});
