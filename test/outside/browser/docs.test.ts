/** The documentation in a real browser: accessible, on every screen, without calls to other origins. */
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { EXAMPLES } from "../../../src/http/openapi/examples.ts";
import { DEMO } from "../../../src/console/shared/demo.ts";
import type { SearchEntry } from "../../../src/docs/find.ts";
import { passOverKnownLooks } from "../../support/accessibility.ts";
import { connect } from "../../support/chromium.ts";
import { SimulatedTerminal } from "../../../src/simulator/simulated-terminal.ts";
import { boundTerminal, createAccount } from "../../support/fresh-project.ts";
import { docsPages } from "../../support/site.ts";

interface Screen {
  width: number;
  height: number;
  colorScheme: "dark" | "light";
}

const SCREENS = [
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 1440, height: 900, colorScheme: "light" },
] as const satisfies Screen[];

/** The pages of the HTTP reference that Scalar fills. */
const FAMILIES = "/docs/reference/";

let browser: Browser;

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

beforeAll(async () => {
  browser = await connect();
});

afterAll(async () => {
  await browser.close();
});

interface Violation {
  id: string;
  nodes: { html: string }[];
}

interface Opened {
  page: Page;
  /** Its console messages, and its calls to other origins. */
  complaints: string[];
}

/** Opens a page with everything unfolded, and records its console messages. */
async function open(path: string, screen: Screen): Promise<Opened> {
  const opened = await watched(screen);
  await visit(opened.page, path);
  return opened;
}

/** A blank page. */
async function watched({ width, height, colorScheme }: Screen): Promise<Opened> {
  const { baseUrl } = inject("gateway");
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  // Scripts that the debugger injects are not subject to the page's policy.
  await page.addInitScript({ path: AXE });
  // Not every violation is an error of the console.
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective }) => console.error(violatedDirective))`,
  );
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) complaints.push(request.url());
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  return { page, complaints };
}

/** Goes to a page, and unfolds everything there. */
async function visit(page: Page, path: string): Promise<void> {
  const { baseUrl } = inject("gateway");
  await page.goto(baseUrl + path, { waitUntil: "load" });
  // Scalar makes its page from the contract.
  if (path.startsWith(FAMILIES)) await page.getByRole("heading", { name: "Server and token" }).waitFor();
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
}

/** The rules whose outcome depends on colours or size. */
const ON_EVERY_SCREEN = '["color-contrast", "link-in-text-block", "scrollable-region-focusable"]';

/** Accessibility problems. `part`: an expression of what is checked. The first screen is checked by all rules. */
async function violations(page: Page, part: string, screen: Screen): Promise<string[]> {
  await passOverKnownLooks(page);
  const rules = screen === SCREENS[0] ? "" : `, runOnly: ${ON_EVERY_SCREEN}`;
  const options = `{ resultTypes: ["violations"]${rules} }`;
  const found = await page.evaluate<Violation[]>(`axe.run(${part}, ${options}).then((result) => result.violations)`);
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120) ?? ""}`);
}

/** Looks at an open page on each screen. The last one stays. */
async function look(page: Page, part = "document"): Promise<Record<string, { width: unknown; violations: string[] }>> {
  const seen: Record<string, { width: unknown; violations: string[] }> = {};
  for (const screen of SCREENS) {
    const { width, height, colorScheme } = screen;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
    seen[`${width} ${colorScheme}`] = { width: scrollWidth, violations: await violations(page, part, screen) };
  }
  return seen;
}

/** Wide tables and code scroll by themselves. */
const WHOLE_AND_ACCESSIBLE = Object.fromEntries(
  SCREENS.map(({ width, colorScheme }) => [`${width} ${colorScheme}`, { width, violations: [] as string[] }]),
);

describe("on a small dark screen and on a large light one", () => {
  // One after the other in the same tab, as a reader goes: a new one for each would take as long as the rest.
  let opened: Opened;
  beforeAll(async () => {
    opened = await watched(SCREENS[0]);
  });
  afterAll(async () => {
    await opened.page.close();
  });
  for (const path of [...docsPages().keys()].filter((one) => !one.startsWith(FAMILIES))) {
    it(`${path} is complete and accessible`, async ({ expect }) => {
      const { page, complaints } = opened;
      complaints.length = 0;
      await visit(page, path);
      expect(await look(page)).toEqual(WHOLE_AND_ACCESSIBLE);
      expect(complaints).toEqual([]);
    });
  }
});

describe.for([
  ["/", 200, "The gateway is up"],
  ["/docs/there-is-no-such-page", 404, "There is no such page"],
] as const)("what a browser finds at %s", ([path, status, title]) => {
  it("is complete, accessible and leads further, on a small dark screen and on a large light one", async ({
    expect,
  }) => {
    const { page, complaints } = await open(path, SCREENS[0]);
    await page.getByRole("heading", { name: title }).waitFor();
    expect(await look(page)).toEqual(WHOLE_AND_ACCESSIBLE);
    // The page itself is the one thing that is not there.
    expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
    expect(complaints.length).toBe(status === 404 ? 2 : 0);
    await page.getByRole("main").getByRole("link", { name: "First sale" }).click();
    await page.waitForURL("**/docs/first-sale");
    await page.close();
  });
});

