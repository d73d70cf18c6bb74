import type { AsyncApiDocument, Message, Operation, Reference } from "../../contracts/asyncapi.ts";
import { codeHtml } from "../build/highlight.ts";
import { headingHtml, renderInline, renderMarkdown, unused, type Heading, type Rendered } from "../build/markdown.ts";
import { escapeHtml, slug, tableHtml } from "../build/html.ts";
import { type Resolve, resolverOf, schemaHtml } from "./schema.ts";

const ACTIONS = { send: "The gateway sends", receive: "The gateway receives" };

export function asyncApiPage(document: AsyncApiDocument): Rendered {
  const headings: Heading[] = [];
  const ids = new Set<string>();
  const resolve = resolverOf(document);
  const heading = (depth: number, text: string, content = escapeHtml(text)): string => {
    const id = unused(slug(text), ids);
    headings.push({ depth, id, text });
    return headingHtml(depth, id, content, text);
  };

  const messageHtml = (message: Message, action: "send" | "receive"): string => {
    const { name, summary, payload } = message;
    const content = `<span class="method method-${action}">${action === "send" ? "to" : "from"} the terminal</span> <code>${escapeHtml(name)}</code>`;
    const examples = message.examples.map((example, place) =>
      exampleHtml(example.summary, example.payload, place === 0),
    );
    return [
      `<section class="operation">`,
      heading(3, name, content).replace("<h3 ", '<h3 class="route" '),
      `<p><strong>${renderInline(summary)}</strong></p>`,
      schemaHtml(payload, resolve),
      ...examples,
      "</section>",
    ].join("\n");
  };

  const operations = Object.values(document.operations);
  const parts = Object.values(document.channels).map(
    ({ address, title, description }) =>
      `${heading(2, title)}<p><code>${escapeHtml(address)}</code></p>${renderMarkdown(description).html}`,
  );
  parts.push(heading(2, "What follows what"), operationsTable(operations, resolve));
  for (const action of ["send", "receive"] as const) {
    const messages = messagesOf(action, operations, resolve);
    parts.push(heading(2, ACTIONS[action]), ...messages.map((message) => messageHtml(message, action)));
  }
  return { html: parts.join("\n"), headings };
}

function operationsTable(operations: Operation[], resolve: Resolve): string {
  const names = (messages: Reference[]): string =>
    messages.map((message) => `<code>${escapeHtml(resolve<Message>(message).name)}</code>`).join(", ");
  const rows = operations.map(({ action, messages, reply, summary, description }) => {
    const who = action === "send" ? "the gateway" : "the terminal";
    return (
      `<tr><td>${names(messages)}<br><span class="facts">from ${who}</span></td>` +
      `<td>${renderInline(summary)} ${renderInline(description)}</td><td>${names(reply?.messages ?? [])}</td></tr>`
    );
  });
  return tableHtml("Operations", ["Frames", "What they do", "Reply"], rows);
}

/** All messages in one direction: sent first, or as a reply to the other side. */
function messagesOf(action: "send" | "receive", operations: Operation[], resolve: Resolve): Message[] {
  const found = new Map<string, Message>();
  for (const operation of operations) {
    const said = operation.action === action ? operation.messages : (operation.reply?.messages ?? []);
    for (const reference of said) {
      const message = resolve<Message>(reference);
      found.set(message.name, message);
    }
  }
  return [...found.values()];
}

function exampleHtml(name: string, value: unknown, open: boolean): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return `<details class="example"${open ? " open" : ""}><summary>${renderInline(name)}</summary>${codeHtml(text, "json")}</details>`;
}
