/** Rows of the audit log, in words. */
import type { AuditAnswer } from "../answers.ts";

/** `merchantId M-1 → M-2, name Counter 3`: what a change has set, or what it refers to. */
export function changeWords({ details, before, after }: Pick<AuditAnswer, "details" | "before" | "after">): string {
  if (before === null && after === null) return pairs(details);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => {
      const [was, is] = [before?.[name], after?.[name]];
      if (before !== null && after !== null && was !== undefined) return `${name} ${text(was)} → ${text(is)}`;
      return `${name} ${text(is ?? was)}`;
    })
    .join(", ");
}

function pairs(values: Record<string, Value>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(", ");
}

type Value = string | number | boolean | string[] | null;

function text(value: Value | undefined): string {
  if (value === undefined || value === null || value === "") return "none";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
