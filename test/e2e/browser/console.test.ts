/** The console's page as a whole: its storage, its network calls, its accessibility and its size. */
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, inject, it } from "vitest";
import { violations } from "../../support/accessibility.ts";
import { connect, VIEWPORT } from "../../support/chromium.ts";
import { button, type ConsolePage, openConsole, sell, send, signInBoth, standing } from "../../support/console-page.ts";
import { readVars } from "../../../src/sdk/command-line/settings.ts";
import { freePort } from "../../support/free-port.ts";
import { createAccount, type OutsideAccount } from "../../support/fresh-project.ts";
import { Program } from "../../support/program.ts";
import { ROOT } from "../../support/outside.ts";

/** Bytes of the whole page, compressed as a server would. */
const PAGE_BYTES = 100_000;

let browser: Browser;
/** One page for all tests, except those that say why not: opening a page takes longer than most tests. */
let common: ConsolePage;

beforeAll(async () => {
  browser = await connect();
  common = await openConsole(browser);
});

afterAll(async () => {
  await browser.close();
});

interface Shop extends ConsolePage {
  account: OutsideAccount;
  secrets: string[];
}

/** A reloaded console, with both halves of a new account signed in and bound. */
async function newShop(page = common): Promise<Shop> {
  if (page === common) left = null;
  const account = await createAccount();
  await page.anew();
  const terminal = await signInBoth(page, account);
  return { ...page, account, secrets: [account.password, account.signingKey, terminal.secret] };
}

/** The state that the previous test left, if it is ready for another payment. */
let left: Shop | null = null;

/** The same as the previous test left it: signing in takes longer than most payments. */
async function openShop(viewport = VIEWPORT): Promise<Shop> {
  left ??= await newShop();
  await left.page.setViewportSize(viewport);
  return left;
}

beforeEach(({ onTestFailed }) => onTestFailed(() => void (left = null)));

/** The id of the terminal that the demo has given to this browser. */
function demoTerminalOf({ terminal }: ConsolePage): Promise<string> {
  return terminal.getByText(/^T-CONSOLE-/u).innerText();
}

