/** The documentation in a real browser: readable by everybody, on every screen, without a word to anybody else. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { launch } from "../../support/chromium.ts";
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

let browser: Browser;
let axe: string;

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
});

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** Opens a page with everything unfolded, and notes what it complains of and whom it asks. */
async function open(path: string, screen: Screen): Promise<{ page: Page; complaints: string[] }> {
  const { baseUrl } = inject("gateway");
  const { width, height, colorScheme } = screen;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
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
  await page.goto(baseUrl + path, { waitUntil: "load" });
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  return { page, complaints };
}

for (const path of docsPages().keys()) {
  describe(path, () => {
    for (const screen of SCREENS) {
      it(`is whole and accessible at ${screen.width} pixels, ${screen.colorScheme}`, async ({ expect }) => {
        const { page, complaints } = await open(path, screen);
        // Wide tables and code scroll by themselves.
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(screen.width);
        // What the debugger evaluates is not under the page's own policy.
        await page.evaluate(axe);
        const violations = await page.evaluate<Violation[]>("axe.run().then((result) => result.violations)");
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120) ?? ""}`)).toEqual([]);
        expect(complaints).toEqual([]);
        await page.close();
      });
    }
  });
}

describe("the sections of a page", () => {
  it.for([380, 1_000, 1_280, 1_440])("are listed at %i pixels", async (width, { expect }) => {
    const { page } = await open("/docs/reference", { ...SCREENS[0], width });
    const links = page.locator('nav a[href="#post-api-transfer"]:visible');
    expect(await links.count()).toBe(1);
    await links.click();
    expect(new URL(page.url()).hash).toBe("#post-api-transfer");
    await page.close();
  });
});

describe("the search", () => {
  it("finds a code in its section, by the keyboard alone", async ({ expect }) => {
    const { page, complaints } = await open("/docs", SCREENS[1]);
    await page.keyboard.press("/");
    await page.keyboard.type("terminal_lost");
    await page.getByRole("link", { name: "Codes that the gateway makes" }).last().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/outcomes#codes-that-the-gateway-makes");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
