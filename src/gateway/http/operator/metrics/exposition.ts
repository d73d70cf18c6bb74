/** Prometheus's text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
import { type MetricName, METRICS, METRIC_PREFIX } from "./table.ts";

export const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
  /** A histogram's sample has one. */
  suffix?: "_bucket" | "_sum" | "_count";
}

/** @param samples a metric that is missing is not exposed; one with an empty list has no series now */
export function expositionText(samples: Readonly<Partial<Record<MetricName, readonly Sample[]>>>): string {
  return Object.entries(METRICS)
    .map(([name, { type, help }]) => {
      const ofMetric = samples[name as MetricName];
      if (ofMetric === undefined) return "";
      const whole = METRIC_PREFIX + name;
      const lines = [
        `# HELP ${whole} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${whole} ${type}`,
        ...ofMetric.map(({ value, labels = {}, suffix = "" }) => `${whole}${suffix}${labelText(labels)} ${value}`),
      ];
      return lines.map((line) => `${line}\n`).join("");
    })
    .join("");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