interface Place {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Its position in the window, which may be out of view. */
function placeOf(part: Locator): Promise<Place> {
  return part.evaluate((element) => element.getBoundingClientRect().toJSON());
}

/** All that the browser keeps for the page beyond its life. */
const KEPT = `(async () => {
  const kept = { local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie, databases: {} };
  for (const { name } of await indexedDB.databases()) {
    const database = await new Promise((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    for (const store of database.objectStoreNames) {
      const reading = database.transaction(store).objectStore(store).getAll();
      kept.databases[name + "/" + store] = await new Promise((resolve) => {
        reading.onsuccess = () => resolve(reading.result);
      });
    }
    database.close();
  }
  return JSON.stringify(kept);
})()`;

function openPayments(kept: string): unknown[] {
  const databases = Object.entries(JSON.parse(kept).databases);
  return databases.filter(([name]) => name.startsWith("open payments")).map(([, payments]) => payments);
}

describe("what the console keeps", () => {
  it("keeps terminal memory and open payments in IndexedDB, and no secret anywhere", async ({ expect }) => {
    // In a new browser, in which no other account has stored anything.
    const shop = await newShop(await openConsole(browser));
    const tokens = new Set<string>();
    shop.page.on("request", (request) => tokens.add(request.headers()["authorization"]?.replace("Bearer ", "") ?? ""));
    await sell(shop, "2.00");
    const kept = String(await shop.page.evaluate(KEPT));
    expect(JSON.parse(kept)).toMatchObject({ local: {}, session: {}, cookies: "" });
    expect(Object.keys(JSON.parse(kept).databases).length).toBeGreaterThan(0);
    expect(kept).toContain("highestAccepted");
    expect(openPayments(kept)).toEqual([[]]);
    await send(shop, { amount: "3.00" });
    await button(shop.terminal, "Tap").click({ trial: true });
    const open = String(await shop.page.evaluate(KEPT));
    expect(openPayments(open)).toMatchObject([[{ call: { request: { transAmt: "3.00" } } }]]);
    tokens.delete("");
    expect(tokens.size).toBeGreaterThan(0);
    for (const secret of [...shop.secrets, ...tokens]) expect(kept + open).not.toContain(secret);
    await shop.page.reload();
    await button(shop.pos, "Sign in").waitFor();
    await shop.close();
  });
});

describe("the console under its policy", () => {
  it("calls only its own origin, and violates no rule", async ({ expect }) => {
    const shop = await newShop();
    await sell(shop, "2.00");
    expect([...shop.origins]).toEqual([inject("gateway").baseUrl]);
    expect(shop.complaints).toEqual([]);
  });

  it("cannot call, load or write anything else", async ({ expect }) => {
    left = null;
    const { page, complaints, anew } = common;
    await anew();
    const tried = await page.evaluate(`Promise.all([
      fetch("https://example.com/").then(() => "went", () => "stopped"),
      new Promise((resolve) => {
        const script = document.createElement("script");
        script.onload = () => resolve("ran");
        script.onerror = () => resolve("stopped");
        try { script.src = "https://example.com/x.js"; document.head.append(script); } catch { resolve("stopped"); }
      }),
      new Promise((resolve) => {
        try { document.body.innerHTML = "<p>x</p>"; resolve("set"); } catch { resolve("stopped"); }
      }),
    ])`);
    expect(tried).toEqual(["stopped", "stopped", "stopped"]);
    expect(complaints.length).toBeGreaterThan(0);
  });
});

describe("the console for everybody", () => {
  it("violates no accessibility rule, light or dark, on every screen", async ({ expect, onTestFinished }) => {
    onTestFinished(() => common.page.emulateMedia({ colorScheme: null }));
    left = null;
    await common.anew();
    expect(await violations(common.page), "signed out").toEqual([]);
    const shop = await newShop();
    const { page, pos, terminal } = shop;
    expect(await violations(page), "signed in").toEqual([]);
    await send(shop, { amount: "1,5" });
    expect(await violations(page), "a field to fix").toEqual([]);
    await send(shop, { amount: "2.00" });
    await button(terminal, "Tap").click({ trial: true });
    expect(await violations(page), "in progress").toEqual([]);
    await button(terminal, "Tap").click();
    await standing(shop, "Approved");
    await pos.getByText("What is signed").click();
    await button(pos, "New transaction").click();
    await pos.getByText("More fields").click();
    expect(await violations(page), "approved").toEqual([]);
    await send(shop, { amount: "3.00" });
    await button(pos, "Cancel").click();
    await standing(shop, "Not approved");
    expect(await violations(page), "not approved").toEqual([]);
  });
});

describe("the console's layout", () => {
  it("fits every width, without scrolling sideways", async ({ expect }) => {
    const shop = await openShop();
    await sell(shop, "2.00");
    for (const width of [360, 480, 768, 960, 1280, 1600]) {
      await shop.page.setViewportSize({ width, height: 800 });
      const [content, room] = await shop.page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      expect(content, `at ${width}`).toBeLessThanOrEqual(room);
    }
  });

  it("fits the customer's buttons and the answer above a laptop's fold", async ({ expect }) => {
    const laptop = { width: 1366, height: 768 };
    const shop = await openShop(laptop);
    await shop.page.evaluate("scrollTo(0, 0)");
    await send(shop, { amount: "2.00" });
    const screen = await placeOf(shop.terminal.getByLabel("Screen"));
    for (const name of ["Tap", "Insert", "Swipe", "Key in", "Scan", "Wrong PIN"]) {
      const { left: start, top, bottom } = await placeOf(button(shop.terminal, name));
      expect([name, start >= screen.right, top >= screen.top, bottom <= screen.bottom]).toEqual([
        name,
        true,
        true,
        true,
      ]);
    }
    expect(screen.bottom).toBeLessThan(laptop.height);
    expect((await placeOf(button(shop.terminal, "OK"))).bottom).toBeLessThan(laptop.height);
    await button(shop.terminal, "Tap").click();
    await standing(shop, "Approved");
    expect((await placeOf(shop.pos.getByText("Approved", { exact: true }).first())).bottom).toBeLessThan(laptop.height);
    expect(await shop.page.evaluate("scrollY")).toBe(0);
  });
});

describe("the console's masthead", () => {
  it("links to the start page and documentation in new tabs, and back", async ({ expect }) => {
    left = null;
    const { page, anew } = common;
    await anew();
    const open = async (name: string): Promise<Page> => {
      const [opened] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name }).click(),
      ]);
      await opened.getByRole("heading", { level: 1 }).waitFor();
      return opened;
    };
    const [start, documentation] = [await open("Start"), await open("Docs")];
    expect(new URL(start.url()).pathname).toBe("/");
    expect(new URL(documentation.url()).pathname).toMatch(/^\/docs\/?$/u);
    await documentation.getByRole("banner").getByRole("link", { name: "Payment terminal gateway" }).click();
    await documentation.getByRole("link", { name: "Console" }).click();
    await documentation.getByRole("heading", { name: "Virtual terminal" }).waitFor();
    await Promise.all([start.close(), documentation.close()]);
  });
});

