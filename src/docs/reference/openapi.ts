/** Any OpenAPI 3.1 document as a page: every path, parameter, field, status and header of it. */
import {
  renderMarkdown,
  renderInline,
  codeHtml,
  headingHtml,
  unused,
  type Heading,
  type Rendered,
} from "../build/markdown.ts";
import { escapeHtml, slug } from "../build/html.ts";
import { refName, type Resolve, resolverOf, type Schema, schemaHtml, typeWords } from "./schema.ts";

interface Reference {
  $ref: string;
  description?: string;
}

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; description?: string; value?: unknown }>;
}

interface Field {
  description?: string;
  required?: boolean;
  schema?: Schema;
}

interface Answer {
  description: string;
  headers?: Record<string, Field | Reference>;
  content?: Record<string, MediaType>;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: ((Field & { name: string; in: string }) | Reference)[];
  requestBody?: { description?: string; required?: boolean; content: Record<string, MediaType> };
  responses?: Record<string, Answer | Reference>;
}

export interface OpenApi {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  security?: Record<string, string[]>[];
  paths?: Record<string, object>;
  components?: {
    responses?: Record<string, Answer>;
    securitySchemes?: Record<string, { scheme?: string; description?: string }>;
  };
}

/** What only an upgrade's answer lacks, say, is still described once. */
const NEARLY_ALL = 0.9;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

interface Call {
  method: string;
  path: string;
  operation: Operation;
}

export function openApiPage(document: OpenApi): Rendered {
  const writer = new Writer(document);
  return { html: writer.html(), headings: writer.headings };
}

class Writer {
  readonly headings: Heading[] = [];
  readonly #document: OpenApi;
  readonly #resolve: Resolve;
  readonly #ids = new Set<string>();
  /** Headers that every answer has: described once. */
  readonly #common: Set<string>;

  constructor(document: OpenApi) {
    this.#document = document;
    this.#resolve = resolverOf(document);
    this.#common = this.#commonHeaders();
  }

