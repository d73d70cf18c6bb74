/** The built documentation is complete, consistent and in step with the code. */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { documentationOf, ERROR_CODES, ERROR_PAGE } from "../../src/protocol/errors.ts";
import { FRAME_ERRORS } from "../../src/protocol/frames.ts";
import { GATEWAY_CODES } from "../../src/protocol/gateway-codes.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../src/protocol/lengths.ts";
import { behaviourFor } from "../../src/simulator/behaviour.ts";
import { finder, type SearchEntry } from "../../src/docs/find.ts";
import { buildSite, docsPages, isServed, textOf } from "../support/site.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
let pages: Map<string, string>;

beforeAll(() => {
  buildSite();
  pages = docsPages();
});

function page(path: string): string {
  const found = pages.get(path);
  if (found === undefined) throw new Error(`There is no page ${path}.`);
  return found;
}

function source(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The requests a minute that a limit of wrangler.toml admits. */
function rateOf(name: string): string | undefined {
  return new RegExp(`name = "${name}"[^[]*?limit = (\\d+), period = 60`, "u").exec(source("wrangler.toml"))?.[1];
}

/** Every TypeScript file below src. */
function sources(): string[] {
  return readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => source(join("src", name)));
}

function searched(): SearchEntry[] {
  return JSON.parse(source("dist/site/docs/search.json")) as SearchEntry[];
}