describe("the console's files", () => {
  it("are small, and contain no other site's address", async ({ expect }) => {
    const folder = join(ROOT, "dist", "site", "console");
    const names = await readdir(folder);
    expect(names.toSorted()).toEqual(["icon.svg", "index.html", "main.js", "style.css"]);
    const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
    const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
    expect(bytes).toBeLessThan(PAGE_BYTES);
    const addresses = files.join("\n").match(/https?:\/\/[\w.-]+/gu) ?? [];
    // Names of XML namespaces, which are never requested; and this machine, for the demo.
    const known = ["http://www.w3.org", "http://127.0.0.1", "http://localhost"];
    expect(addresses.filter((address) => !known.includes(address))).toEqual([]);
  });
});

describe("the link that npm start prints", () => {
  it("says so if a part of it is missing", async () => {
    const { page, close } = await openConsole(browser);
    await page.evaluate(`location.hash = "#demo=41783.e2T7VCG"`);
    await page.getByText("This link is not complete.").waitFor();
    await close();
  });

  it("opens a signed-in, bound console, also after reloads, until npm start ends", async ({ expect }) => {
    const port = await freePort();
    const persistTo = await mkdtemp(join(inject("gateway").folder, "demo-"));
    const env = { PORT: String(port), PERSIST_TO: persistTo };
    const start = new Program(["src/tools/development/start.ts"], { cwd: ROOT, env });
    try {
      await start.says("Starting the gateway");
      await start.says("#demo=");
      const shown = await fetch(`http://127.0.0.1:${port}/docs/demo.json`);
      expect(await shown.json()).toEqual({ file: join(persistTo, "demo.env") });
      const link = /http:\/\/\S+#demo=\S+/u.exec(start.output)?.[0] ?? "";
      const shop = await openConsole(browser, {}, link);
      const terminals = new Set<string>();
      for (const time of ["opened", "reloaded"]) {
        await shop.terminal.getByText("Online").waitFor();
        terminals.add(await demoTerminalOf(shop));
        await shop.pos.getByText("Connected.", { exact: true }).waitFor();
        await sell(shop, "2.00");
        expect([time, shop.complaints]).toEqual([time, []]);
        await shop.page.reload();
      }
      await shop.terminal.getByText("Online").waitFor();
      expect(terminals.size, "a browser keeps its terminal").toBe(1);
      const kept = String(await shop.page.evaluate(KEPT));
      const { PASSWORD, SIGNING_KEY } = Object.fromEntries(await readVars(join(persistTo, "demo.env")));
      const file = await readFile(join(persistTo, "console-terminals.json"), "utf8");
      const secrets = [PASSWORD, SIGNING_KEY, /"terminalSecret": "([^"]+)"/u.exec(file)?.[1]];
      for (const secret of secrets) {
        expect(secret?.length).toBeGreaterThan(20);
        expect(kept).not.toContain(secret);
      }
      const other = await openConsole(browser, {}, link);
      await other.terminal.getByText("Online").waitFor();
      expect(await demoTerminalOf(other), "two browsers have two terminals").not.toBe(await demoTerminalOf(shop));
      await Promise.all([sell(shop, "3.00"), sell(other, "4.00")]);
      await Promise.all([shop.close(), other.close()]);
      const stranger = await openConsole(browser, {}, link.slice(0, -4));
      await stranger.page.getByText("This link belongs to a gateway that has ended.").waitFor();
      await button(stranger.pos, "Sign in").waitFor();
      await stranger.close();
      expect(await start.end("SIGTERM"), start.output).toBe(0);
    } finally {
      await start.end("SIGTERM");
      await rm(persistTo, { recursive: true, force: true });
    }
  });
});
