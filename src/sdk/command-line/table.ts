import pc from "picocolors";
import stringWidth from "string-width";

/** Colours for standard output; none if it is not a terminal window. */
export const paint = pc.createColors(process.stdout.isTTY && pc.isColorSupported);

/** Prints objects as rows of a table, and one object as its members. */
export function dataLines(value: unknown): string {
  if (value === undefined) return "Done.";
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return isObject(value) ? memberLines(value).join("\n") : JSON.stringify(value);
  if (value.length === 0) return "None.";
  if (!value.every(isObject)) return value.map(String).join("\n");
  const names = [...new Set(value.flatMap((item) => Object.keys(item)))];
  const rows = value.map((item) => new Map<string, unknown>(Object.entries(item)));
  return tableLines([names, ...rows.map((row) => names.map((name) => formatCell(row.get(name))))]).join("\n");
}

/** Columns as wide as a terminal window shows their widest cell. @param numbersFrom the first column to the right */
export function tableLines(rows: readonly (readonly string[])[], numbersFrom = Infinity): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => stringWidth(cells[column] ?? ""))));
  return rows.map((cells) => {
    const padded = cells.map((cell, column) => {
      const space = " ".repeat((widths[column] ?? 0) - stringWidth(cell));
      return column < numbersFrom ? cell + space : space + cell;
    });
    return padded.join("  ").trimEnd();
  });
}

function formatCell(value: unknown): string {
  return value === undefined || value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value);
}

export function memberLines(members: object): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(20)}${formatCell(value)}`.trimEnd()],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
