import { renderInline } from "../build/markdown.ts";
import { escapeHtml, tableHtml } from "../build/html.ts";

/** The parts of JSON Schema (draft 2020-12) that frames use. */
export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

export type Resolve = <Target extends object>(value: Target | { $ref: string }) => Target;

/** Follows JSON pointers within `document`; members next to a reference override those of its target. */
export function resolverOf(document: object): Resolve {
  return <Target extends object>(value: Target | { $ref: string }): Target => {
    let current: Record<string, unknown> = { ...(value as object) };
    while (typeof current["$ref"] === "string") {
      const { $ref, ...beside } = current;
      current = { ...pointed(document, $ref), ...beside };
    }
    return current as Target;
  };
}

function pointed(document: object, reference: unknown): object {
  let value: unknown = document;
  for (const part of String(reference).replace(/^#\//u, "").split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  if (typeof value !== "object" || value === null) throw new Error(`The document has nothing at ${String(reference)}.`);
  return value;
}

interface Row {
  name: string;
  required: boolean;
  schema: Schema;
  depth: number;
}

export function schemaHtml(schema: Schema, resolve: Resolve): string {
  const rows = rowsOf(resolve<Schema>(schema), resolve, 0);
  if (rows.length === 0) return `<p>${typeWords(schema)}. ${facts(schema)}</p>`;
  return tableHtml("Fields", ["Field", "Type", "Meaning"], rows.map(rowHtml), " fields");
}

function rowsOf({ properties = {}, required = [] }: Schema, resolve: Resolve, depth: number): Row[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const schema = resolve<Schema>(property);
    return [{ name, required: required.includes(name), schema, depth }, ...rowsOf(schema, resolve, depth + 1)];
  });
}

function rowHtml({ name, required, schema, depth }: Row): string {
  const mandatory = required ? ' <span class="required">mandatory</span>' : "";
  const example = schema.examples?.[0];
  const words = [
    schema.description === undefined ? "" : renderInline(schema.description),
    example === undefined ? "" : `<span class="facts">Example: ${code(example)}</span>`,
  ];
  return (
    `<tr><td class="depth-${depth}"><code>${escapeHtml(name)}</code>${mandatory}</td>` +
    `<td>${typeWords(schema)}<br><span class="facts">${facts(schema)}</span></td>` +
    `<td>${words.filter((part) => part !== "").join("<br>")}</td></tr>`
  );
}

function typeWords(schema: Schema): string {
  if (schema.const !== undefined) return `always ${code(schema.const)}`;
  if (schema.enum !== undefined) return schema.enum.map((value) => code(value)).join(", ");
  const types = [schema.type ?? "object"].flat();
  const words = types.map((type) => (schema.items === undefined ? type : `array of ${typeWords(schema.items)}`));
  return words.join(" or ");
}

function facts(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = schema;
  const parts = [
    range(minLength, maxLength, "characters"),
    range(minimum, maximum, ""),
    range(minItems, maxItems, "entries"),
    format === undefined ? "" : escapeHtml(format),
    pattern === undefined ? "" : patternWords(pattern),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** Longer patterns tell a reader less than the example next to them. */
const LONGEST_PATTERN = 24;

function patternWords(pattern: string): string {
  if (pattern.startsWith("^[^\\u0000-\\u0009")) return "no control characters but line feeds";
  if (pattern.startsWith("^[^\\u0000-")) return "no control characters";
  return pattern.length > LONGEST_PATTERN ? "" : code(pattern, false);
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return "";
  const words =
    least === most
      ? `${most}`
      : most === undefined
        ? `at least ${least}`
        : `${least === undefined ? "at most " : `${least} to `}${most}`;
  return `${words} ${unit}`.trim();
}

function code(value: unknown, quoted = true): string {
  const text = quoted ? JSON.stringify(value) : String(value);
  return `<code>${escapeHtml(text)}</code>`;
}
