/** The HTTP reference: a page that lists every call, and a page for each family of calls, which Scalar fills. */
import type { Answer, Operation } from "../../http/openapi/document.ts";
import type { OpenApiDocument } from "../../http/openapi/openapi.ts";
import { escapeHtml, slug } from "../build/html.ts";
import { renderInline, renderMarkdown, type Rendered } from "../build/markdown.ts";
import { type Resolve, resolverOf } from "./schema.ts";
import type { PageEntry } from "../build/page.ts";

const REFERENCE = "/docs/reference";

interface ListedCall {
  /** Such as `POST /auth/login`. */
  name: string;
  summary: string;
  /** The address that Scalar gives the call's section. */
  href: string;
  operation: Operation;
}

interface ListedFamily {
  name: string;
  description: string;
  path: string;
  calls: ListedCall[];
}

/** In the order of the document's tags. */
export function familiesOf({ tags, paths }: OpenApiDocument): ListedFamily[] {
  const all = Object.entries(paths).flatMap(([route, item]) =>
    Object.entries(item).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${route}`, operation })),
  );
  return tags.map(({ name, description }) => {
    const path = `${REFERENCE}/${slug(name)}`;
    const calls = all
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ call, operation }) => ({
        name: call,
        summary: operation.summary,
        href: `${path}#tag/${slug(name)}/${call.replace(" ", "")}`,
        operation,
      }));
    return { name, description, path, calls };
  });
}

export function callsPage(document: OpenApiDocument): Rendered {
  const sections = familiesOf(document).map(({ name, description, path, calls }) => {
    // Not a Markdown link: that would encode the braces, which Scalar does not.
    const rows = calls.map((call) => `| <a href="${call.href}"><code>${call.name}</code></a> | ${call.summary} |`);
    return `## ${name}\n\n${description} [All details](${path})\n\n| | |\n| --- | --- |\n${rows.join("\n")}\n`;
  });
  return renderMarkdown(
    "Each call has its parameters, fields, responses and examples, and a button that sends it to this gateway. The lists are " +
      "generated from [`/openapi.json`](/openapi.json). [`/openapi-pos.json`](/openapi-pos.json) has only the calls of a " +
      "till, [`/openapi-terminal.json`](/openapi-terminal.json) only those of a terminal: generate your client from these." +
      `\n\n${sections.join("\n")}`,
  );
}

/** A call at the address that Scalar gives it, until Scalar replaces it: links lead there without a script too. */
function callHtml({ name, summary, href, operation }: ListedCall, resolve: Resolve): string {
  const answers = Object.entries(operation.responses).map(
    ([status, answer]) => `<li><code>${status}</code> ${renderInline(resolve<Answer>(answer).description)}</li>`,
  );
  return `<section id="${escapeHtml(href.replace(/^.*#/u, ""))}">
<h2><code>${escapeHtml(name)}</code></h2>
<p><strong>${renderInline(summary)}</strong></p>
${renderMarkdown(operation.description).html}
<h3>Responses</h3><ul>${answers.join("")}</ul>
</section>`;
}

/** reference.mjs shows the calls with the tag that the page names. */
export function familyPages(document: OpenApiDocument): (PageEntry & { content: string })[] {
  const families = familiesOf(document);
  const resolve = resolverOf(document);
  return families.map(({ name, description, path, calls }) => ({
    path,
    name,
    title: name,
    description,
    layout: "scalar",
    tag: name,
    calls: calls.map((call) => callHtml(call, resolve)).join("\n"),
    content: `"Test Request" sends a call to the gateway that serves this page. ${tokenNote(name)}

${calls.some(({ operation }) => mayBeSigned(operation.requestBody?.content["application/json"]?.schema ?? {}, resolve)) ? keyField(name) : ""}

[All calls](${REFERENCE}): ${families.map((one) => (one.path === path ? `**${one.name}**` : `[${one.name}](${one.path})`)).join(" · ")}

<noscript>Without scripts, this page cannot send calls. Their fields are in [/openapi.json](/openapi.json).</noscript>
`,
  }));
}

function tokenNote(family: string): string {
  if (family === "Session") return "Start with `POST /auth/login`.";
  if (family === "Service" || family === "Terminal") return "";
  if (family.startsWith("Operator")) {
    return "Give it a token from `OPERATOR_TOKENS`: on your machine, the part after the colon in `.dev.vars`.";
  }
  return `Give it the access token from [\`POST /auth/login\`](${REFERENCE}/session).`;
}

interface BodySchema {
  properties?: object;
  oneOf?: BodySchema[];
}

function mayBeSigned(schema: BodySchema, resolve: Resolve): boolean {
  const { properties = {}, oneOf = [] } = resolve<BodySchema>(schema);
  return "signature" in properties || oneOf.some((kind) => mayBeSigned(kind, resolve));
}

function keyField(family: string): string {
  return `<p class="key"><label for="signing-key">${family === "Terminal" ? "Terminal's secret" : "Signing key"}</label>
<input id="signing-key" type="password" autocomplete="off" aria-describedby="signs"></p>

<p id="signs">It stays in this page, which <a href="/docs/signatures">signs</a> each body that still has an example's signature, and then
replaces an example's <code>datetime</code>, <code>nonce</code> and <code>call</code>, and the <code>referenceId</code> of a transfer.</p>`;
}
