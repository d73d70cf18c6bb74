/** Tables that are made from the code, and from the sections of a page. */
import { CLOSE_CODES_TABLE } from "../../contracts/asyncapi/close-codes.ts";
import { GATEWAY_CODES } from "../../protocol/gateway-codes.ts";
import errors from "../errors.md" with { type: "text" };
import { markdownTable } from "./markdown.ts";

export const TABLES: Record<string, () => string> = {
  "texts table": textsTable,
  "errors table": errorsTable,
  "close codes table": () => `${CLOSE_CODES_TABLE}\n`,
};

/** The gateway's codes with their `responseText`. */
function textsTable(): string {
  return markdownTable(
    ["responseCode", "responseText"],
    Object.entries(GATEWAY_CODES).map(([code, { responseText }]) => [`\`${code}\``, responseText]),
  );
}

/** A section of the page about errors: its code, title, name, status and fix. */
const SECTION = /^### (\d+): ([^\n]*) \{#\1\}\n\n(`\w+`), status (\d+)\.[^#]*?^\*\*Fix\.\*\* (.*?)\n\n/gmsu;

/** Every error of a call with its fix, from the sections that explain them. */
function errorsTable(): string {
  const rows = [...errors.matchAll(SECTION)].map(([, code = "", title = "", name = "", status = "", fix = ""]) => {
    return [status, name, `[${code}](#${code})`, `${title}.`, fix.replaceAll("\n", " ")];
  });
  return markdownTable(["Status", "`error`", "`code`", "Problem", "Fix"], rows);
}
