/** The POS's half of the console, with the terminal's half beside it, in a real Chromium, at a running gateway. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, inject, it } from "vitest";
import { connect } from "../../support/chromium.ts";
import {
  bindByHandOver,
  button,
  openConsole,
  openForm,
  sell,
  send,
  signInBoth,
  signInPos,
  signInTerminal,
  standing,
} from "../../support/console-page.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { createAccount, enrolTerminal } from "../../support/fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "../../support/fresh-project.ts";

const run = promisify(execFile);

let browser: Browser;
let account: OutsideAccount;
let terminal: OutsideTerminal;
/** One page for all tests: opening a page takes longer than most tests. */
let shop: ConsolePage;

beforeAll(async () => {
  browser = await connect();
  shop = await openConsole(browser, { permissions: ["clipboard-read", "clipboard-write"] });
});

afterAll(async () => {
  await browser.close();
});

/** Whether the previous test left both halves signed in, bound and ready for another payment. */
let isOpen = false;

beforeEach(({ onTestFailed }) => onTestFailed(() => void (isOpen = false)));

/** The POS of a new account signed in, with no terminal yet. */
async function openPos(): Promise<void> {
  isOpen = false;
  account = await createAccount();
  await shop.anew();
  await signInPos(shop, account);
}

/** Both halves signed in and bound, on a page that has done nothing yet and that no other test gets. */
async function openNewShop(): Promise<void> {
  isOpen = false;
  account = await createAccount();
  await shop.anew();
  terminal = await signInBoth(shop, account);
}

/** The same on a page that may have made payments before: signing in costs more than most payments. */
async function openShop(): Promise<void> {
  if (!isOpen) await openNewShop();
  isOpen = true;
}

/** The answer's body that is shown. */
async function answer(): Promise<Record<string, unknown>> {
  return JSON.parse((await shop.pos.getByRole("region", { name: "The answer's body" }).textContent()) ?? "");
}

describe("signing in", () => {
  it("names the missing field, and shows the gateway's answer to wrong passwords", async ({ expect }) => {
    await openPos();
    await button(shop.pos, "Sign out").click();
    await button(shop.pos, "Sign in").click();
    expect(await shop.pos.getByText("This field is required.").count()).toBe(3);
    await shop.pos.getByLabel("POS id").fill(account.posId);
    await shop.pos.getByLabel("Password").fill("not the password");
    await shop.pos.getByLabel("Merchant id").fill(account.merchantId);
    await shop.pos.getByLabel("Signing key").fill(account.signingKey);
    await button(shop.pos, "Sign in").click();
    await shop.pos.getByRole("status").getByText("posId or password").waitFor();
  });

  it("works without a password: the signing key signs the login", async () => {
    account = await createAccount();
    await shop.anew();
    await signInPos(shop, { ...account, password: "" });
    await button(shop.pos, "Bind the virtual terminal").waitFor();
  });
});

describe("binding", () => {
  it("binds the neighbouring terminal with one click, and shows others the key", async ({ expect }) => {
    terminal = await enrolTerminal();
    await openPos();
    await shop.pos.getByText("No terminal is bound to this account yet.").waitFor();
    await signInTerminal(shop, terminal);
    await bindByHandOver(shop);
    expect(await shop.pos.getByLabel("Terminal deviceId").inputValue()).toBe(terminal.terminalId);
    expect(shop.complaints).toEqual([]);
  });
});

