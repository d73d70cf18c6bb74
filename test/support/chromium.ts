import { createServer } from "node:http";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { inject } from "vitest";
import { PATIENCE } from "./patience.ts";

const connected: Browser[] = [];

/** Every page that the tests of this process have open. */
export function openPages(): Page[] {
  return connected.flatMap((browser) => browser.contexts().flatMap((context) => context.pages()));
}

/** The browser that all files share, for one of them. Its `close()` closes what this file has opened there. */
export async function connect(): Promise<Browser> {
  const { browser: address } = inject("gateway");
  if (address === null) throw new Error("there is no browser: see chromium-server.ts");
  const browser = await chromium.connect(address, { timeout: PATIENCE });
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE));
  connected.push(browser);
  browser.on("disconnected", () => void connected.splice(connected.indexOf(browser), 1));
  return browser;
}

/** Shortens what the console's terminal takes for a step, and waits before it connects again, to a tenth. */
export async function withoutPauses(context: BrowserContext): Promise<void> {
  await context.addInitScript(`const { setTimeout } = window;
    window.setTimeout = (callback, delay = 0, ...args) =>
      setTimeout(callback, delay >= 200 && delay < 1000 ? delay / 10 : delay, ...args);`);
}

export interface WatchedPage {
  page: Page;
  /** What the browser complained about: broken rules of the page's policy, exceptions, failed files. */
  complaints: string[];
  /** The origins that the page has asked for anything. */
  origins: Set<string>;
  close: () => Promise<void>;
}

export const VIEWPORT = { width: 1280, height: 900 };

/** A page that is nowhere yet. @param isComplaint whether an error on the browser's console counts */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions,
  isComplaint: (text: string) => boolean = () => true,
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: VIEWPORT, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error" && isComplaint(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  page.on("websocket", (socket) => origins.add(new URL(socket.url()).origin.replace("ws", "http")));
  return { page, complaints, origins, close: () => context.close() };
}

/** Serves texts by their path at the origin that may call the gateway. Returns the origin, and what ends it. */
export async function serve(files: Record<string, string>): Promise<{ origin: string; end: () => Promise<void> }> {
  const { pagePort } = inject("gateway");
  const server = createServer((request, response) => {
    const text = files[request.url ?? ""];
    const type = request.url?.endsWith(".js") === true ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "Content-Type": `${type}; charset=utf-8` });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(pagePort, "127.0.0.1", resolve));
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${pagePort}`, end };
}
