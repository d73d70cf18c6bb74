/** The documentation is in step with the code. What its build makes of it: docs-site.test.ts. */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { linkToError, ERROR_CODES } from "../../../src/protocol/errors.ts";
import { FRAME_ERRORS } from "../../../src/protocol/frames.ts";
import { GATEWAY_CODES } from "../../../src/protocol/gateway-codes.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../../src/protocol/lengths.ts";
import { behaviourFor } from "../../../src/sdk/simulator/behaviour.ts";

const ROOT = new URL("../../..", import.meta.url).pathname;

/** A page's Markdown, by its path on the site. */
function page(path: string): string {
  return source(`src${path}.md`);
}

/** Markdown as a reader sees it, in one line. */
function textOf(markdown: string): string {
  return markdown
    .replaceAll(/<!--.*?-->|<\/?[a-z][^>\n]*>/gu, "")
    .replaceAll(/\]\([^)]*\)/gu, "")
    .replaceAll(/[`*|[\]]|^#+ |^-{3,}/gmu, " ")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/ (?=[.,:;](?: |$))/gu, "");
}

function source(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The text of the section whose heading has an anchor. */
function sectionOf(path: string, hash: string): string {
  const sections = page(path).split(/^#{2,3} /mu);
  return textOf(sections.find((section) => section.split("\n")[0]?.includes(`<a id="${hash.slice(1)}">`)) ?? "");
}

/** The requests a minute that a limit of wrangler.toml admits. */
function rateOf(name: string): string | undefined {
  return new RegExp(`name = "${name}"[^[]*?limit = (\\d+), period = 60`, "u").exec(source("wrangler.toml"))?.[1];
}

/** The tables of D1 and of both objects, by what the page about retention calls their rows. */
const KEPT: Record<string, string[]> = {
  "completed transactions, with their reports": ["transactions", "reports"],
  "the list of all pending payments": ["pending"],
  "conflicting results": ["conflicting_results"],
  references: ["claims"],
  "recorded outcomes": ["events"],
  "totals of closed days": ["days", "day_totals", "earlier_zones"],
  "statistics of the service": ["statistics_hours"],
  "counters for monitoring": ["counters", "statistics_totals"],
  "statistics of an account": ["hours"],
  "recent statistics of accounts": ["account_hours"],
  "payments' amounts, last four digits, hashed references": ["fingerprints"],
  "audit log": ["audit_log"],
  sessions: ["sessions"],
  "used logins, as signatures; each nonce of a signed call": ["used_logins", "used_nonces", "logins"],
  "bind keys, as hashes": ["bind_keys"],
  "activation codes, as hashes": ["activation_codes"],
  "webhooks: addresses, secrets, latest attempts": ["webhooks", "webhook_alerts"],
  "prebind lists, channels, shops": ["prebound_terminals", "channels", "shops"],
  "accounts, terminals, even deleted and retired ones":
    "accounts account pos_ids terminals terminal terminal_counts".split(" "),
  "which terminals an account had": ["devices"],
  "the next transaction number": ["numbers"],
  "blocks of transaction numbers, by terminal": ["number_blocks"],
  "pending updates to D1 or another object":
    "watch created outbox outbox_version outbox_delivered outbox_waiting".split(" "),
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
  "coordinator/storage/tables",
  "terminal/storage/schema",
  "durable/storage/outbox",
].map((path) => `src/gateway/${path}.ts`);

describe("what the pages say", () => {
  it("includes every responseCode that the gateway sets, with its status", ({ expect }) => {
    const text = page("/docs/handle-responses");
    const codes = Object.entries(GATEWAY_CODES);
    expect(codes.length).toBeGreaterThan(10);
    const unnamed = codes.filter(
      ([code, { statusCode }]) => !text.includes(`### ${code}\n\nStatus \`${statusCode}\`. `),
    );
    expect(unnamed.map(([code]) => code)).toEqual([]);
    expect(text).toContain("### RESOLVED\n\nStatus `00` or `11`. ");
  });

  it("has a row for each simulated behaviour's cents, with the answer", ({ expect }) => {
    const rows = page("/docs/test-and-go-live").split("\n").map(textOf);
    const wrong = Array.from({ length: 100 }, (_, cents) => `.${String(cents).padStart(2, "0")}`).flatMap((cents) => {
      const behaviour = behaviourFor(`10${cents}`);
      const row = rows.find((one) => one.startsWith(` ${cents} `)) ?? "";
      if (behaviour.kind === "approve") return row === "" ? [] : [cents];
      if (behaviour.kind !== "decline") return row === "" ? [cents] : [];
      return row.includes(` ${behaviour.responseText} 11 ${behaviour.responseCode} `) ? [] : [cents];
    });
    expect(wrong).toEqual([]);
  });

  it("links every error to its section, with status, name and fix", ({ expect }) => {
    const codes = Object.entries(ERROR_CODES).flatMap(([name, ofName]) => ofName.map((code) => ({ name, code })));
    expect(codes.length).toBeGreaterThan(8);
    for (const { name, code } of codes) {
      const { pathname, hash } = new URL(linkToError(code, "https://gateway.test/api/transfer"));
      expect(sectionOf(pathname, hash)).toMatch(
        new RegExp(`${name}, status ${Math.floor(code / 100)}\\. .{20,}Fix\\. .{20,}`, "u"),
      );
    }
  });

  it("has the section that each error frame's doc links to", ({ expect }) => {
    for (const code of FRAME_ERRORS) {
      const { pathname, hash } = new URL(linkToError(code, "https://gateway.test"));
      expect(sectionOf(pathname, hash)).toMatch(new RegExp(`^ ?${code}: .{20,}?Fix\\. .{20,}`, "u"));
    }
  });

  it("begins no line with a figure, which Markdown takes for HTML", ({ expect }) => {
    const files = readdirSync(join(ROOT, "src/docs")).filter((name) => name.endsWith(".md"));
    const paths = ["README.md", ".github/CONTRIBUTING.md", ...files.map((name) => `src/docs/${name}`)];
    expect(paths.filter((path) => /^[ >*-]*(?:\d+\. )?<!--[^/][^>]*-->./mu.test(source(path)))).toEqual([]);
  });

  it("has the figures of the code in its files", ({ expect }) => {
    const { status, stderr } = spawnSync(process.execPath, ["src/tools/development/build.mjs", "stale"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
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
    const text = textOf(page("/docs/settings") + page("/docs/limits"));
    expect(names.filter((name) => !text.includes(name ?? ""))).toEqual([]);
  });

  it("names every rate of wrangler.toml with its value", ({ expect }) => {
    const text = textOf(page("/docs/limits"));
    const rates = [...source("wrangler.toml").matchAll(/^name = "([A-Z_]+)".*?limit = (\d+), period = 60/gmsu)];
    expect(rates.length).toBeGreaterThan(5);
    const missing = rates.filter(([, name = "", limit]) => {
      return !new RegExp(`${Number(limit).toLocaleString("en")} +${name} `, "u").test(text);
    });
    expect(missing.map(([, name]) => name)).toEqual([]);
  });

  it("explains card numbers in each text of a POS or a terminal", ({ expect }) => {
    // Of two characters or a fixed form.
    const tooShort = new Set(["productIndex", "promoSale", "cvmType", "transDateTime"]);
    const texts = [...Object.keys(TRANSFER_LENGTHS), ...Object.keys(RESULT_LENGTHS), ...Object.keys(DETAIL_LENGTHS)];
    const named = textOf(page("/docs/card-data"));
    const names = [...texts, "uniqueIds", "memory", "nonce"].filter((name) => !tooShort.has(name));
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(named))).toEqual([]);
  });

  it("includes how long the rows of every table are kept", ({ expect }) => {
    const tables = Object.values(KEPT).flat();
    expect([...new Set(tables)].toSorted()).toEqual(tablesOfSchemas());
    const text = textOf(page("/docs/keep-and-erase"));
    expect(Object.keys(KEPT).filter((words) => !text.includes(` ${words} `))).toEqual([]);
  });

  it("gives the limits of wrong credentials as wrangler.toml sets them", ({ expect }) => {
    const [perName, perAddress] = [rateOf("LOGIN_PER_ACCOUNT_AND_ADDRESS"), rateOf("LOGIN_PER_ADDRESS")];
    const security = textOf(page("/docs/threat-model"));
    expect(security).toContain(`${perName} attempts a minute per account and network, ${perAddress} per network`);
    expect(security).toContain(`at least 24 characters, ${perName} attempts a minute per network`);
    expect(textOf(page("/docs/rotate-keys"))).toContain(`After ${perName} wrong tokens within a minute`);
  });
});

describe("the rates", () => {
  it("leave every session at most half of what its account has", ({ expect }) => {
    expect(Number(rateOf("REQUESTS_PER_SESSION"))).toBeLessThanOrEqual(Number(rateOf("REQUESTS_PER_ACCOUNT")) / 2);
  });
});
