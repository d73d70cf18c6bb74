/** What the operator changes on the page in a real browser: an account, a terminal, and a payment with an unknown outcome. */
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { violations } from "../../support/accessibility.ts";
import { button } from "../../support/console-page.ts";
import { boundTerminal, createAccount, operator, posOf } from "../../support/fresh-project.ts";
import type { OutsideAccount, OutsideTerminal } from "../../support/fresh-project.ts";
import { focused, question, sheet } from "../../support/operator-page.ts";
import type { OperatorPage } from "../../support/operator-page.ts";
import { expectPolicyKept, openOperatorShop, type OperatorShop } from "../../support/operator-shop.ts";

let shop: OperatorShop;
/** Signed in. */
let desk: OperatorPage;
let account: OutsideAccount;
let terminal: OutsideTerminal;

beforeAll(async () => {
  shop = await openOperatorShop("Station shop");
  ({ desk, account, terminal } = shop);
});

afterAll(async () => {
  expectPolicyKept(desk);
  await shop.close();
});

/** A sale with an unknown outcome, whose POS has stopped asking. Resolves to its number. */
async function pendingSale(): Promise<string> {
  const controller = new AbortController();
  const onProgress = ({ pending }: { pending: unknown }): void => {
    if (pending !== null) controller.abort();
  };
  const selling = posOf(account).sale(shop.saleOf("10.22"), { signal: controller.signal, onProgress });
  await selling.catch(() => undefined);
  const { body } = await operator().call("GET", `/terminals/${terminal.terminalId}/transactions?limit=1`);
  const [newest] = body["data"] as [{ requestId: string; state: string }];
  if (newest.state !== "pending") throw new Error(`the sale is ${newest.state}`);
  return newest.requestId;
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
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

describe("a terminal whose identity is in question", () => {
  it("gets an activation code, shown once, from support too", async ({ expect }) => {
    const { page } = desk;
    await desk.go(`terminals/${terminal.terminalId}`);
    await button(page, "Activation code").click();
    const asked = question(desk);
    await asked.getByText("1 day", { exact: true }).click();
    await button(asked, "Create").click();
    await asked.getByText(/^The code can be used once, until /u).waitFor();
    expect(await asked.getByRole("region", { name: "Activation code" }).innerText()).toMatch(/^\w{4}(?:-\w{4})+$/u);
    expect(await violations(page), "an activation code").toEqual([]);
    await button(asked, "Close").click();
  });

  it("says on its page and in lists that two devices use it", async ({ expect, onTestFinished }) => {
    const { page } = desk;
    onTestFinished(() => page.unrouteAll({ behavior: "ignoreErrors" }));
    await desk.go("channels");
    await page.route(/\/operator\/terminals(?:\?|\/T-[^/]+$)/u, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll('"contested":false', '"contested":true');
      await route.fulfill({ response, body: text });
    });
    await desk.go(`terminals?text=${terminal.terminalId}&state=connected`);
    const row = page
      .getByRole("table", { name: "Terminals" })
      .getByRole("row")
      .filter({ hasText: terminal.terminalId });
    await row.getByText("two devices").waitFor();
    expect(await row.innerText()).toContain("simulator 1");
    await row.getByRole("link", { name: terminal.terminalId }).click();
    await page.getByText("Two devices use this terminal's identity").waitFor();
  });

  it("is saved in a file of the terminals that the filters leave", async ({ expect }) => {
    const { page } = desk;
    await desk.go(`terminals?text=${terminal.terminalId}`);
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Save all as CSV").click()]);
    const contents = readText(await file.createReadStream());
    expect((await contents).split("\r\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^terminalId,name,status,posId,shopName,/u),
      expect.stringContaining(`${terminal.terminalId},,enrolled,${account.posId},Station shop,`),
    ]);
  });
});