describe("the commands of a page", () => {
  const FIRST_SALE = "/docs/first-sale";

  it("have the address of the gateway that serves them, in every language", async ({ expect }) => {
    const { page, complaints } = await open(FIRST_SALE, SCREENS[1]);
    const { baseUrl } = inject("gateway");
    expect(baseUrl).not.toContain(":8787");
    const code = page.locator(".code code");
    await expect.poll(async () => (await code.allInnerTexts()).join()).toContain(`GATEWAY_URL=${baseUrl}`);
    const texts = (await code.allInnerTexts()).join();
    expect(texts).toContain(`baseUrl: "${baseUrl}"`);
    expect(texts).not.toContain(":8787");
    // No demo runs here.
    expect(texts).toContain(". .wrangler/state/demo.env");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("of the tools have the running demo's data folder, where they find its port", async ({ expect }) => {
    const page = await browser.newPage();
    await page.route("**/docs/demo.json", (route) => route.fulfill({ json: { file: "/data/the shop/demo.env" } }));
    const { baseUrl } = inject("gateway");
    await page.goto(`${baseUrl}/docs/tools`);
    const code = page.locator(".code code");
    const settings = "PERSIST_TO='/data/the shop' ";
    await expect
      .poll(async () => (await code.allInnerTexts()).join("\n"))
      .toContain(`${settings}npm run pos -- sale 12.50`);
    const texts = (await code.allInnerTexts()).join("\n");
    for (const tool of ["pos", "operator", "terminal", "simulate", "conformance"]) {
      expect(texts).toContain(`${settings}npm run ${tool} -- `);
      expect(texts).not.toMatch(new RegExp(`^npm run ${tool} --`, "mu"));
    }
    expect(texts).toContain("--env '/data/the shop'/conformance/");
    await page.close();
  });

  it("of the tools stay as they are on the usual folder's demo, whatever its port, and without one", async ({
    expect,
  }) => {
    const page = await browser.newPage();
    for (const file of ["/clone/.wrangler/state/demo.env", null]) {
      await page.unroute("**/docs/demo.json");
      await page.route("**/docs/demo.json", (route) => route.fulfill({ json: { file } }));
      const asked = page.waitForResponse("**/docs/demo.json");
      await page.goto(`${inject("gateway").baseUrl}/docs/tools`);
      await (await asked).finished();
      const texts = (await page.locator(".code code").allInnerTexts()).join("\n");
      expect(texts).toMatch(/^npm run pos -- sale/mu);
      expect(texts).not.toMatch(/PORT|PERSIST_TO/u);
    }
    await page.close();
  });
});

describe("code in several languages", () => {
  it("is shown in the one that the reader has chosen, on every page", async ({ expect }) => {
    const { page, complaints } = await open("/docs/close-the-day", SCREENS[0]);
    const shown = page.locator(".tabs > .code:visible");
    const languages = (): Promise<unknown[]> => shown.evaluateAll((all) => all.map((one) => one.dataset.language));
    expect(await languages()).toEqual(["js"]);
    await page.getByRole("radio", { name: "JavaScript" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await languages()).toEqual(["python"]);
    await visit(page, "/docs/recovery");
    expect(new Set(await languages())).toEqual(new Set(["python"]));
    expect(await shown.count()).toBe(3);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe("the sections of a page", () => {
  it("are listed at every width", async ({ expect }) => {
    const { height } = SCREENS[0];
    const { page } = await open("/docs/reference-terminal", SCREENS[0]);
    for (const width of [380, 1_000, 1_280, 1_440]) {
      await page.setViewportSize({ width, height });
      await page.evaluate("history.replaceState(null, '', location.pathname); scrollTo(0, 0)");
      const links = page.locator('nav a[href="#result"]:visible');
      expect(await links.count(), `at ${width}`).toBe(1);
      await links.click();
      expect(new URL(page.url()).hash, `at ${width}`).toBe("#result");
    }
    await page.close();
  });
});

describe("a family of calls in the HTTP reference", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(`${FAMILIES}session`, SCREENS[1]);
  });
  afterAll(async () => {
    await opened.page.close();
  });

  it("is complete and accessible on a small dark screen and on a large light one", async ({ expect }) => {
    const { page, complaints } = opened;
    expect(await look(page, "{ exclude: ['#reference'] }")).toEqual(WHOLE_AND_ACCESSIBLE);
    // Scalar's own markup keeps the rules of WCAG, and not every practice that axe thinks best.
    const rules = `{ resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }`;
    expect(
      await page.evaluate(`axe.run("#reference", ${rules}).then(({ violations }) => violations.map(({ id }) => id))`),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("has its calls where the search says they are, and no others", async ({ expect }) => {
    const { page, complaints } = opened;
    const response = await fetch(`${inject("gateway").baseUrl}/docs/search.json`);
    const entries = await response.json<SearchEntry[]>();
    const hashes = entries.flatMap(({ href }) =>
      href.startsWith(`${FAMILIES}session#`) ? [new URL(href, "http://x").hash] : [],
    );
    expect(hashes.length).toBe(3);
    await page.evaluate(`location.hash = ${JSON.stringify(hashes[1])}`);
    await page.locator(`aside a[aria-current="page"][href=${JSON.stringify(hashes[1])}]`).waitFor();
    const listed = "[...document.querySelectorAll('aside a')].map((link) => link.getAttribute('href'))";
    const calls = (await page.evaluate<string[]>(listed)).filter((hash) => /^#tag\/.*\//u.test(hash));
    expect(calls).toEqual(hashes);
    expect(complaints).toEqual([]);
  });

  it("logs in to the gateway that serves it, and another makes a sale, signed with a key that is not sent; neither stores anything", async ({
    expect,
  }) => {
    const account = await createAccount();
    const { posId, merchantId, password, signingKey } = account;
    const terminal = await boundTerminal(account);
    const device = new SimulatedTerminal({ baseUrl: inject("gateway").baseUrl, ...terminal });
    await device.start();
    const { page, complaints } = opened;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers(), request.postData()])));
    const dialog = page.getByRole("dialog");
    const answer = dialog.locator(".cm-content").last();
    const send = dialog.getByRole("button", { name: /^Send/u }).first();
    const write = async (body: object): Promise<void> => {
      await dialog.locator(".cm-content").first().click();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(JSON.stringify(body));
    };

    await page.evaluate("location.hash = '#tag/session/POST/auth/login'");
    await page.getByRole("button", { name: "Test Request (post /auth/login)" }).click();
    await write({ posId, password });
    await send.click();
    await dialog.getByText("200 OK").waitFor();
    const { access } = JSON.parse(await answer.innerText()) as { access: { token: string } };

    await visit(page, `${FAMILIES}transfers#tag/transfers/POST/api/transfer`);
    const test = page.getByRole("button", { name: "Test Request (post /api/transfer)", exact: true });
    await test.click();
    await dialog.getByPlaceholder("Token").fill(access.token);
    const request = { ...EXAMPLES.sale.request, posId, merchantId, deviceId: terminal.terminalId };
    await write(request);
    await send.click();
    await page.getByText("enter the key at the top of the page").first().waitFor();
    expect(sent.filter((one) => one.includes(terminal.terminalId))).toEqual([]);
    expect(complaints.splice(0)).toEqual([expect.stringContaining("This call is signed")]);
    await page.keyboard.press("Escape");
    await page.getByLabel("Signing key").fill(signingKey);
    await test.click();
    await send.click();
    await dialog.getByText("200 OK").waitFor();
    const sale = JSON.parse(await answer.innerText()) as { referenceId: string };
    expect(sale).toMatchObject({ statusCode: "00", transData: { transAmt: request.transData.transAmt } });
    expect(sale.referenceId).not.toBe(request.referenceId);
    expect(sent.filter((one) => one.includes(terminal.terminalId))).toHaveLength(1);
    expect(sent.filter((one) => one.includes(signingKey))).toEqual([]);
    await device.stop();

    expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("sends the demo's identifiers where the demo runs, and no optional parameter that nobody switched on", async ({
    expect,
  }) => {
    const page = await browser.newPage({ viewport: SCREENS[1] });
    await page.route("**/docs/demo.json", (route) => route.fulfill({ json: { file: "/data/demo.env" } }));
    await visit(page, `${FAMILIES}transfers#tag/transfers/POST/api/transfer`);
    await page.getByLabel("Signing key").fill("any key");
    await page.getByRole("button", { name: "Test Request (post /api/transfer)", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByPlaceholder("Token").fill("any token");
    const sent = page.waitForRequest("**/api/transfer");
    await dialog.getByRole("button", { name: /^Send/u }).first().click();
    const request = await sent;
    expect(request.postDataJSON()).toMatchObject(DEMO);
    expect(await request.allHeaders()).not.toHaveProperty("prefer");
    await page.close();
  });
});

describe("the search", () => {
  it("leads to a call of the HTTP reference, even with a typing error", async ({ expect }) => {
    const { page, complaints } = await open("/docs", SCREENS[1]);
    await page.keyboard.press("/");
    await page.keyboard.type("ewalet-chanels");
    await page.getByRole("link", { name: "GET /api/ewallet-channels" }).first().click();
    await page.locator('aside a[aria-current="page"][href="#tag/wallets/GET/api/ewallet-channels"]').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("finds a code in its section, with the keyboard alone", async ({ expect }) => {
    const { page, complaints } = await open("/docs", SCREENS[1]);
    await page.keyboard.press("/");
    await page.keyboard.type("terminal_lost");
    await page.getByRole("link", { name: "Codes of the gateway" }).last().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/outcomes#codes-of-the-gateway");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