  html(): string {
    const calls = callsOf(this.#document);
    const tags = this.#document.tags ?? [];
    const untagged = calls.filter(({ operation }) => !tags.some(({ name }) => operation.tags?.includes(name)));
    const groups = [
      ...tags.map((tag) => ({ ...tag, calls: calls.filter(({ operation }) => operation.tags?.includes(tag.name)) })),
      { name: "Other calls", description: undefined, calls: untagged },
    ].filter((group) => group.calls.length > 0);
    return [
      ...groups.map(
        (group) =>
          this.#heading(2, group.name) +
          markdown(group.description) +
          group.calls.map((call) => this.#call(call)).join(""),
      ),
      this.#security(),
      this.#shared(),
    ].join("\n");
  }

  #commonHeaders(): Set<string> {
    const answers = callsOf(this.#document).flatMap(({ operation }) => Object.values(operation.responses ?? {}));
    const lists = answers
      .map((answer) => Object.keys(this.#resolve<Answer>(answer).headers ?? {}))
      .filter((names) => names.length > 0);
    const share = (name: string): number => lists.filter((names) => names.includes(name)).length / lists.length;
    return new Set(lists.flat().filter((name) => share(name) > NEARLY_ALL));
  }

  /** The answers that many calls share, each once, and the headers of all. */
  #shared(): string {
    const responses = Object.entries(this.#document.components?.responses ?? {});
    if (responses.length === 0) return "";
    const title = this.#heading(2, "Shared answers");
    const parts = responses.map(([name, answer]) => this.#heading(3, name) + this.#answer(answer));
    const [, first] = responses[0] ?? [];
    const headers = Object.entries(first?.headers ?? {}).filter(([name]) => this.#common.has(name));
    const table = headers.length === 0 ? "" : this.#heading(3, "Headers of every answer") + this.#headerFields(headers);
    return title + parts.join("") + table;
  }

  #answer({ description, headers = {}, content = {} }: Answer): string {
    const own = Object.entries(headers).filter(([name]) => !this.#common.has(name));
    return `<p>${renderInline(description)}</p>${this.#content(content)}${own.length === 0 ? "" : this.#headerFields(own)}`;
  }

  #headerFields(headers: [string, Field | Reference][]): string {
    return this.#fields(headers.map(([name, header]) => ({ ...this.#resolve<Field>(header), name, place: "header" })));
  }

  /** Made in the order in which they stand: so they are listed, and so the search tells sections apart. */
  #heading(depth: number, text: string, content = escapeHtml(text)): string {
    const id = unused(slug(text), this.#ids);
    this.headings.push({ depth, id, text });
    return headingHtml(depth, id, content, text);
  }

  #call({ method, path, operation }: Call): string {
    const title = `${method.toUpperCase()} ${path}`;
    const content = `<span class="method method-${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code>`;
    const { summary, description, security = this.#document.security ?? [], parameters = [], requestBody } = operation;
    return [
      `<section class="operation">`,
      this.#heading(3, title, content).replace("<h3 ", '<h3 class="route" '),
      summary === undefined ? "" : `<p><strong>${renderInline(summary)}</strong></p>`,
      markdown(description),
      `<p class="facts">${this.#securityWords(security)}</p>`,
      parameters.length === 0 ? "" : `<h4>Parameters</h4>${this.#parameters(parameters)}`,
      requestBody === undefined
        ? ""
        : `<h4>Body</h4>${markdown(requestBody.description)}${this.#content(requestBody.content)}`,
      `<h4>Answers</h4>${this.#answers(operation.responses ?? {})}`,
      "</section>",
    ].join("\n");
  }

  #securityWords(security: Record<string, string[]>[]): string {
    const names = security.map((one) => Object.keys(one).join(" and "));
    if (names.length === 0) return "Needs no token.";
    return `Needs ${names.map((name) => `<a href="#${slug(name)}"><code>${escapeHtml(name)}</code></a>`).join(" or ")}.`;
  }

  #security(): string {
    const schemes = Object.entries(this.#document.components?.securitySchemes ?? {});
    if (schemes.length === 0) return "";
    const title = this.#heading(2, "Tokens");
    const items = schemes.map(
      ([name, { description = "" }]) =>
        this.#heading(3, name, `<code>${escapeHtml(name)}</code>`) + markdown(description),
    );
    return title + items.join("");
  }

  #parameters(parameters: NonNullable<Operation["parameters"]>): string {
    return this.#fields(
      parameters.map((given) => {
        const parameter = this.#resolve<Field & { name: string; in: string }>(given);
        return { ...parameter, place: parameter.in };
      }),
    );
  }

  #fields(fields: (Field & { name: string; place: string })[]): string {
    const rows = fields.map(({ name, place, required = false, description = "", schema = {} }) => {
      const own = this.#resolve<Schema>(schema);
      const example = own.examples?.[0] ?? own.const;
      return (
        `<tr><td><code>${escapeHtml(name)}</code>${required ? ' <span class="required">mandatory</span>' : ""}</td>` +
        `<td>${place}, ${typeWords(own, this.#resolve)}</td><td>${renderInline(description)}` +
        `${example === undefined ? "" : `<br><span class="facts">Example: <code>${escapeHtml(typeof example === "string" ? example : JSON.stringify(example))}</code></span>`}</td></tr>`
      );
    });
    return (
      `<div class="table" role="group" aria-label="Parameters" tabindex="0"><table><thead><tr><th>Name</th><th>Where</th>` +
      `<th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`
    );
  }

  #content(content: Record<string, MediaType>): string {
    return Object.entries(content)
      .map(([type, { schema, example, examples = {} }]) => {
        const shown = example === undefined ? examples : { Example: { value: example } };
        const blocks = Object.entries(shown).map(([name, one], place) =>
          exampleHtml(("summary" in one ? one.summary : undefined) ?? name, one.value, place === 0),
        );
        const typed = type === "application/json" ? "" : `<p><code>${escapeHtml(type)}</code></p>`;
        return typed + (schema === undefined ? "" : schemaHtml(schema, this.#resolve, false)) + blocks.join("");
      })
      .join("");
  }

  /** Answers of its own in full; those that it shares, as lines that lead to them. */
  #answers(answers: Record<string, Answer | Reference>): string {
    const own = Object.entries(answers).flatMap(([status, answer]) => {
      if ("$ref" in answer) return [];
      return [`<p class="answer">${statusHtml(status)}</p>${this.#answer(answer)}`];
    });
    const shared = Object.entries(answers).flatMap(([status, answer]) => {
      if (!("$ref" in answer)) return [];
      const name = refName(answer) ?? status;
      const words = answer.description === undefined ? "" : ` ${renderInline(answer.description)}`;
      return [`<li><a href="#${slug(name)}">${statusHtml(status)} ${name}</a>${words}</li>`];
    });
    return own.join("") + (shared.length === 0 ? "" : `<ul class="shared">${shared.join("")}</ul>`);
  }
}

function statusHtml(status: string): string {
  return `<span class="status status-${status[0] ?? ""}">${status}</span>`;
}

function callsOf({ paths = {} }: OpenApi): Call[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Partial<Record<string, Operation>>)[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
}

/** An example behind its name; the first one is open. */
export function exampleHtml(name: string, value: unknown, open: boolean): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return `<details class="example"${open ? " open" : ""}><summary>${renderInline(name)}</summary>${codeHtml(text, "json")}</details>`;
}

/** A document's own words. Its headings would stand among the page's: they become bold lines. */
export function markdown(words: string | undefined): string {
  if (words === undefined) return "";
  return renderMarkdown(words.replaceAll(/^#+ +(.*)$/gmu, "**$1**")).html;
}
