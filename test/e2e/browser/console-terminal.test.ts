/** The virtual terminal half of the console, in a real Chromium: a person presses its buttons, a POS waits for it. */
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, inject, it } from "vitest";
import { newReferenceId } from "../../../src/sdk/client/pos.ts";
import type { PosClient, SaleRequest, TransferAnswer } from "../../../src/sdk/client/pos.ts";
import { connect, withoutPauses } from "../../support/chromium.ts";
import { boundTerminal, createAccount, enrolTerminal, posOf } from "../../support/fresh-project.ts";
import { WALLET } from "../../support/outside.ts";

let browser: Browser;
/** One page for all tests, except those that say why not: opening a page takes longer than most tests. */
let common: Page;

beforeAll(async () => {
  browser = await connect();
  common = await newPage();
});

afterAll(async () => {
  await browser.close();
});

/** A page of a browser that has stored nothing yet. */
async function newPage(): Promise<Page> {
  const context = await browser.newContext();
  await withoutPauses(context);
  return context.newPage();
}

interface Terminal {
  terminalId: string;
  secret: string;
}

/** The terminal's half of a console that has just been opened. */
async function opened(page = common): Promise<Half> {
  await page.goto(`${inject("gateway").baseUrl}/console`);
  return new Half(page);
}

/** What a person at the virtual terminal sees and does. */
class Half {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get #half() {
    return this.page.getByRole("region", { name: "Virtual terminal" });
  }

  async signIn({ terminalId, secret }: Terminal): Promise<void> {
    await this.#half.getByLabel("Terminal id").fill(terminalId);
    await this.#half.getByLabel("Secret").fill(secret);
    await this.press("Sign in");
  }

  /** Presses a button as soon as it can be pressed. */
  async press(name: string): Promise<void> {
    await this.#half.locator("button:not([aria-disabled])").getByText(name, { exact: true }).click();
  }

  async enterPin(pin = "1234"): Promise<void> {
    await this.shows("Enter your PIN");
    for (const digit of pin) await this.press(digit);
    await this.press("OK");
  }

  /** Clears the outcome of the last payment, if one is shown. */
  async clear(): Promise<void> {
    await this.press("OK");
    await this.shows("Ready");
  }

  async choose(label: string, option: string): Promise<void> {
    await this.#half.getByLabel(label, { exact: true }).selectOption(option);
  }

  async tick(label: string): Promise<void> {
    await this.#half.getByLabel(label).check();
  }

  /** Resolves when the bank has decided and its answer is delayed. */
  async bankHasDecided(): Promise<void> {
    await this.#half.locator("button:not([aria-disabled])").getByText("Release the answer").waitFor();
  }

  /** Resolves when the screen shows `text`. */
  async shows(text: string): Promise<void> {
    await this.#half.getByLabel("Screen").getByText(text, { exact: true }).waitFor();
  }

  async receipts(): Promise<string> {
    return this.#half.getByLabel("Receipts").innerText();
  }

  /** Top and height of each part of the half, wherever the page is scrolled to. */
  async places(): Promise<number[]> {
    return this.page.evaluate(`[...document.querySelectorAll("#terminal .vt-parts > *")].flatMap((part) => {
      const { top, height } = part.getBoundingClientRect();
      return [Math.round(top + scrollY), Math.round(height)];
    })`);
  }

  /** Accessibility problems; `axe` must be on the page. */
  async violations(): Promise<string[]> {
    return this.page.evaluate(`axe.run("#terminal", { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`);
  }

  /** The last announcement to screen readers. */
  async said(): Promise<string> {
    return this.#half.getByRole("status").first().innerText();
  }
}

interface Shop {
  pos: PosClient;
  terminal: Terminal;
  half: Half;
}

/** A new terminal on a reloaded page, signed in and bound. */
async function newShop(page = common): Promise<Shop> {
  if (page === common) left = null;
  const account = await createAccount();
  const [terminal, half] = await Promise.all([boundTerminal(account), opened(page)]);
  await half.signIn(terminal);
  await half.shows("Ready");
  return { pos: posOf(account), terminal, half };
}