describe("a sale", () => {
  it("shows the terminal's progress at the POS as it happens", async ({ expect }) => {
    await openShop();
    await send(shop, { amount: "12.60" });
    await standing(shop, "In progress");
    await shop.pos.getByRole("status").getByText("Waiting for the customer's card or phone.").waitFor();
    await button(shop.terminal, "Disconnect").click();
    await shop.pos
      .getByRole("status")
      .getByText(/^Terminal lost its connection; waiting until \d\d:\d\d:\d\d\.$/u)
      .waitFor();
    await button(shop.terminal, "Reconnect").click();
    await shop.pos.getByRole("status").getByText("Waiting for the customer's card or phone.").waitFor();
    await button(shop.terminal, "Tap").click();
    await standing(shop, "Approved");
    const journey = shop.pos.getByRole("list", { name: "At the terminal" }).getByRole("listitem");
    const stages = (await journey.allTextContents()).map((text) => text.split(" ")[0]);
    expect(stages.slice(0, 4)).toEqual(["received", "sent", "accepted", "present"]);
    expect(stages).toContain("authorising");
  });

  it("has the same answer when it is sent again, marked as replayed", async ({ expect }) => {
    await openShop();
    await sell(shop, "3.00");
    const first = await answer();
    await button(shop.pos, "Send again").click();
    await shop.pos.getByText("Idempotent-Replayed: true").waitFor();
    await standing(shop, "Approved");
    expect((await answer())["transData"]).toEqual(first["transData"]);
    expect(await shop.pos.getByLabel("Message").locator("option").count()).toBe(2);
  });

  it("is cancelled while the customer is looking for a card", async ({ expect }) => {
    await openShop();
    await send(shop, { amount: "6.00" });
    await shop.terminal.getByText("6.00").first().waitFor();
    await button(shop.pos, "Cancel").click();
    await standing(shop, "Not approved");
    const messages = await shop.pos.getByLabel("Message").locator("option").allTextContents();
    expect(new Set(messages.map((text) => text.split(" · ")[1]))).toEqual(new Set(["transfer", "cancel"]));
  });
});

/** Starts a scenario, and waits until the page says what to watch. */
async function watch(name: string): Promise<void> {
  await openForm(shop.pos);
  await button(shop.pos, name).click();
  await shop.pos.getByText("Watch:").waitFor();
}

describe("a scenario", () => {
  it("shows a decline, and leaves one line of the form", async ({ expect }) => {
    await openShop();
    await watch("Declined");
    await standing(shop, "Not approved");
    expect(await shop.pos.getByRole("form", { name: "New transaction" }).count()).toBe(0);
    await button(shop.pos, "New transaction").click();
    await shop.pos.getByRole("form", { name: "New transaction" }).waitFor();
  });

  it("ends approved once the bank has decided", async () => {
    await openShop();
    await watch("No answer from the bank");
    await standing(shop, "Approved");
  });

  it("ends approved if the terminal loses its network after the tap", async () => {
    await openShop();
    await watch("Wi-Fi lost after the tap");
    await standing(shop, "Approved");
  });

  it("gets the lost answer by sending the same message again", async ({ expect }) => {
    await openShop();
    await watch("The POS loses the answer");
    await standing(shop, "Approved");
    await shop.pos.getByText("Idempotent-Replayed: true").waitFor();
    expect(await shop.pos.getByLabel("Message").locator("option").count()).toBe(2);
  });
});

describe("a gateway that cannot be reached", () => {
  it("is reported in place of the connected terminals, until it is back", async ({ onTestFinished }) => {
    onTestFinished(() => shop.page.context().setOffline(false));
    await openShop();
    await shop.page.context().setOffline(true);
    const words = `Connection unknown. The gateway at ${inject("gateway").baseUrl} could not be reached`;
    await shop.pos.getByText(words).waitFor();
    await shop.page.context().setOffline(false);
    await shop.pos.getByText("Connected.", { exact: true }).waitFor();
  });
});

