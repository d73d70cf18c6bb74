/**
 * Text that a page's Markdown takes from the code, such as a number, a table or a block of code: `<!--NAME-->` and `<!--/-->`
 * enclose it. `npm run figures` writes it and a test checks it, so that a page reads the same wherever its file is shown.
 */
import { API_VERSIONS } from "../../protocol/api-version.ts";
import { CLOSE_CODES } from "../contracts/close-codes.ts";
import {
  DEMO_TERMINAL_SECRET,
  EXCHANGE,
  SIGNED_REQUEST,
  TERMINAL_EXAMPLES,
} from "../../gateway/http/openapi/terminal-examples.ts";
import { DEMO_SIGNING_KEY, EXAMPLES } from "../../gateway/http/openapi/examples.ts";
import { EVENT_EXAMPLES } from "../../protocol/schemas/event-examples.ts";
import { LOG_EVENT_GROUPS } from "../../gateway/lib/log-events.ts";
import { type Metric, METRICS } from "../../gateway/http/operator/metrics/table.ts";
import { GATEWAY_CODES, RESOLVED } from "../../protocol/gateway-codes.ts";
import { signedForm } from "../../protocol/signing/canonical.ts";
import { callsList } from "../reference/call-pages.ts";
import { figure } from "./figures.ts";
import { speedInsert } from "./speed.ts";
import { fileText, markdownTable } from "./text.ts";

/** Each makes its text from the words behind its name. */
const INSERTS: Record<string, (words: string) => string> = {
  calls: callsList,
  "close-codes": closeCodes,
  "gateway-codes": gatewayCodes,
  "log-events": logEventTables,
  metrics: metricsTable,
  signed: (name) => SIGNED[name] ?? "",
  exchange: exchangeBlock,
  duties,
  speed: speedInsert,
  example: exampleBlock,
  readme: readmeExample,
  sample: sampleBlock,
  API_VERSIONS: () => API_VERSIONS.map((version) => `\`${version}\``).join(", "),
};

const { signature, ...sale } = EXAMPLES.sale.request;

/** What the introductions of the contracts show of signed examples. */
const SIGNED: Record<string, string> = {
  "sale message": JSON.stringify(sale, null, 2),
  "sale form": signedForm(sale),
  "sale signature": signature,
  "sale key": DEMO_SIGNING_KEY,
  login: JSON.stringify(TERMINAL_EXAMPLES.login),
  bind: JSON.stringify(TERMINAL_EXAMPLES.bind),
  "request form": signedForm(SIGNED_REQUEST),
  "request signature": SIGNED_REQUEST.signature,
  "request key": DEMO_TERMINAL_SECRET,
};

const PLACE = /<!--([^/\n][^\n]*?)-->(.*?)<!--\/-->/gsu;

function closeCodes(): string {
  const rows = CLOSE_CODES.map(({ code, why, action }) => [`\`${code}\``, why, action]);
  return markdownTable(["Code", "Why", "What the terminal does"], rows);
}

function gatewayCodes(): string {
  const rows = Object.entries(GATEWAY_CODES).map(([code, { statusCode, responseText }]) => [
    `\`${statusCode}\``,
    `\`${code}\``,
    responseText,
  ]);
  const resolved = [
    "`00` or `11`",
    `\`${RESOLVED}\``,
    "The operator resolved the transaction; this is the operator's reason.",
  ];
  return markdownTable(["`statusCode`", "`responseCode`", "`responseText`"], [...rows, resolved]);
}

/**
 * Makes one table for each group. The sections need no words of their own, because each row says what to do. Events that ask
 * for the same share a row.
 */
function logEventTables(): string {
  return LOG_EVENT_GROUPS.map(({ title, events }) => {
    const named = Object.entries(events).map(
      ([event, { levels, meaning }]) => [event, levels.join(", "), meaning] as const,
    );
    const rows = [
      ...new Map(named.map(([, level, meaning]) => [level + meaning, [level, meaning] as const])).values(),
    ].map(([level, meaning]) => {
      const sharing = named.filter((other) => other[1] === level && other[2] === meaning);
      return [sharing.map(([event]) => `\`${event}\``).join(", "), level, meaning];
    });
    return `## ${title}\n\n${markdownTable(["Event", "Level", "What it means, and what to do"], rows)}`;
  }).join("\n\n");
}

