/** The HTTP reference: a page that lists every call, and a page for each family of calls, which Scalar fills. */
import type { OpenApiDocument } from "../../http/openapi/openapi.ts";
import { slug } from "../build/html.ts";
import { renderMarkdown, type Rendered } from "../build/markdown.ts";
import type { PageEntry } from "../build/page.ts";

const REFERENCE = "/docs/reference";

export interface ListedCall {
  /** `POST /auth/login` */
  name: string;
  summary: string;
  /** Its section, at the address that Scalar gives it. */
  href: string;
  /** The OpenAPI operation. */
  operation: object;
}

export interface ListedFamily {
  /** The tag of its calls. */
  name: string;
  description: string;
  path: string;
  calls: ListedCall[];
}

/** The families in the order of the document's tags. */
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

/** The list of all calls. */
export function callsPage(document: OpenApiDocument): Rendered {
  const sections = familiesOf(document).map(({ name, description, path, calls }) => {
    // Not a Markdown link: that would encode the braces, which Scalar does not.
    const rows = calls.map((call) => `| <a href="${call.href}"><code>${call.name}</code></a> | ${call.summary} |`);
    return `## ${name}\n\n${description} [All details](${path})\n\n| | |\n| --- | --- |\n${rows.join("\n")}\n`;
  });
  return renderMarkdown(
    "Each call has its parameters, fields, answers and examples, and a button that sends it to this gateway. The lists are " +
      `generated from [\`/openapi.json\`](/openapi.json).\n\n${sections.join("\n")}`,
  );
}

/** A page for each family. reference.mjs shows the calls with the tag that the page names. */
export function familyPages(document: OpenApiDocument): (PageEntry & { content: string })[] {
  const families = familiesOf(document);
  return families.map(({ name, description, path }) => ({
    path,
    name,
    title: name,
    description,
    layout: "scalar",
    tag: name,
    content: `${note(name)}

[All calls](${REFERENCE}): ${families.map((one) => (one.path === path ? `**${one.name}**` : `[${one.name}](${one.path})`)).join(" · ")}

<noscript>A script makes this page. Without it, read <a href="/openapi.json">the contract</a>.</noscript>
`,
  }));
}

/** What to know before you send a call of a family from its page. */
function note(family: string): string {
  const send = '"Test Request" sends a call to the gateway that serves this page.';
  if (family === "Session") return `${send} Start with \`POST /auth/login\`.`;
  if (family === "Service") return send;
  if (family.startsWith("Operator")) {
    return `${send} Give it a token from \`OPERATOR_TOKENS\`: on your machine, the part after the colon in \`.dev.vars\`.`;
  }
  if (family === "Terminal") {
    return `${send} A login and a bind need a [signature](/docs/signatures) that this page does not compute.`;
  }
  return (
    `${send} Give it the access token from [\`POST /auth/login\`](${REFERENCE}/session). A signed call, such as a transfer, ` +
    "needs a [signature](/docs/signatures) that this page does not compute."
  );
}
