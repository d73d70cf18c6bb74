/** The operator's page in a real browser, at a running gateway: signing in, the overview, and what holds for every section. */
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, type ExpectStatic, inject, it, vi } from "vitest";
import type { Overview } from "../../../src/protocol/schemas/operator-overview.ts";
import { violations } from "../../support/accessibility.ts";
import { button } from "../../support/console-page.ts";
import { operator } from "../../support/fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "../../support/fresh-project.ts";
import { makeExtreme } from "../../support/extreme-data.ts";
import { focused, openOperatorPage, question, sheet, signIn } from "../../support/operator-page.ts";
import type { OperatorPage } from "../../support/operator-page.ts";
import { expectPolicyKept, openOperatorShop, type OperatorShop } from "../../support/operator-shop.ts";
import { PATIENCE, TEST_PATIENCE } from "../../support/patience.ts";
import { STATISTICS_DELAY } from "../../../src/gateway/account/statistics.ts";

/** Bytes of the whole page, compressed as a server would. */
const PAGE_BYTES = 80_000;

let shop: OperatorShop;
let browser: Browser;
/** Signed in. */
let desk: OperatorPage;
let account: OutsideAccount;
let terminal: OutsideTerminal;

beforeAll(async () => {
  shop = await openOperatorShop("Harbour shop");
  ({ browser, desk, account, terminal } = shop);
});

afterAll(async () => {
  await shop.close();
});

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
    await own.page.getByRole("heading", { name: /need/u }).waitFor();
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
    const now = sheet(desk, "2 things need you");
    await now.getByText("Corner shop. Others of this shop still sell. For 1 h.").waitFor();
    await now.getByText("books.example.com").waitFor();
    await page.getByRole("link", { name: "Payments, 24 hours" }).waitFor();
    await sheet(desk, "Speed").getByRole("cell", { name: "Customer and host" }).waitFor();
    await page.getByText("Payments by hour as a table").click();
    expect(await page.getByRole("table", { name: "Payments by hour" }).getByRole("row").count()).toBe(25);
    await sheet(desk, "Latest payments").getByRole("link", { name: "MYR 12.50" }).first().waitFor();
    await sheet(desk, "Fleet")
      .getByRole("link", { name: `${terminal.terminalId}: connected` })
      .waitFor();
    await now.getByRole("link", { name: "Webhook disabled" }).click();
    await sheet(desk, account.posId).waitFor();
    await page.goBack();
    await now.getByRole("link", { name: "1 terminal offline" }).click();
    await page.getByRole("table", { name: "Terminals" }).or(page.getByText("None.")).waitFor();
    expect(await page.getByLabel("Shop", { exact: true }).inputValue()).toBe(account.merchantId);
    // The form follows the address.
    await page.goBack();
    await now.getByRole("link", { name: "1 terminal offline" }).waitFor();
    await page.goForward();
    expect(await page.getByLabel("Shop", { exact: true }).inputValue()).toBe(account.merchantId);
    await button(page, "Show all").click();
    await expect.poll(() => page.getByLabel("Shop", { exact: true }).inputValue()).toBe("");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("leads from a reason to its payments, and on to a timeline", async ({ expect }) => {
    const { page } = desk;
    await seeDeclinesCounted();
    await desk.go("channels");
    await desk.go("overview");
    await page.getByRole("link", { name: "All reasons" }).click();
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

  it("has the values of each bar, and of days", async ({ expect }) => {
    const { page } = desk;
    await seeDeclinesCounted();
    await desk.go("channels");
    await desk.go("overview");
    // Otherwise the bar under the pointer is shown.
    await page.mouse.move(0, 0);
    const chart = sheet(desk, "Payments by hour").locator("figcaption");
    await chart.getByText(/^Approved [1-9]/u).waitFor();
    await page.locator(".chart-bar").first().hover();
    await chart.getByText("Approved 0", { exact: true }).waitFor();
    await page.getByText("7 d", { exact: true }).click();
    await page.getByText("Payments by day as a table").click();
    const days = page.getByRole("table", { name: "Payments by day" }).getByRole("row");
    await expect.poll(() => days.count()).toBe(8);
  });

  it("stops polling while nobody looks at the page", async ({ expect }) => {
    const { page } = desk;
    // A clock cannot run or clear the timers from before it: the overview is drawn after it.
    await desk.go("channels");
    await sheet(desk, "E-wallet channels").waitFor();
    await page.clock.install();
    await desk.go("overview");
    await page.getByRole("heading", { name: /need/u }).waitFor();
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

async function expectFit(expect: ExpectStatic, place: string, width: number): Promise<void> {
  const { page } = desk;
  await page.setViewportSize({ width, height: 800 });
  // A table decides after its size has changed, and before the frame.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  const [content, room] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(content, `${place} at ${width}`).toBeLessThanOrEqual(room);
  const lost = await page.evaluate(
    "[...document.querySelectorAll('.table')]" +
      ".filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)" +
      ".map((one) => one.getAttribute('aria-label'))",
  );
  expect(lost, `columns out of sight: ${place} at ${width}`).toEqual([]);
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

  it.for(["real", "extreme"])("fits every width, without scrolling sideways: %s data", async (data, scene) => {
    const { page } = desk;
    scene.onTestFinished(() => page.setViewportSize({ width: 1280, height: 900 }));
    scene.onTestFinished(() => page.unrouteAll({ behavior: "ignoreErrors" }));
    if (data === "extreme") await makeExtreme(page);
    for (const place of PLACES()) {
      await openPlace(place);
      for (const width of [360, 820, 1280, 1440]) await expectFit(scene.expect, place, width);
    }
  });

  it("can be used by keyboard alone, and keeps focus after a question", async ({ expect }) => {
    const own = await openOperatorPage(browser);
    const { page } = own;
    const tabTo = async (words: string): Promise<void> => {
      for (let presses = 0; (await focused(page)).trim() !== words; presses++) {
        expect(presses, `on the way to ${words}`).toBeLessThan(40);
        await page.keyboard.press("Tab");
      }
    };
    await page.getByLabel("Operator's token").focus();
    await page.keyboard.type(inject("gateway").operatorToken);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
    await tabTo("Setup");
    await page.keyboard.press("Enter");
    await tabTo("E-wallet channels");
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
  it("calls only its own origin, and never violates its policy", () => {
    expectPolicyKept(desk);
  });
});
