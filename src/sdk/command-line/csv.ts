import { type Result, err, ok } from "../../protocol/result.ts";

/** A terminal of one line of a CSV file. */
export interface WantedTerminal {
  terminalId: string;
  isVT: 0 | 1;
  name?: string;
  merchantId?: string;
}

/** A file of another kind has a mistake in every line. */
const MISTAKES_SHOWN = 50;

const COLUMNS = ["terminalId", "name", "merchantId", "isVT"];

/**
 * Reads the terminals of a CSV file (RFC 4180). Its first line names the columns: `terminalId`, and optionally `name`,
 * `merchantId` and `isVT` (0 by default). The error has a line for each mistake, which names the line of the file.
 */
export function readTerminals(text: string): Result<WantedTerminal[], string> {
  const [head, ...lines] = parseCsv(text)
    .map((cells, index) => ({ cells, number: index + 1 }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const names = head?.cells.map((name) => name.trim()) ?? [];
  const unknown = names.find((name) => !COLUMNS.includes(name));
  if (!names.includes("terminalId") || unknown !== undefined) {
    return err(`The first line must name the columns: terminalId, and optionally ${COLUMNS.slice(1).join(", ")}.`);
  }
  const terminals: WantedTerminal[] = [];
  const mistakes: string[] = [];
  const seen = new Set<string>();
  for (const { cells, number } of lines) {
    const terminal = readLine(names, cells, seen);
    if (terminal.ok) terminals.push(terminal.value);
    else mistakes.push(`Line ${number}${terminal.error}`);
  }
  if (mistakes.length === 0) return ok(terminals);
  const more = mistakes.length - MISTAKES_SHOWN;
  return err([...mistakes.slice(0, MISTAKES_SHOWN), ...(more > 0 ? [`and ${more} more lines`] : [])].join("\n"));
}

/**
 * The error continues a sentence about the line.
 *
 * @param seen the terminals of the lines before
 */
function readLine(
  names: readonly string[],
  cells: readonly string[],
  seen: Set<string>,
): Result<WantedTerminal, string> {
  if (cells.length > names.length) return err(" has more cells than the first line names.");
  const row = Object.fromEntries(names.map((name, column) => [name, cells[column]?.trim()]));
  const { terminalId = "", name = "", merchantId = "", isVT = "" } = row;
  if (terminalId === "") return err(" has no terminalId.");
  if (seen.has(terminalId)) return err(` has ${terminalId} a second time.`);
  seen.add(terminalId);
  if (!["", "0", "1"].includes(isVT)) return err(": isVT is 0 or 1.");
  return ok({
    terminalId,
    isVT: isVT === "1" ? 1 : 0,
    ...(name === "" ? {} : { name }),
    ...(merchantId === "" ? {} : { merchantId }),
  });
}

/** A cell in quotes may contain commas, line ends and doubled quotes. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  // A file from a spreadsheet may begin with a byte order mark.
  for (const [, quoted, bare = "", end] of text
    .replace(/^\ufeff/u, "")
    .matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\n|\r|$)/gu)) {
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    lines.push(cells);
    cells = [];
    if (end === "") break;
  }
  return lines;
}

/** The file with the secrets of an enrolment: CSV, one line for each terminal. */
export const SECRETS_HEAD = "terminalId,secret\n";

/** A secret is 32 random bytes in base64url. */
export const SECRET = /^[A-Za-z0-9_-]{43}$/;
