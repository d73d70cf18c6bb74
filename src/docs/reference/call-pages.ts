/** The HTTP reference as Markdown: a table of every call, and a page for each family of calls. */
import type {
  OpenApiResponse,
  Example,
  Header,
  MediaType,
  OpenApiOperation,
  Parameter,
} from "../../gateway/http/openapi/document.ts";
import { OTHER_TYPES } from "../../gateway/http/openapi/document.ts";
import { openApi, type OpenApiDocument } from "../../gateway/http/openapi/openapi.ts";
import { markdownTable, slug } from "../build/text.ts";
import { rangeWords, type ResolveReference, createResolver, schemaTables, typeWords, type Schema } from "./schema.ts";

interface ListedCall {
  /** Such as `POST /auth/login`, or the name of an event that is delivered to a webhook. */
  name: string;
  path: string;
  method: string;
  operation: OpenApiOperation;
}

interface Family {
  name: string;
  /** The address of the page below /docs/reference. */
  page: string;
  description: string;
  calls: ListedCall[];
}

/** Requests that the gateway sends have a page of their own. */
const DELIVERIES = {
  name: "Webhook deliveries",
  page: "webhook-deliveries",
  description: "What the gateway posts to an account's webhook, by type of event.",
};

/** Lists the families in the order of the document's tags. */
export function listFamilies({ tags, paths, webhooks }: OpenApiDocument): Family[] {
  const calls = listed(paths, (method, path) => `${method.toUpperCase()} ${path}`);
  const deliveries = listed(webhooks, (_, event) => event);
  return tags.flatMap(({ name, description }) => {
    const isOwn = ({ operation }: ListedCall): boolean => operation.tags.includes(name);
    const own = { name, page: slug(name), description, calls: calls.filter(isOwn) };
    const posted = deliveries.filter(isOwn);
    return posted.length === 0 ? [own] : [own, { ...DELIVERIES, calls: posted }];
  });
}