/** `METHOD /path` of everything in the HTTP contract. */
function calls(): string[] {
  const { paths } = JSON.parse(source("dist/site/openapi.json")) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** The pages that Scalar fills: one for each family of calls. */
function familyPages(): string[] {
  return [...pages.keys()].filter((path) => path.startsWith("/docs/reference/"));
}

/** The tables of D1 and of both objects, by what the page about retention calls their rows. */
const KEPT: Record<string, string[]> = {
  "completed transactions, with their reports": ["transactions", "reports", "newest_rows"],
  "the list of all unresolved payments": ["unresolved"],
  "contrary results": ["contrary_results"],
  references: ["claims"],
  "recorded outcomes": ["events"],
  "totals of closed days": ["days", "day_totals", "earlier_zones"],
  "statistics of the service": ["statistics_hours", "statistics_days", "statistics_told"],
  "statistics of an account": ["hours"],
  "recent statistics of accounts": ["account_hours"],
  "payments' amounts, last four digits, hashed references": ["fingerprints"],
  "audit log": ["audit_log"],
  sessions: ["sessions"],
  "used logins, as signatures; each nonce of a signed call": ["used_logins", "used_nonces", "logins"],
  "bind keys, as hashes": ["bind_keys"],
  "webhooks: addresses, secrets, latest attempts": ["webhooks", "webhook_troubles"],
  "prebind lists, channels, shops": ["prebound_terminals", "channels", "shops"],
  "accounts, terminals, even deleted and retired ones":
    "accounts account devices pos_ids terminals terminal terminal_counts".split(" "),
  "the next transaction number": ["numbers"],
  "blocks of transaction numbers, by terminal": ["number_blocks"],
  "changes that D1 or another object does not have yet": ["untold", "generation", "watch", "created"],
};

/** Every table that a schema creates and none drops. */
function tablesOfSchemas(): string[] {
  const migrations = readdirSync(join(ROOT, "migrations")).toSorted();
  const files = [...migrations.map((name) => join("migrations", name)), ...OBJECTS_SCHEMAS];
  const statements = files.flatMap((path) => [...source(path).matchAll(/(CREATE|DROP) TABLE (\w+)/gu)]);
  const tables = new Set<string>();
  for (const [, what, name = ""] of statements) {
    if (what === "CREATE") tables.add(name);
    else tables.delete(name);
  }
  return [...tables].toSorted();
}

const OBJECTS_SCHEMAS = [
  "account/storage/schema",
  "account/storage/webhooks",
  "keeper/storage/tables",
  "terminal/storage/schema",
  "objects/storage/untold",
].map((path) => `src/${path}.ts`);

describe("every page", () => {
  it("can be reached from every other one; a family of calls from the reference and from every other family", ({
    expect,
  }) => {
    const families = familyPages();
    for (const [path, html] of pages) {
      const needed = [...pages.keys()].filter((one) => one !== path);
      const listed = path.startsWith("/docs/reference/") || path === "/docs/reference";
      const missing = needed.filter((one) => (listed || !families.includes(one)) && !html.includes(`href="${one}"`));
      expect(missing, path).toEqual([]);
    }
    expect(pages.size).toBeGreaterThan(25);
  });

  it("has one title, and no address twice", ({ expect }) => {
    for (const [path, html] of pages) {
      expect(html.match(/<h1>/gu), path).toHaveLength(1);
      const ids = [...html.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id);
      expect(new Set(ids).size, path).toBe(ids.length);
      expect(ids, path).not.toContain("");
    }
  });

  it("has a description, and so do the pages beside the documentation", ({ expect }) => {
    const others = ["start.html", "console/index.html", "operator/console/index.html"];
    for (const [path, html] of [...pages, ...others.map((name) => [name, source(`dist/site/${name}`)] as const)]) {
      expect(/<meta\s+name="description"\s+content="([^"]*)"/u.exec(html)?.[1]?.length ?? 0, path).toBeGreaterThan(20);
    }
  });

  it("says of each head in a table whether it is a column's or a row's", ({ expect }) => {
    const heads = [...pages.values()].flatMap((html) => html.match(/<th(?=[ >])[^>]*>/gu) ?? []);
    expect(heads.filter((head) => !/ scope="(?:col|row)"/u.test(head))).toEqual([]);
    expect(heads.length).toBeGreaterThan(100);
  });

  it("lists its sections in their order, and so does the search", ({ expect }) => {
    const found = searched();
    for (const [path, html] of pages) {
      // Their sections are Scalar's.
      if (familyPages().includes(path)) continue;
      const sections = [...html.matchAll(/<h[23] [^>]*\bid="([^"]*)"/gu)].map(([, id]) => `#${id}`);
      const [listed = ""] = /<nav class="sections".*?<\/nav>/su.exec(html) ?? [];
      expect(
        [...listed.matchAll(/href="([^"]*)"/gu)].map(([, href]) => href),
        path,
      ).toEqual(sections);
      const ofPage = found.map(({ href }) => href).filter((href) => href === path || href.startsWith(`${path}#`));
      expect(ofPage.filter((href) => href !== path)).toEqual(sections.map((hash) => path + hash));
    }
  });

  it("links only to what exists", ({ expect }) => {
    const broken: string[] = [];
    const found = new Set(searched().map(({ href }) => href));
    for (const [path, html] of pages) {
      for (const [, href = ""] of html.matchAll(/ (?:href|src)="([^"]*)"/gu)) {
        if (href.startsWith("https://")) continue;
        const { pathname, hash } = new URL(href, `https://gateway.test${path}`);
        const target = pages.get(pathname);
        const id = decodeURIComponent(hash.slice(1));
        if (!isServed(pathname)) broken.push(`${path}: ${href}`);
        else if (id !== "" && target?.includes(` id="${id}"`) !== true && !found.has(pathname + hash))
          broken.push(`${path}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("loads nothing from anywhere else, and has neither scripts nor styles within", ({ expect }) => {
    for (const [path, html] of pages) {
      const loads = [...html.matchAll(/<(?:script|img|link)\b[^>]*?(?:src|href)="([^"]*)"/gu)].map(([, url]) => url);
      expect(
        loads.filter((url) => url?.startsWith("/docs/") !== true),
        path,
      ).toEqual([]);
      expect(/<style|<script(?![^>]* src=)|<[^>]*\s(?:style|on\w+)=/u.exec(html), path).toBeNull();
    }
  });

  it("has colours in its code, in every language", ({ expect }) => {
    const blocks = [...page("/docs/signatures").matchAll(/data-language="(\w+)">(.*?)<\/pre>/gsu)];
    for (const language of ["bash", "cs", "java", "php", "python", "js"]) {
      const code = blocks.filter(([, name]) => name === language).map(([, , html]) => html);
      for (const kind of ["comment", "keyword", "string"])
        expect(code.join(), language).toContain(`class="code-${kind}"`);
    }
  });

  it("has every placeholder filled in", ({ expect }) => {
    for (const [path, html] of pages) {
      const words = textOf(html.replaceAll(/<code>.*?<\/code>/gsu, ""));
      expect(/\{\{|\}\}|undefined|NaN|\[object/u.exec(words), path).toBeNull();
    }
  });
});

describe("the page for an address that does not exist", () => {
  it("leads to every page, and loads nothing but files of the documentation", ({ expect }) => {
    const html = source("dist/site/404.html");
    const named = [...pages.keys()].filter((path) => !familyPages().includes(path));
    expect(named.filter((path) => !html.includes(`<li><a href="${path}">`))).toEqual([]);
    expect(html.match(/<h1>/gu)).toHaveLength(1);
    const links = [...html.matchAll(/ (?:href|src)="([^"#]+)"/gu)].map(([, href = ""]) => href);
    expect(links.filter((href) => !isServed(href))).toEqual([]);
    expect(searched().filter(({ href }) => href.startsWith("/404"))).toEqual([]);
  });
});

describe("what the pages say", () => {
  it("includes every responseCode that the gateway sets, with its status", ({ expect }) => {
    const text = textOf(page("/docs/outcomes"));
    const codes = Object.entries(GATEWAY_CODES);
    expect(codes.length).toBeGreaterThan(10);
    const unnamed = codes.filter(([code, { statusCode }]) => !text.includes(`${statusCode} ${code} `));
    expect(unnamed.map(([code]) => code)).toEqual([]);
    expect(text).toContain("00 or 11 RESOLVED");
  });

  it("has a row for the cents of every behaviour of the simulated terminal, with the bank's answer", ({ expect }) => {
    const rows = page("/docs/test-amounts").split("<tr>").map(textOf);
    const wrong = Array.from({ length: 100 }, (_, cents) => `.${String(cents).padStart(2, "0")}`).flatMap((cents) => {
      const behaviour = behaviourFor(`10${cents}`);
      const row = rows.find((one) => one.startsWith(` ${cents} `)) ?? "";
      if (behaviour.kind === "approve") return row === "" ? [] : [cents];
      if (behaviour.kind !== "decline") return row === "" ? [cents] : [];
      return row.includes(` ${behaviour.responseText} 11 ${behaviour.responseCode} `) ? [] : [cents];
    });
    expect(wrong).toEqual([]);
  });

  it("has a section for every code of an error, which the error links to, with its status, name and fix", ({
    expect,
  }) => {
    const codes = Object.entries(ERROR_CODES).flatMap(([name, ofName]) => ofName.map((code) => ({ name, code })));
    expect(codes.length).toBeGreaterThan(8);
    for (const { name, code } of codes) {
      const { pathname, hash } = new URL(documentationOf(code, "https://gateway.test/api/transfer"));
      const [, section = ""] = page(pathname).split(` id="${hash.slice(1)}"`);
      const [text = ""] = textOf(`<h3${section}`).split(/ [45]\d{4}: /u);
      expect(text).toMatch(new RegExp(`${name}, status ${Math.floor(code / 100)}\\. .{20,}Fix\\. .{20,}`, "u"));
    }
  });

  it("has a section for every code of an error frame, where its doc links to", ({ expect }) => {
    for (const code of FRAME_ERRORS) {
      const { pathname, hash } = new URL(documentationOf(code, "https://gateway.test"));
      const [, section = ""] = page(pathname).split(`<h3 id="${hash.slice(1)}"`);
      expect(textOf(`<h3${section}`)).toMatch(new RegExp(`^${code}: .{20,}?Fix\\. .{20,}`, "u"));
    }
  });

  it("begins no line with a figure: Markdown takes that line for HTML, and its paragraph ends", ({ expect }) => {
    const files = readdirSync(join(ROOT, "src/docs")).filter((name) => name.endsWith(".md"));
    const paths = [
      "README.md",
      "CONTRIBUTING.md",
      "src/http/THREAT-MODEL.md",
      ...files.map((name) => `src/docs/${name}`),
    ];
    expect(paths.filter((path) => /^[ >*-]*(?:\d+\. )?<!--[^/][^>]*-->./mu.test(source(path)))).toEqual([]);
  });

  it("has the figures of the code in its files", ({ expect }) => {
    const { stderr } = spawnSync(process.execPath, ["src/development/build.mjs", "stale"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(/^Error: .*/mu.exec(stderr)?.[0]).toBeUndefined();
  });

  it("has a page for each family of calls that shows the calls of its tag", ({ expect }) => {
    const { tags } = JSON.parse(source("dist/site/openapi.json")) as { tags: { name: string }[] };
    const shown = familyPages().map((path) => /<section id="reference" data-tag="([^"]*)">/u.exec(page(path))?.[1]);
    expect(new Set(shown)).toEqual(new Set(tags.map(({ name }) => name)));
    expect(calls().filter((call) => !page("/docs/reference").includes(`<code>${call}</code>`))).toEqual([]);
  });

  it("has each call at the address of its link, also for a browser without scripts", ({ expect }) => {
    const links = [...page("/docs/reference").matchAll(/href="(\/docs\/reference\/[^"#]*)#(tag[^"]*)"/gu)];
    expect(links).toHaveLength(calls().length);
    expect(links.filter(([, path = "", id = ""]) => !page(path).includes(` id="${id}"`))).toEqual([]);
  });

  it("has every frame of the contract", ({ expect }) => {
    const asyncApi = JSON.parse(source("dist/site/asyncapi.json")) as { components: { messages: object } };
    const messages = Object.values(asyncApi.components.messages).map(({ name }: { name: string }) => name);
    const frames = textOf(page("/docs/reference-terminal"));
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter((name) => !frames.includes(`the terminal ${name} #`))).toEqual([]);
  });

  it("names every setting of wrangler.toml", ({ expect }) => {
    const configuration = source("wrangler.toml");
    const [variables = ""] = /(?<=\[vars\]\n).*?(?=\n\[)/su.exec(configuration) ?? [];
    const names = [
      ...[...variables.matchAll(/^(\w+) = /gmu)].map(([, name]) => name),
      ...[...configuration.matchAll(/^name = "([A-Z_]+)"/gmu)].map(([, name]) => name),
      ...[...(/required = \[(.*)\]/u.exec(configuration)?.[1] ?? "").matchAll(/"(\w+)"/gu)].map(([, name]) => name),
    ];
    expect(names.length).toBeGreaterThan(9);
    const text = textOf(page("/docs/operating") + page("/docs/limits"));
    expect(names.filter((name) => !text.includes(name ?? ""))).toEqual([]);
  });

  it("names every error that the log may contain", ({ expect }) => {
    const text = textOf(page("/docs/daily-work"));
    const events = sources().flatMap((code) => [
      ...[...code.matchAll(/(?:logEvent|log)\((?:draft, )?"error",\s*"([^"]+)"/gu)].map(([, event]) => event),
      ...[...code.matchAll(/logError\(\s*"([^"]+)"/gu)].map(([, event]) => event),
    ]);
    expect(events.length).toBeGreaterThan(15);
    expect(events.filter((event) => !text.includes(event ?? ""))).toEqual([]);
  });

  it("names every rate of wrangler.toml with its value", ({ expect }) => {
    const text = textOf(page("/docs/limits").replaceAll("<td", " <td"));
    const rates = [...source("wrangler.toml").matchAll(/^name = "([A-Z_]+)".*?limit = (\d+), period = 60/gmsu)];
    expect(rates.length).toBeGreaterThan(5);
    const missing = rates.filter(([, name = "", limit]) => {
      return !new RegExp(`${Number(limit).toLocaleString("en")} +${name} `, "u").test(text);
    });
    expect(missing.map(([, name]) => name)).toEqual([]);
  });

  it("says what happens to a card number in each text of a till or a terminal", ({ expect }) => {
    // Of two characters or a fixed form.
    const tooShort = new Set(["productIndex", "promoSale", "cvmType", "transDateTime"]);
    const texts = [...Object.keys(TRANSFER_LENGTHS), ...Object.keys(RESULT_LENGTHS), ...Object.keys(DETAIL_LENGTHS)];
    const named = textOf(page("/docs/card-data"));
    const names = [...texts, "uniqueIds", "memory", "nonce"].filter((name) => !tooShort.has(name));
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(named))).toEqual([]);
  });

  it("says how long the rows of every table are kept", ({ expect }) => {
    const tables = Object.values(KEPT).flat();
    expect([...new Set(tables)].toSorted()).toEqual(tablesOfSchemas());
    const text = textOf(page("/docs/maintenance"));
    expect(Object.keys(KEPT).filter((words) => !text.includes(` ${words} `))).toEqual([]);
  });

  it("gives the limits of wrong credentials as wrangler.toml sets them", ({ expect }) => {
    const [perName, perAddress] = [rateOf("LOGIN_PER_ACCOUNT_AND_ADDRESS"), rateOf("LOGIN_PER_ADDRESS")];
    const security = textOf(page("/docs/security"));
    expect(security).toContain(`${perName} attempts a minute per account and network, ${perAddress} per network`);
    expect(security).toContain(`at least 24 characters, ${perName} attempts a minute per network`);
    expect(textOf(page("/docs/maintenance"))).toContain(`After ${perName} of these within a minute`);
  });
});

describe("the rates", () => {
  it("leave every session at most half of what its account has", ({ expect }) => {
    expect(Number(rateOf("REQUESTS_PER_SESSION"))).toBeLessThanOrEqual(Number(rateOf("REQUESTS_PER_ACCOUNT")) / 2);
  });
});

describe("the search", () => {
  it("finds every call of the HTTP contract among the first three", ({ expect }) => {
    const find = finder(searched());
    expect(calls().length).toBeGreaterThan(20);
    const missed = calls().filter(
      (call) =>
        !find(call)
          .slice(0, 3)
          .some(({ section }) => section === call),
    );
    expect(missed).toEqual([]);
  });

  it("finds every responseCode that the gateway sets on the page of outcomes", ({ expect }) => {
    const find = finder(searched());
    const codes = Object.keys(GATEWAY_CODES);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !find(code).some(({ href }) => href.startsWith("/docs/outcomes#")))).toEqual([]);
  });

  it("finds every error by its name and by its code, first of all in its own section", ({ expect }) => {
    const find = finder(searched());
    for (const [name, codes] of Object.entries(ERROR_CODES)) {
      expect(find(name).some(({ href }) => href === `${ERROR_PAGE}#${codes[0]}`)).toBe(true);
      for (const code of codes) expect(find(String(code))[0]?.href).toBe(`${ERROR_PAGE}#${code}`);
    }
  });

  it.for([
    ["timeout", "/docs/recovery#time-outs"],
    ["time-out", "/docs/recovery#time-outs"],
    ["OPERATOR_TOKENS", "/docs/operating#the-first-account-and-terminal"],
    ["prebind list", "/docs/first-sale#bind-a-terminal"],
    ["card data", "/docs/card-data#what-happens-to-card-data"],
    ["PCI DSS", "/docs/card-data#pci-dss-who-does-what"],
    ["roll back", "/docs/maintenance#roll-back"],
    ["idempotency key", "/docs#glossary"],
    ["long polling", "/docs/events#read-events"],
    ["TLS", "/docs/operating#before-you-go-live"],
    ["refund", "/docs/not-supported"],
  ] as const)("finds “%s” where it is explained", ([query, href], { expect }) => {
    const hrefs = finder(searched())(query).map((found) => found.href);
    expect(hrefs.slice(0, 3)).toContain(href);
  });

  it("finds a word by its beginning, in any case, and with a typing error", ({ expect }) => {
    const find = finder(searched());
    for (const query of ["recov", "RECOVERY", "recvery", "recovary"]) {
      expect(
        find(query).map(({ page: name }) => name),
        query,
      ).toContain("Recovery");
    }
    expect(find("recovery zzyzx")).toEqual([]);
  });
});
