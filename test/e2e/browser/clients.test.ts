/** The clients in a browser page: bundled from the installed package, in a real Chromium, at a real gateway. */
import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, inject, it } from "vitest";
import { connect, serve } from "../../support/chromium.ts";
import { createAccount, enrolTerminal, freshProject, posOf } from "../../support/fresh-project.ts";
import { ROOT } from "../../support/outside.ts";

/** The script of a shop's page; tests call its functions by name. */
const PAGE = `
import { IndexedDbStore } from "payment-terminal-client/indexed-db-store";
import { PosClient, PosError, newReferenceId } from "payment-terminal-client/pos";
import { TerminalClient } from "payment-terminal-client/terminal";

let store;
Object.assign(window, {
  open(name) { store = new IndexedDbStore(name); return store.load(); },
  save: (memory) => store.save(memory),
  leave: () => store.close(),
  async startTerminal(settings, bindKey) {
    const handler = {
      async onRequest(request, { reachedHost }) {
        await reachedHost();
        return { statusCode: "00", responseCode: "00", transData: { paymentChannel: "VISA", invNo: "000001" } };
      },
    };
    const store = new IndexedDbStore(settings.terminalId);
    const client = new TerminalClient({ ...settings, store, handler, softwareVersion: "page 1", terminalSn: "SN-1" });
    await client.start();
    await client.connected();
    return (await client.bind(bindKey)).ok;
  },
  async sell(settings, deviceId, referenceId = newReferenceId()) {
    const states = [];
    const onProgress = ({ state }) => states.push(state);
    const request = { deviceId, referenceId, transAmt: "12.50", paymentMethod: "bankCard" };
    try {
      const answer = await new PosClient(settings).sale(request, { onProgress, within: 30_000 });
      return { answer, states };
    } catch (error) {
      return { problem: error instanceof PosError ? error.problem : String(error) };
    }
  },
});
`;

/** The README's component, in a page with Preact in the place of React. */
const PAY = `
import { render } from "preact";
import { act } from "preact/test-utils";
import { PosClient } from "payment-terminal-client/pos";
import { Pay } from "./pay.jsx";

Object.assign(window, {
  async pay(settings, props) {
    const pay = <Pay pos={new PosClient(settings)} {...props} />;
    // As React's strict mode does: the effect runs, is undone, and runs again.
    for (const element of [pay, null, pay]) await act(() => render(element, document.body));
  },
});
`;

let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let context: BrowserContext;

beforeAll(async () => {
  const project = await freshProject();
  await writeFile(join(project, "page.js"), PAGE);
  const readme = await readFile(join(ROOT, "src", "sdk", "README.md"), "utf8");
  await writeFile(join(project, "pay.jsx"), /^```jsx\n(.*?)^```$/msu.exec(readme)?.[1] ?? "");
  await writeFile(join(project, "shop.jsx"), PAY);
  const bundle = await build({
    absWorkingDir: project,
    entryPoints: ["page.js", "shop.jsx"],
    outdir: project,
    bundle: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { react: "preact/compat" },
    nodePaths: [join(ROOT, "node_modules")],
    write: false,
  });
  const [page = "", shop = ""] = bundle.outputFiles.map(({ text }) => text);
  site = await serve({
    "/": '<script type="module" src="/page.js"></script><script type="module" src="/shop.js"></script><body></body>',
    "/page.js": page,
    "/shop.js": shop,
  });
  browser = await connect();
});

afterAll(async () => {
  await browser.close();
  await site.end();
});

beforeEach(async () => {
  context = await browser.newContext();
});

afterEach(async () => {
  await context.close();
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.origin);
  await page.waitForFunction("'sell' in window");
  return page;
}

/** Calls one of the page's functions; returns an error as text. */
function call(page: Page, name: string, ...args: unknown[]): Promise<unknown> {
  const written = args.map((arg) => JSON.stringify(arg)).join(", ");
  return page.evaluate(`${name}(${written}).catch((error) => "failed: " + error.message)`);
}

