/** One scene for each kind of page, in a real browser; `browser` has the others. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { connect } from "../support/chromium.ts";
import { button, openConsole, send, signInBoth, standing } from "../support/console-page.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { createAccount } from "../support/fresh-project.ts";
import type { OutsideTerminal } from "../support/fresh-project.ts";
import { openOperatorPage, sheet, signIn } from "../support/operator-page.ts";

let browser: Browser;
let shop: ConsolePage;
let terminal: OutsideTerminal;

beforeAll(async () => {
  browser = await connect();
  shop = await openConsole(browser);
  terminal = await signInBoth(shop, await createAccount());
});

afterAll(async () => {
  await browser.close();
});

describe("a sale in the console", () => {
  it("is approved, with every message, its signature, and what was signed", async ({ expect }) => {
    await send(shop, { amount: "12.50" });
    await standing(shop, "In progress");
    await shop.terminal.getByText("12.50").first().waitFor();
    await button(shop.terminal, "Tap").click();
    await standing(shop, "Approved");
    await shop.pos.getByText("Signature verified").waitFor();
    const answer = await shop.pos.getByRole("region", { name: "The answer's body" }).textContent();
    expect(JSON.parse(answer ?? "")).toMatchObject({ statusCode: "00", transData: { transAmt: "12.50" } });
    await shop.pos.getByText("What is signed").click();
    const signed = (await shop.pos.getByRole("region", { name: "The signed text" }).textContent()) ?? "";
    expect(signed).toMatch(/^\{"apiVersion":"v1","datetime":"\d{8}T\d{6}","deviceId":/u);
    expect(signed).not.toContain("signature");
    expect(await shop.pos.getByRole("list", { name: "Stages" }).textContent()).toMatch(/Signed.*Sentonce.*Answered00/u);
    expect(shop.complaints).toEqual([]);
  });
});

describe("a terminal on the operator's page", () => {
  it("is found by its id's beginning, and leads to its payments' timelines", async ({ expect }) => {
    await send(shop, { amount: "11.00" });
    await button(shop.terminal, "Tap").click();
    await standing(shop, "Approved");
    const desk = await openOperatorPage(browser);
    const { page } = desk;
    await signIn(desk);
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
    await desk.go("terminals");
    await page.getByLabel("Id or name").fill(terminal.terminalId.slice(0, -1));
    await button(page, "Search").click();
    const row = page.getByRole("table", { name: "Connected terminals" }).getByRole("row").nth(1);
    await row.getByRole("link", { name: terminal.terminalId }).click();
    await sheet(desk, terminal.terminalId).getByText("connected", { exact: true }).waitFor();
    await sheet(desk, "Journal").getByRole("link", { name: "sale MYR 11.00" }).first().click();
    const payment = sheet(desk, "sale MYR 11.00");
    await payment.getByText("Completed by the terminal.").waitFor();
    const steps = await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").allInnerTexts();
    expect(steps[0]).toMatch(/^\+0 ms\s+The gateway has the request/u);
    expect(steps.at(-1)).toContain("Completed");
    expect(steps.join()).toContain("Sent to the terminal");
    await page.goBack();
    await sheet(desk, "Journal").getByRole("link", { name: "By time or code" }).click();
    await page.getByRole("table", { name: "Payments", exact: true }).waitFor();
    expect(await page.getByLabel("Terminal", { exact: true }).inputValue()).toBe(terminal.terminalId);
    expect(desk.complaints).toEqual([]);
  });
});