/** The state that the previous test left, if it is ready for another payment. */
let left: Shop | null = null;

/** The same as the previous test left it, without the last outcome: signing in takes longer than most payments. */
async function shop(): Promise<Shop> {
  if (left === null) return (left = await newShop());
  await left.half.clear();
  return left;
}

beforeEach(({ onTestFailed }) => onTestFailed(() => void (left = null)));

function sale({ pos, terminal }: Shop, changes: Partial<SaleRequest> = {}) {
  const referenceId = newReferenceId();
  const request = {
    deviceId: terminal.terminalId,
    referenceId,
    transAmt: "12.50",
    paymentMethod: "bankCard",
    ...changes,
  };
  return pos.sale(request as SaleRequest);
}

function outcome({ statusCode, responseCode }: TransferAnswer): string {
  return `${statusCode} ${responseCode}`;
}

/** Long enough that nothing else has these digits. */
const PIN = "731946285073";

/** Run in the page: everything that it has stored, as one text. */
const STORED = `async () => {
  const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
  const done = (request) => new Promise((resolve) => request.addEventListener("success", () => resolve(request.result)));
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      texts.push(JSON.stringify(await done(database.transaction(store).objectStore(store).getAll())));
    }
    database.close();
  }
  return texts.join("\\n");
}`;

describe("a virtual terminal", () => {
  it("is bound with a typed key, and sells", async ({ expect }) => {
    left = null;
    const [account, terminal, half] = await Promise.all([createAccount(), enrolTerminal(), opened()]);
    const here = { pos: posOf(account), terminal, half };
    await half.signIn(terminal);
    await half.shows("Not bound yet");
    await half.page.getByLabel("Bind key").fill((await here.pos.bindKey()).key);
    await half.press("Bind");
    await half.shows("Ready");
    const answer = sale(here, { referenceLabel: "Order", note: "Table 7" });
    await here.half.shows("Tap, insert or swipe your card");
    expect(await here.half.said()).toBe("Sale MYR 12.50. Tap, insert or swipe your card.");
    await here.half.press("Tap");
    expect(await answer).toMatchObject({ statusCode: "00", transData: { entryMode: "Contactless" } });
    await here.half.shows("Approved");
    expect(await here.half.said()).toBe("Approved. Sale MYR 12.50.");
    const receipts = await here.half.receipts();
    for (const text of ["MERCHANT COPY", "CUSTOMER COPY", "Order: ", "Table 7"]) expect(receipts).toContain(text);
  });

  it("shows what is wrong with a secret, and keeps what was typed", async ({ expect }) => {
    left = null;
    const [{ terminalId }, half] = await Promise.all([enrolTerminal(), opened()]);
    await half.signIn({ terminalId, secret: "not the secret" });
    await half.shows("The gateway does not know this terminal, or the secret is out of date.");
    expect(await half.page.getByLabel("Terminal id").inputValue()).toBe(terminalId);
  });

  it("keeps no secret, token or PIN in what the browser stores", async ({ expect }) => {
    const page = await newPage();
    const here = await newShop(page);
    const answer = sale(here);
    await here.half.press("Insert");
    await here.half.enterPin(PIN);
    expect(outcome(await answer)).toBe("00 00");
    const stored = await here.half.page.evaluate(`(${STORED})()`);
    expect(stored).toContain("highestAccepted");
    expect(stored).toContain("MYR");
    expect(stored).not.toContain(here.terminal.secret);
    expect(stored).not.toContain(PIN);
    expect(stored).not.toContain("eyJ");
    await page.context().close();
  });

  it("lets the customer cancel, by key and by keyboard", async ({ expect }) => {
    const here = await shop();
    const first = sale(here);
    await here.half.press("Cancel");
    expect(outcome(await first)).toBe("11 17");
    const second = sale(here);
    await here.half.press("Insert");
    await here.half.shows("Enter your PIN");
    await here.half.page.getByRole("button", { name: "5", exact: true }).focus();
    await here.half.page.keyboard.press("7");
    await here.half.page.getByRole("img", { name: "1 digit entered" }).waitFor();
    await here.half.page.keyboard.press("Escape");
    expect(outcome(await second)).toBe("11 17");
    await here.half.shows("Cancelled");
  });
});