const MEMORY = {
  terminalId: "T-1",
  gateway: "https://gateway.test",
  memory: "memory-1",
  highestAccepted: "1000000001",
  held: [],
};

describe("a terminal's memory in IndexedDB", () => {
  it("is null before anything is saved, and comes back after a reload", async ({ expect }) => {
    const page = await openPage();
    expect(await call(page, "open", "T-1")).toBeNull();
    await call(page, "save", MEMORY);
    await page.reload();
    await page.waitForFunction("'sell' in window");
    expect(await call(page, "open", "T-1")).toEqual(MEMORY);
    await call(page, "save", { ...MEMORY, highestAccepted: "1000000002" });
    await page.close();
    expect(await call(await openPage(), "open", "T-1")).toEqual({ ...MEMORY, highestAccepted: "1000000002" });
  });

  it("is separate for each terminal", async ({ expect }) => {
    const page = await openPage();
    await call(page, "open", "T-1");
    await call(page, "save", MEMORY);
    expect(await call(page, "open", "T-2")).toBeNull();
  });

  it("belongs to one tab at a time", async ({ expect }) => {
    const [first, second] = [await openPage(), await openPage()];
    await call(first, "open", "T-1");
    expect(await call(second, "open", "T-1")).toContain("another page of this browser");
    await call(first, "leave");
    expect(await call(second, "open", "T-1")).toBeNull();
    await second.close();
    expect(await call(first, "open", "T-1")).toBeNull();
  });
});

describe("a page with both clients", () => {
  it("approves a sale of its POS at its terminal", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const { key } = await posOf(account).bindKey();
    const [terminal, pos] = [await openPage(), await openPage()];
    expect(await call(terminal, "startTerminal", { baseUrl, terminalId, secret }, key)).toBe(true);
    expect(await call(pos, "sell", { baseUrl, ...account }, terminalId)).toMatchObject({
      answer: { statusCode: "00", softwareVersion: "page 1", transData: { transAmt: "12.50" } },
      // Once a second until the sale ends.
      states: expect.toSatisfy((states: string[]) => new Set(states).size === 1 && states[0] === "asking"),
    });
  });

  it("keeps the results of its terminal when it reloads", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const pos = posOf(account);
    const settings = { baseUrl, terminalId, secret };
    const terminal = await openPage();
    await call(terminal, "startTerminal", settings, (await pos.bindKey()).key);
    const request = { deviceId: terminalId, referenceId: "R-1", transAmt: "5.00", paymentMethod: "bankCard" } as const;
    const first = await pos.sale(request);
    await terminal.reload();
    await terminal.waitForFunction("'sell' in window");
    await call(terminal, "startTerminal", settings, "");
    expect((await pos.sale({ ...request, referenceId: "R-2" })).statusCode).toBe("00");
    expect((await pos.sale(request)).transData?.transId).toBe(first.transData?.transId);
  });

  it("reports a wrong password as such", async ({ expect }) => {
    const account = await createAccount();
    const { baseUrl } = inject("gateway");
    const pos = await openPage();
    const settings = { ...account, baseUrl, password: "not the password" };
    expect(await call(pos, "sell", settings, "T-1")).toMatchObject({ problem: { kind: "unauthorized", status: 401 } });
  });
});

describe("the README's React component", () => {
  it("takes one payment although its effect runs twice", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const pos = posOf(account);
    const [terminal, shop] = [await openPage(), await openPage()];
    await call(terminal, "startTerminal", { baseUrl, terminalId, secret }, (await pos.bindKey()).key);
    const props = { deviceId: terminalId, transAmt: "12.50", referenceId: "R-REACT" };
    await call(shop, "pay", { baseUrl, ...account }, props);
    await shop.waitForFunction("document.querySelector('[role=status]')?.textContent === 'Paid'");
    const { data } = await pos.totals();
    expect(data).toMatchObject([{ transType: "sale", approved: { count: 1, transAmt: "12.50" } }]);
  });
});
