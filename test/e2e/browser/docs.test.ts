/** The documentation in a real browser: accessible, on every screen, without calls to other origins. */
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, inject, it, vi } from "vitest";
import { passOverKnownLooks } from "../../support/accessibility.ts";
import { connect } from "../../support/chromium.ts";
import { PATIENCE } from "../../support/patience.ts";
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

/** The blocks of code. */
const CODE = ".vp-doc div[class*=language-] code";

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

describe("the documentation on a small dark screen and on a large light one", () => {
  // One after the other in the same tab, as a reader goes: a new one for each would take as long as the rest.
  let opened: Opened;
  beforeAll(async () => {
    opened = await watched(SCREENS[0]);
  });
  afterAll(async () => {
    await opened.page.close();
  });
  for (const path of [...docsPages().keys()].filter((one) => !/404|index/u.test(one)).concat("/docs/")) {
    it(`fits both screens and is accessible: ${path}`, async ({ expect }) => {
      const { page, complaints } = opened;
      complaints.length = 0;
      await visit(page, path);
      expect(await look(page)).toEqual(WHOLE_AND_ACCESSIBLE);
      expect(complaints).toEqual([]);
    });
  }
});

describe("the start page of the gateway", () => {
  it("fits both screens, is accessible, and links to the first sale", async ({ expect }) => {
    const { page, complaints } = await open("/", SCREENS[0]);
    await page.getByRole("heading", { name: "The gateway is up" }).waitFor();
    expect(await look(page)).toEqual(WHOLE_AND_ACCESSIBLE);
    await page.getByRole("main").getByRole("link", { name: "First sale" }).click();
    await page.waitForURL("**/docs/first-sale");
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe("the files of the documentation", () => {
  it("are served under a policy that runs only their own scripts", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    for (const path of ["/docs", "/docs/signatures", "/docs/reference/session", "/docs/there-is-no-such-page"]) {
      const response = await fetch(baseUrl + path, { headers: { Accept: "text/html" } });
      expect([path, response.status]).toEqual([path, path.endsWith("no-such-page") ? 404 : 200]);
      expect(response.headers.get("Content-Type")).toContain("text/html");
      expect(response.headers.get("Content-Security-Policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }
    const missing = await fetch(`${baseUrl}/docs/there-is-no-such-page`);
    expect([missing.status, missing.headers.get("Content-Type")]).toEqual([404, "application/json"]);
    const example = await fetch(`${baseUrl}/docs/examples/pos/pos.py`);
    expect(await example.text()).toContain("# region sign");
  });
});

describe("the commands of a page", () => {
  const FIRST_SALE = "/docs/first-sale";

  it("have the address of the gateway that serves them, in every language", async ({ expect }) => {
    const { page, complaints } = await open(FIRST_SALE, SCREENS[1]);
    const { baseUrl } = inject("gateway");
    expect(baseUrl).not.toContain(":8787");
    const code = page.locator(CODE);
    await expect.poll(async () => (await code.allInnerTexts()).join()).toContain(`GATEWAY_URL=${baseUrl}`);
    const texts = (await code.allInnerTexts()).join();
    expect(texts).toContain(`baseUrl: "${baseUrl}"`);
    expect(texts).not.toContain(":8787");
    // No demo runs here.
    expect(texts).toContain(". .wrangler/state/demo.env");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("name the running demo's data folder, where the tools find its port", async ({ expect }) => {
    const page = await browser.newPage();
    await page.route("**/docs/demo.json", (route) => route.fulfill({ json: { file: "/data/the shop/demo.env" } }));
    const { baseUrl } = inject("gateway");
    await page.goto(`${baseUrl}/docs/tools`);
    const code = page.locator(CODE);
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
});

/** The page listens only once its script has run. */
async function openSearch(page: Page): Promise<void> {
  const box = page.getByRole("searchbox");
  await vi.waitFor(
    async () => {
      if (!(await box.isVisible())) await page.keyboard.press("/");
      if (!(await box.isVisible())) throw new Error("the search is not open");
    },
    { timeout: PATIENCE },
  );
}

describe("the search", () => {
  it("finds a call of the HTTP reference despite a typing error", async ({ expect }) => {
    const { page, complaints } = await open("/docs/", SCREENS[1]);
    await openSearch(page);
    await page.keyboard.type("ewalet-chanels");
    await page.getByRole("option", { name: "Wallets" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/reference#wallets");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
