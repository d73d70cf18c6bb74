/** Any AsyncAPI 3 document as a page: every channel, operation and message of it. */
import { codeHtml } from "../build/highlight.ts";
import { headingHtml, renderInline, renderMarkdown, unused, type Heading, type Rendered } from "../build/markdown.ts";
import { columnHead, escapeHtml, slug } from "../build/html.ts";
import { type Resolve, resolverOf, type Schema, schemaHtml } from "./schema.ts";

interface Message {
  name?: string;
  title?: string;
  summary?: string;
  description?: string;
  payload?: Schema;
  examples?: { name?: string; summary?: string; payload?: unknown }[];
}

interface Channel {
  address?: string | null;
  title?: string;
  summary?: string;
  description?: string;
}

interface Operation {
  action: "send" | "receive";
  title?: string;
  summary?: string;
  description?: string;
  messages?: { $ref: string }[];
  reply?: { messages?: { $ref: string }[] };
}

export interface AsyncApi {
  info: { title: string; version: string; description?: string };
  channels?: Record<string, object>;
  operations?: Record<string, object>;
}

const ACTIONS = { send: "The gateway sends", receive: "The gateway receives" };

export function asyncApiPage(document: AsyncApi): Rendered {
  const headings: Heading[] = [];
  const ids = new Set<string>();
  const resolve = resolverOf(document);
  const heading = (depth: number, text: string, content = escapeHtml(text)): string => {
    const id = unused(slug(text), ids);
    headings.push({ depth, id, text });
    return headingHtml(depth, id, content, text);
  };

  const messageHtml = (message: Message, action: "send" | "receive"): string => {
    const name = nameOf(message);
    const content = `<span class="method method-${action}">${action === "send" ? "to" : "from"} the terminal</span> <code>${escapeHtml(name)}</code>`;
    const examples = (message.examples ?? []).map(({ name: example, summary, payload }, place) =>
      exampleHtml(summary ?? example ?? "Example", payload, place === 0),
    );
    return [
      `<section class="operation">`,
      heading(3, name, content).replace("<h3 ", '<h3 class="route" '),
      message.summary === undefined ? "" : `<p><strong>${renderInline(message.summary)}</strong></p>`,
      markdown(message.description),
      message.payload === undefined ? "" : schemaHtml(message.payload, resolve, false),
      ...examples,
      "</section>",
    ].join("\n");
  };

  const operations = Object.values(document.operations ?? {}).map((operation) => operation as Operation);
  const channels = Object.values(document.channels ?? {}).map((channel) => channel as Channel);
  const parts = channels.map(
    ({ address, title, summary, description }) =>
      heading(2, title ?? address ?? "Channel") +
      (address
        ? `<p><code>${escapeHtml(address)}</code> ${summary === undefined ? "" : renderInline(summary)}</p>`
        : "") +
      markdown(description),
  );
  parts.push(heading(2, "What follows what"), operationsTable(operations, resolve));
  for (const action of ["send", "receive"] as const) {
    const messages = messagesOf(action, operations, resolve);
    if (messages.length === 0) continue;
    parts.push(heading(2, ACTIONS[action]), ...messages.map((message) => messageHtml(message, action)));
  }
  return { html: parts.join("\n"), headings };
}

/** Which operations there are, and what each is answered with. */
function operationsTable(operations: Operation[], resolve: Resolve): string {
  const names = (messages: { $ref: string }[] | undefined): string =>
    (messages ?? []).map((message) => `<code>${escapeHtml(nameOf(resolve<Message>(message)))}</code>`).join(", ");
  const rows = operations.map(({ action, messages, reply, summary = "", description = "" }) => {
    const who = action === "send" ? "the gateway" : "the terminal";
    return (
      `<tr><td>${names(messages)}<br><span class="facts">from ${who}</span></td>` +
      `<td>${renderInline(summary)} ${renderInline(description)}</td><td>${names(reply?.messages)}</td></tr>`
    );
  });
  return (
    `<div class="table" role="group" aria-label="Operations" tabindex="0"><table><thead><tr>` +
    `${["Frames", "What they do", "Answered with"].map(columnHead).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
  );
}

/** What goes in one direction: said by itself, or as an answer to the other side. */
function messagesOf(action: "send" | "receive", operations: Operation[], resolve: Resolve): Message[] {
  const found = new Map<string, Message>();
  for (const operation of operations) {
    const own = operation.messages ?? [];
    const said = operation.action === action ? own : (operation.reply?.messages ?? []);
    for (const reference of said) {
      const message = resolve<Message>(reference);
      found.set(nameOf(message), message);
    }
  }
  return [...found.values()];
}

function nameOf({ name, title }: Message): string {
  return name ?? title ?? "message";
}

/** An example behind its name; the first one is open. */
function exampleHtml(name: string, value: unknown, open: boolean): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return `<details class="example"${open ? " open" : ""}><summary>${renderInline(name)}</summary>${codeHtml(text, "json")}</details>`;
}

/** A document's own words. Its headings would stand among the page's: they become bold lines. */
function markdown(words: string | undefined): string {
  if (words === undefined) return "";
  return renderMarkdown(words.replaceAll(/^#+ +(.*)$/gmu, "**$1**")).html;
}