describe("a virtual terminal on every screen", () => {
  it.for([
    ["light", 1400],
    ["dark", 360],
  ] as const)("keeps everything in place and accessible: %s, %i wide", async ([colorScheme, width], { expect }) => {
    const page = await newPage();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const [account, terminal, half] = await Promise.all([createAccount(), enrolTerminal(), opened(page)]);
    const pos = posOf(account);
    const here = { pos, terminal, half };
    await half.page.evaluate(axe.source);
    await half.shows("Terminal id");
    const places = await half.places();
    const check = async (shown: string): Promise<void> => {
      await half.shows(shown);
      expect(await half.places(), shown).toEqual(places);
      expect(await half.violations(), shown).toEqual([]);
    };
    await check("Terminal id");
    await half.signIn(terminal);
    await check("Not bound yet");
    await half.page.getByLabel("Bind key").fill((await pos.bindKey()).key);
    await half.press("Bind");
    await check("Ready");
    const first = sale(here, { transAmt: "999999999.99" });
    await check("Tap, insert or swipe your card");
    await half.press("Insert");
    await check("Enter your PIN");
    await half.page.keyboard.type("1234");
    await half.page.keyboard.press("Enter");
    await first;
    await check("Approved");
    const second = sale(here, { paymentMethod: "qrCustScan", paymentChannel: WALLET });
    await check(`Scan with ${WALLET}`);
    await half.press("Disconnect");
    await check("Offline");
    await half.press("Cancel");
    await check("The gateway gets the result when the connection is back.");
    await half.press("Reconnect");
    expect(outcome(await second)).toBe("11 17");
    await page.context().close();
  });
});

describe("a line that is lost", () => {
  it("delays the answer while the customer pays, and does not change it", async ({ expect }) => {
    const here = await shop();
    const answer = sale(here);
    await here.half.shows("Tap, insert or swipe your card");
    await here.half.press("Disconnect");
    await here.half.shows("Offline");
    await here.half.press("Tap");
    await here.half.shows("The gateway gets the result when the connection is back.");
    await here.half.press("Reconnect");
    expect(outcome(await answer)).toBe("00 00");
    await here.half.shows("Online");
  });
});

describe("a page that is reloaded in the middle of a payment", () => {
  it("ends as 11 before the payment reaches the bank", async ({ expect }) => {
    const here = await newShop();
    const answer = sale(here);
    await here.half.shows("Tap, insert or swipe your card");
    await here.half.page.reload();
    await here.half.signIn(here.terminal);
    expect(outcome(await answer)).toBe("11 RESTARTED");
    await here.half.shows("Interrupted");
  });

  it.for([
    ["approved", "00 00", "Approved"],
    ["declined", "11 25", "Declined"],
  ] as const)("gets the outcome from the bank that has %s it", async ([bank, status, shown], { expect }) => {
    const here = await newShop();
    await here.half.choose("Bank", bank);
    await here.half.tick("Delay the answer");
    const answer = sale(here);
    await here.half.press("Tap");
    await here.half.shows("Authorising…");
    await here.half.bankHasDecided();
    await here.half.page.reload();
    await here.half.signIn(here.terminal);
    expect(outcome(await answer)).toBe(status);
    await here.half.shows(shown);
  });
});

describe("a second tab with the same terminal", () => {
  it("recognizes the first tab, and takes over when that leaves", async () => {
    const page = await newPage();
    const here = await newShop(page);
    const second = await opened(await page.context().newPage());
    await second.signIn(here.terminal);
    await second.shows(
      "Another tab of this browser runs this terminal. A terminal has one memory: sign out there first.",
    );
    await here.half.page.close();
    await second.press("Sign in");
    await second.shows("Ready");
    await second.page.context().close();
  });
});