function listed(items: Record<string, object>, nameOf: (method: string, path: string) => string): ListedCall[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OpenApiOperation>).map(([method, operation]) => ({
      name: nameOf(method, path),
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}

/** The sections of the page that lists every call. */
export function callsList(): string {
  const sections = listFamilies(openApi()).map(({ name, page, description, calls }) => {
    const rows = calls.map((call) => [`[\`${call.name}\`](${AT}/${page}#${slug(call.name)})`, call.operation.summary]);
    return `## ${name}\n\n${description}\n\n${markdownTable(["Call", "What it does"], rows)}`;
  });
  return sections.join("\n\n");
}

/** Pages that are generated have no file to which a link in the repository could lead. */
const AT = "http://127.0.0.1:8787/docs/reference";

/** Writes a page of Markdown. */
export function familyPage({ name, description, calls }: Family, document: OpenApiDocument): string {
  const resolve = createResolver(document);
  const sections = calls.map((call) => callSection(call, document, resolve));
  return `# ${name}\n\n${description}\n\n${sections.join("\n\n")}\n`;
}

function callSection(
  { name, path, method, operation }: ListedCall,
  document: OpenApiDocument,
  resolve: ResolveReference,
): string {
  const { summary, description, security, parameters = [], requestBody, responses } = operation;
  const parts = [`## \`${name}\``, `**${summary}**`, description];
  if (path.startsWith("/")) parts.push(`**Caller.** ${callerWords(security, document)}`);
  if (parameters.length > 0) parts.push("**Parameters**", parametersTable(parameters, resolve));
  if (requestBody !== undefined) {
    const [type = "", media] = Object.entries(requestBody.content)[0] ?? [];
    parts.push(`**${path.startsWith("/") ? "Body" : "What is posted"}.** ${requestBody.description} (\`${type}\`)`);
    if (media !== undefined) parts.push(schemaTables(media.schema, resolve));
    if (media !== undefined && path.startsWith("/")) parts.push(curlExamples(method, path, operation, media));
    else if (media !== undefined) parts.push(jsonExamples(media));
  }
  parts.push("**Responses**", answersTable(responses, resolve), ...answerDetails(responses, resolve));
  return parts.filter((part) => part !== "").join("\n\n");
}

function callerWords(security: OpenApiOperation["security"], { components }: OpenApiDocument): string {
  const schemes: Record<string, { description: string }> = components.securitySchemes;
  const words = security.flatMap((one) => Object.keys(one)).map((scheme) => schemes[scheme]?.description ?? scheme);
  return words.length === 0 ? "Anybody, without a token." : words.join(" Or: ");
}

function parametersTable(parameters: readonly Parameter[], resolve: ResolveReference): string {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => {
    const field = resolve<Schema>(schema);
    const type = [typeWords({ type: "string", ...field }, resolve), rangeWords(field)].filter(Boolean).join("; ");
    const example = field.examples?.[0] === undefined ? "" : ` Example: \`${exampleText(field.examples[0])}\``;
    return [`\`${name}\``, place, required === true ? "yes" : "", type, description + example];
  });
  return markdownTable(["Parameter", "In", "Required", "Type", "Meaning"], rows);
}

function answersTable(responses: OpenApiOperation["responses"], resolve: ResolveReference): string {
  const rows = Object.entries(responses).map(([status, given]) => {
    const { description, headers = {} } = resolve<OpenApiResponse>(given);
    const own = Object.entries(headers).filter(([name]) => !EVERYWHERE.has(name));
    const said = own.map(([name, header]) => `\`${name}\`: ${resolve<Header>(header).description}`);
    return [`\`${status}\``, [description, ...said].join("<br>")];
  });
  return markdownTable(["Status", "Meaning, and its headers"], rows);
}

/** Every response has these headers: the page of limits explains them. */
const EVERYWHERE = new Set(["X-Request-Id", "Cache-Control"]);

/** The bodies of a call's own responses. Every error has the same body, which the page of errors explains. */
function answerDetails(responses: OpenApiOperation["responses"], resolve: ResolveReference): string[] {
  return Object.entries(responses).flatMap(([status, given]) => {
    const { content = {}, [OTHER_TYPES]: others = {} } = resolve<OpenApiResponse>(given);
    if (Number(status) >= 400) return [];
    return Object.entries({ ...content, ...others }).flatMap(([type, media]) => [
      `**\`${status}\`** (\`${type}\`)`,
      schemaTables(media.schema, resolve),
      jsonExamples(media),
    ]);
  });
}

function listExamples({ example, examples }: MediaType): [string, Example][] {
  if (examples !== undefined) return Object.entries(examples);
  return example === undefined ? [] : [["", { summary: "Example", value: example }]];
}

function jsonExamples(media: MediaType): string {
  return exampleBlocks(listExamples(media).map(([, example]) => example));
}

/** Texts as they are, other values as JSON. */
export function exampleBlocks(examples: readonly Example[]): string {
  return codeGroup(
    examples.map(({ summary, value }) => ({
      title: summary,
      language: typeof value === "string" ? "text" : "json",
      code: typeof value === "string" ? value : JSON.stringify(value, null, 2),
    })),
  );
}

function exampleText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a shell sends. Tokens are in variables, and the signature is that of the example's key. */
function curlExamples(
  method: string,
  path: string,
  { security, parameters = [] }: OpenApiOperation,
  media: MediaType,
): string {
  const scheme = security.flatMap((one) => Object.keys(one))[0];
  const token = scheme === undefined ? "" : ` \\\n  -H "Authorization: Bearer $${TOKENS[scheme] ?? "TOKEN"}"`;
  const address = parameters
    .filter(({ in: place }) => place === "path")
    .reduce(
      (whole, { name, schema }) => whole.replace(`{${name}}`, exampleText(firstExample(schema as Schema) ?? name)),
      path,
    );
  return codeGroup(
    listExamples(media).map(([, { summary, value }]) => ({
      title: summary,
      language: "bash",
      code:
        `curl -s -X ${method} "$GATEWAY_URL${address}"${token} \\\n  -H 'Content-Type: application/json' \\\n` +
        `  -d '${JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`)}'`,
    })),
  );
}

function firstExample({ examples }: Schema): unknown {
  return examples?.[0];
}

const TOKENS: Record<string, string> = {
  accessToken: "ACCESS",
  refreshToken: "REFRESH",
  terminalToken: "TERMINAL_TOKEN",
  operatorToken: "OPERATOR_TOKEN",
};

const MOST_COLOURED = 3;

/** Shows blocks of code as tabs. A single one is no group. */
function codeGroup(blocks: readonly { title: string; language: string; code: string }[]): string {
  // Colours make a block three times as long.
  const isColoured = blocks.length <= MOST_COLOURED;
  const fences = blocks.map(
    ({ title, language, code }) =>
      `\`\`\`${isColoured ? language : "text"} [${title.replaceAll("`", "")}]\n${code}\n\`\`\``,
  );
  return fences.length < 2 ? fences.join("") : `::: code-group\n\n${fences.join("\n\n")}\n\n:::`;
}
