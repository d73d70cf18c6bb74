/** What the pages name exists in the code: tests, codes, settings, log events, metrics, steps of the kits. */
import { globSync, readFileSync } from "node:fs";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "vitest";
import { POS_STEPS } from "../../../src/sdk/conformance/pos/kit.ts";
import { TERMINAL_STEPS } from "../../../src/sdk/conformance/terminal/kit.ts";
import { METRICS } from "../../../src/gateway/http/operator/metrics/table.ts";
import * as limits from "../../../src/protocol/limits.ts";
import { ERROR_CODES } from "../../../src/protocol/errors.ts";
import { LOG_EVENT_GROUPS } from "../../../src/gateway/lib/log-events.ts";
import { ROOT } from "../../support/outside.ts";

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

const PAGES = globSync(["*.md", "src/docs/*.md", "src/sdk/README.md"], { cwd: ROOT });
const TEXT = PAGES.map(read).join("\n");
const SOURCES = ["src/**/*.{ts,tsx,mjs,py,php}", "test/**/*.ts", "wrangler.toml"];
const CODE = globSync(SOURCES, { cwd: ROOT }).map(read).join("\n");

/** Every code span, and every line of a block. */
function spans(): string[] {
  const inBlocks = [...TEXT.matchAll(/^```\w*\n(.*?)^```$/gmsu)].flatMap(([, code = ""]) => code.split("\n"));
  return [...[...TEXT.matchAll(/`([^`\n]+)`/gu)].map(([, code = ""]) => code), ...inBlocks];
}

function named(pattern: RegExp, least: number): string[] {
  const found = [...new Set(spans().flatMap((span) => [...span.matchAll(pattern)].map(([whole]) => whole)))];
  if (found.length < least) throw new Error(`The pages name only ${found.length} of ${String(pattern)}.`);
  return found;
}

describe("the pages", () => {
  it("name only tests that exist", ({ expect }) => {
    const paths = named(/(?<![\w./-])test\/[\w./*-]+/gu, 40);
    expect(paths.filter((path) => globSync([path, `${path}.test.ts`], { cwd: ROOT }).length === 0)).toEqual([]);
  });

  it("name only error codes that exist", ({ expect }) => {
    const codes = Object.values(ERROR_CODES).flat().map(String);
    const documented = [...new Set(TEXT.match(/(?<=\bcode `?|^### |#|"code": )[45]\d{4}\b/gmu))];
    expect(documented.length).toBeGreaterThan(8);
    expect(documented.filter((code) => !codes.includes(code))).toEqual([]);
  });

  it("name only codes, settings and variables that the code has", ({ expect }) => {
    const words = named(/(?<![\w$"/-])[A-Z]{3,}(?:_[A-Z0-9]+)+(?![\w-])/gu, 50);
    expect(words.filter((word) => !new RegExp(`\\b${word}\\b`, "u").test(CODE))).toEqual([]);
  });

  it("name only metrics that the gateway has", ({ expect }) => {
    const metrics = named(/(?<=pos_gateway_)\w+/gu, 5).map((name) => name.replace(/_(?:bucket|sum|count)$/u, ""));
    expect(metrics.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  });

  it("describe each alert of the rules, and no other", ({ expect }) => {
    const rules = [...read("src/docs/monitoring/alerts.rules.yml").matchAll(/- alert: (\w+)/gu)].map(
      ([, name]) => name,
    );
    const described = [...read("src/docs/monitor.md").matchAll(/^\| `(Gateway\w+)`/gmu)].map(([, name]) => name);
    expect(described).toEqual(rules);
  });

  it("name only log events of the table of log events", ({ expect }) => {
    const events = LOG_EVENT_GROUPS.flatMap((group) => Object.keys(group.events));
    const written = [...TEXT.matchAll(/\blog[^.|]*? `([a-z]+(?:_[a-z0-9]+)+)`/gu)].map(([, event = ""]) => event);
    expect(written.length).toBeGreaterThan(1);
    expect(written.filter((event) => !events.includes(event))).toEqual([]);
  });

  it("list every log event that the gateway writes, once", ({ expect }) => {
    const events = LOG_EVENT_GROUPS.flatMap((group) => Object.keys(group.events));
    const gateway = globSync("src/gateway/**/*.ts", { cwd: ROOT, exclude: ["src/gateway/lib/log-events.ts"] });
    const code = gateway.map(read).join("\n");
    expect(new Set(events).size).toBe(events.length);
    expect(events.filter((event) => !code.includes(`"${event}"`))).toEqual([]);
  });

  it("give each runbook signs, a first command and an end, in order", ({ expect }) => {
    const [, ...runbooks] = read("src/docs/runbooks.md").split(/^## /mu);
    expect(runbooks.length).toBeGreaterThan(15);
    const parts = /^\*\*Signs\.\*\* .*^\*\*First command\.\*\* .*^\*\*It is over\*\* when /msu;
    const incomplete = runbooks.filter(
      (text) => !parts.test(text) || !/^(?: {3})?```bash$|^\| .*npm run operator/mu.test(text),
    );
    expect(incomplete.map((text) => text.split("\n")[0])).toEqual([]);
  });

  it("name every limit of the protocol", ({ expect }) => {
    // Written out on their page, or no bound that a caller can meet.
    const others = new Set(
      "RETRY_SCHEDULE RETRY_EVERY WEBHOOK_TOLERANCE RETRY_AFTER_SECONDS BUSY_RETRY_SECONDS ACTIVATION_CODE_LENGTH COUNTED_BYTES FIRST_TRANSACTION_NUMBER OTHER_CHANNELS".split(
        " ",
      ),
    );
    const missing = Object.keys(limits).filter(
      (name) =>
        /^[A-Z_]+$/u.test(name) && !others.has(name) && !new RegExp(`<!--(?:[a-zA-Z]+ )?${name}-->`, "u").test(TEXT),
    );
    expect(missing).toEqual([]);
  });

  it("name only steps that the kits have", ({ expect }) => {
    for (const [page, steps] of [
      ["test-and-go-live", POS_STEPS],
      ["test-a-terminal", TERMINAL_STEPS],
    ] as const) {
      const lists = [...read(`src/docs/${page}.md`).matchAll(/\| kit\b[^|:]*: `([^`]+)`/gu)];
      const documented = lists.flatMap(([, list = ""]) => list.split(","));
      expect(documented.length).toBeGreaterThan(10);
      const names = steps.map(({ name }) => name);
      expect(documented.filter((name) => !names.includes(name))).toEqual([]);
    }
  });
});

describe("the vectors of the documentation", () => {
  it("have the signature of their canonical form", ({ expect }) => {
    const { vectors } = JSON.parse(read("src/docs/examples/vectors.json")) as {
      vectors: { key: string; canonical: string; message: { signature: string } }[];
    };
    expect(vectors.length).toBeGreaterThan(8);
    for (const { key, canonical, message } of vectors) {
      const { signature, ...rest } = message;
      expect(createHmac("sha256", key).update(canonical, "utf8").digest("hex")).toBe(signature);
      expect(JSON.parse(canonical)).toEqual(rest);
    }
  });
});
