/** Objects as rows of a table, one object as its members. */
export function dataLines(value: unknown): string {
  if (value === undefined) return "Done.";
  if (!Array.isArray(value)) return isObject(value) ? memberLines(value).join("\n") : JSON.stringify(value);
  if (value.length === 0) return "None.";
  return value.every(isObject) ? tableLines(value) : value.map(String).join("\n");
}

function tableLines(items: readonly object[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) => new Map<string, unknown>(Object.entries(item)));
  const table = [names, ...rows.map((row) => names.map((name) => cellOf(row.get(name))))];
  const widths = names.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  return table
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

function cellOf(value: unknown): string {
  return value === undefined || value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value);
}

export function memberLines(members: object): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(20)}${cellOf(value)}`.trimEnd()],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