function metricsTable(): string {
  const rows = Object.entries<Metric>(METRICS).map(([name, { type, help, labels = {} }]) => [
    `\`${name}\``,
    type,
    help,
    Object.entries(labels)
      .map(([label, words]) => `\`${label}\`: ${words}`)
      .join("<br>"),
  ]);
  return markdownTable(["Name", "Type", "What it is", "Labels"], rows);
}

/** The numbered list of the page for developers of terminals, which is the only place of the duties. */
function duties(): string {
  const [, list = ""] =
    /^## Duties\n\n(.*?)\n\n(?!\d|   )/msu.exec(fileText("src/docs/terminal-requirements.md")) ?? [];
  return withInserts(list);
}

/** A line of the block is so many columns wide. */
const BLOCK_WIDTH = 76;

/** The frames of a sale; long ones are broken between fields. */
function exchangeBlock(): string {
  const lines = EXCHANGE.flatMap(([from, frame]) => {
    const fields = typeof frame === "string" ? [frame] : JSON.stringify(frame).split(/(?<=,)(?=")/u);
    const rows: string[] = [];
    for (const field of fields) {
      const last = rows.at(-1);
      if (last === undefined || last.length + field.length > BLOCK_WIDTH) rows.push(field);
      else rows.splice(-1, 1, last + field);
    }
    return rows.map((row, index) => `${(index === 0 ? from : "").padEnd(9)}${row}`);
  });
  return ["```text", ...lines, "```"].join("\n");
}

/** A signed example of the contract, such as `inquiry request`, or the list of transactions as JSON. */
function exampleBlock(words: string): string {
  const [name = "", part] = words.split(" ");
  const example = (EXAMPLES as Record<string, { request: object; answer: object } | undefined>)[name];
  const value =
    name === "transactions"
      ? { data: [EVENT_EXAMPLES["transaction.completed"].data], next: null }
      : example?.[part === "request" ? "request" : "answer"];
  if (value === undefined) throw new Error(`The contract has no example ${words}.`);
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** The block of the client's README that has a text. Its examples are tested. */
function readmeExample(text: string): string {
  const blocks = [...fileText("src/sdk/README.md").matchAll(/^```js\n(.*?)^```$/gmsu)].map(([, code = ""]) => code);
  const found = blocks.find((code) => code.includes(text));
  if (found === undefined) throw new Error(`The client's README has no example with ${text}.`);
  return `\`\`\`js\n${found}\`\`\``;
}

/** The languages of the samples, by the ending of a file. */
const LANGUAGES: Record<string, string> = { cs: "cs", java: "java", mjs: "js", php: "php", py: "py" };

/** A region of a sample, as `pos/pos.py#store`, without the indentation that all its lines have. */
function sampleBlock(words: string): string {
  const [path = "", region = ""] = words.split("#");
  const lines = fileText(`src/docs/examples/${path}`).split("\n");
  const [start, end] = ["region", "endregion"].map((word) =>
    lines.findIndex((line) => line.trim().replace(/^(?:#|\/\/) /u, "") === `${word} ${region}`),
  );
  if (start === undefined || end === undefined || start < 0 || end < start) throw new Error(`No sample ${words}.`);
  const shown = lines.slice(start + 1, end);
  const indents = shown.filter((line) => line !== "").map((line) => /^ */u.exec(line)?.[0].length ?? 0);
  const code = shown.map((line) => line.slice(Math.min(...indents))).join("\n");
  return `\`\`\`${LANGUAGES[path.split(".").at(-1) ?? ""] ?? "text"}\n${code}\n\`\`\``;
}

/** Returns the Markdown with the newest texts. Throws for an unknown name. */
export function withFigures(source: string): string {
  return source.replaceAll(PLACE, (_, name: string, old: string) => {
    const text = renderInsert(name);
    return `<!--${name}-->${old.includes("\n") || text.includes("\n") ? `\n\n${text.trim()}\n\n` : text}<!--/-->`;
  });
}

/** The same without the comments, for a text that is not Markdown of a page. */
export function withInserts(source: string): string {
  return source.replaceAll(PLACE, (_, name: string) => renderInsert(name));
}

function renderInsert(words: string): string {
  const [first = "", ...rest] = words.split(" ");
  return INSERTS[first]?.(rest.join(" ")) ?? figure(words);
}
