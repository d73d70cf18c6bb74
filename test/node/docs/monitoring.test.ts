/** The files for Prometheus and Grafana: they name what the gateway has, and the rules fire when they should. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { type Metric, METRICS, METRIC_PREFIX } from "../../../src/gateway/http/operator/metrics/table.ts";
import { slug } from "../../../src/docs/build/text.ts";
import { ROOT } from "../../support/outside.ts";
import { HAS_PROMTOOL, promtool } from "../../support/promtool.ts";

const FOLDER = join(ROOT, "src", "docs", "monitoring");
const TABLE: Readonly<Record<string, Metric>> = METRICS;

function read(file: string): string {
  return readFileSync(join(FOLDER, file), "utf8");
}

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const DASHBOARD = JSON.parse(read("dashboard.json")) as Dashboard;
const RULES = read("alerts.rules.yml");
const TESTS = ["alerts.test.yml", "alerts.days.test.yml"];
const QUERIES = [...DASHBOARD.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), RULES];

/** Names and label matchers of the gateway's metrics in a query. */
function usesIn(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(/pos_gateway_(\w+)(?:\{([^}]*)\})?/gu)].map(([, name = "", matchers = ""]) => ({
    name: name.replace(/_(?:bucket|sum|count)$/u, ""),
    labels: [...matchers.matchAll(/(\w+)=/gu)].map(([, label = ""]) => label),
  }));
}

describe("the dashboard and the alert rules", () => {
  it("name only metrics and labels that the gateway has", ({ expect }) => {
    const uses = QUERIES.flatMap(usesIn);
    expect(uses.length).toBeGreaterThan(40);
    for (const { name, labels } of uses) {
      expect(Object.keys(TABLE)).toContain(name);
      for (const label of labels) expect([name, ...Object.keys(TABLE[name]?.labels ?? {}), "le"]).toContain(label);
    }
  });

  it("take the rate of counters, and the value of gauges", ({ expect }) => {
    for (const [, call, name = ""] of QUERIES.join("\n").matchAll(/(\w*)\(?\b(?:pos_gateway_)(\w+)/gu)) {
      const type = TABLE[name.replace(/_(?:bucket|sum|count)$/u, "")]?.type;
      expect([name, call === "rate" || call === "increase"]).toEqual([name, type !== "gauge"]);
    }
  });

  it("use every metric", ({ expect }) => {
    const used = new Set(QUERIES.flatMap(usesIn).map(({ name }) => name));
    expect(Object.keys(TABLE).filter((name) => !used.has(name))).toEqual([]);
    expect(RULES).toContain(METRIC_PREFIX);
  });

  it("lead from each alert to a section that exists", ({ expect }) => {
    const links = [...RULES.matchAll(/runbook_url: https:\/\/pay\.example\.com\/docs\/([\w-]+)#([\w-]+)$/gmu)];
    expect(links).toHaveLength(RULES.match(/- alert: /gu)?.length ?? 0);
    for (const [, page = "", anchor] of links) {
      const markdown = readFileSync(join(ROOT, "src", "docs", `${page}.md`), "utf8");
      const anchors = [...markdown.matchAll(/^#+ (.+)$/gmu)].map(([, title = ""]) => slug(title));
      expect(anchors).toContain(anchor);
    }
  });

  it("have a test for each alert", ({ expect }) => {
    const alerts = [...RULES.matchAll(/- alert: (\w+)/gu)].map(([, name]) => name);
    const tests = TESTS.map(read).join("\n");
    const tested = new Set([...tests.matchAll(/alertname: (\w+)/gu)].map(([, name]) => name));
    expect(alerts.filter((name) => !tested.has(name))).toEqual([]);
  });

  it.skipIf(!HAS_PROMTOOL)("fire and stay silent as their unit tests say", ({ expect }) => {
    for (const [command, ...files] of [
      ["check rules", "alerts.rules.yml"],
      ["test rules", ...TESTS],
      ["check config --syntax-only", "prometheus.example.yml"],
    ] as const) {
      expect(promtool([...command.split(" "), ...files], { cwd: FOLDER })).toBe("");
    }
  });
});