describe("a page that is reloaded in the middle of a payment", () => {
  it("keeps the reference, and warns against charging, while the outcome is unknown", async ({ expect }) => {
    await openNewShop();
    await shop.terminal.getByLabel("Delay the answer").check();
    await send(shop, { amount: "8.00" });
    await button(shop.terminal, "Tap").click();
    await button(shop.terminal, "Release the answer").click({ trial: true });
    const sent = JSON.parse((await requestBody()) ?? "");
    await shop.page.reload();
    await signInPos(shop, account);
    await standing(shop, "Pending");
    await shop.pos.getByRole("status").getByText("Do not charge again.", { exact: true }).waitFor();
    expect(JSON.parse((await requestBody()) ?? "")).toEqual(sent);
    await signInTerminal(shop, terminal);
    await button(shop.pos, "Send again").click();
    await standing(shop, "Approved");
    expect(await answer()).toMatchObject({ referenceId: sent.referenceId, transData: { transAmt: "8.00" } });
    await shop.page.reload();
    await signInPos(shop, account);
    await shop.pos.getByText("Nothing sent yet").waitFor();
  });
});

function requestBody(): Promise<string | null> {
  return shop.pos.getByRole("region", { name: "The request's body" }).textContent();
}

describe("the form", () => {
  it("shows each field's mistake, and lets the message be sent anyway", async ({ expect }) => {
    await openShop();
    await send(shop, { amount: "1,5" });
    const amount = shop.pos.getByLabel("Amount");
    await expect.poll(() => amount.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => shop.page.evaluate("document.activeElement.id")).toBe(await amount.getAttribute("id"));
    await button(shop.pos, "Send anyway").click();
    await standing(shop, "Not accepted");
    await shop.pos.getByText("Send a positive amount as text with two decimals").first().waitFor();
    expect(await answer()).toMatchObject({ code: 40000, details: [{ path: "transData.transAmt" }] });
    await amount.fill("1.50");
    await expect.poll(() => amount.getAttribute("aria-invalid")).toBeNull();
  });

  it("asks for cash for a cashOut, and for a scanning customer's wallet", async ({ expect }) => {
    await openNewShop();
    expect(await shop.pos.getByLabel("Cash amount").count()).toBe(0);
    await shop.pos.getByLabel("Payment method").selectOption("qrCustScan");
    await send(shop);
    await shop.pos.getByText("Choose a wallet: qrCustScan needs one.").waitFor();
    await shop.pos.getByLabel("Wallet").selectOption("Example Pay");
    await send(shop);
    await shop.terminal.getByRole("img", { name: "Code for the customer’s wallet" }).waitFor();
    await openForm(shop.pos);
    await shop.pos.getByText("cashOut", { exact: true }).first().click();
    await shop.pos.getByLabel("Cash amount").waitFor();
    expect(await shop.pos.getByLabel("Payment method").count()).toBe(0);
    await button(shop.pos, "Cancel").click();
    await standing(shop, "Not approved");
  });
});

const TOOLS = ["bash", "curl", "sed", "openssl", "perl"];
const isOnPath = (tool: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, tool)));

/** The text that the button with this name, one of several, copies. */
async function copied(name: string, at = 0): Promise<string> {
  await shop.page.evaluate("navigator.clipboard.writeText('')");
  await button(shop.pos, name).nth(at).click();
  for (;;) {
    const text = String(await shop.page.evaluate("navigator.clipboard.readText()"));
    if (text !== "") return text;
    await shop.page.waitForTimeout(20);
  }
}

async function inShell(lines: string[]): Promise<string> {
  // The type is that of the Worker's environment.
  const secrets = { PASSWORD: account.password, SIGNING_KEY: account.signingKey };
  const env = { PATH: process.env["PATH"], ...secrets } as unknown as NodeJS.ProcessEnv;
  return (await run("bash", ["-c", lines.join("\n")], { env })).stdout;
}

describe("a call copied as curl", () => {
  if (TOOLS.every(isOnPath)) {
    it("works in a shell, and gets the same answer", async ({ expect }) => {
      await openShop();
      await sell(shop, "7.00");
      const lines = [await copied("Copy login as curl"), await copied("Copy as curl")];
      expect(lines.join("\n")).not.toContain(account.password);
      expect(JSON.parse(await inShell(lines))).toMatchObject({ statusCode: "00", transData: { transAmt: "7.00" } });
    });
  } else {
    console.log(`Left out: the console's lines for a shell, which need ${TOOLS.join(", ")}.`);
  }
});
