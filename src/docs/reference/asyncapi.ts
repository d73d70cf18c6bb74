/** Any AsyncAPI 3 document as a page: every channel, operation and message of it. */
import { headingHtml, unused, renderInline, type Heading, type Rendered } from "../build/markdown.ts";
import { escapeHtml, slug } from "../build/html.ts";
import { exampleHtml, markdown } from "./openapi.ts";
import { resolverOf, type Schema, schemaHtml } from "./schema.ts";

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
  messages?: Record<string, Message | { $ref: string }>;
}

interface Operation {
  action: "send" | "receive";
  title?: string;
  summary?: string;
  description?: string;
  channel: { $ref: string };
  messages?: { $ref: string }[];
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

  const messageHtml = (given: Message | { $ref: string }, action: "send" | "receive"): string => {
    const message = resolve<Message>(given);
    const name = message.name ?? message.title ?? "message";
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
  for (const action of ["send", "receive"] as const) {
    const own = operations.filter((operation) => operation.action === action);
    if (own.length === 0) continue;
    parts.push(heading(2, ACTIONS[action]));
    const shown = new Set<string>();
    for (const { summary, description, channel, messages } of own) {
      if (own.length > 1 && summary !== undefined) parts.push(`<p>${renderInline(summary)}</p>`);
      parts.push(markdown(description));
      const all = messages ?? Object.values(resolve<Channel>(channel).messages ?? {});
      for (const message of all) {
        const key = JSON.stringify(message);
        if (shown.has(key)) continue;
        shown.add(key);
        parts.push(messageHtml(message, action));
      }
    }
  }
  return { html: parts.join("\n"), headings };
}
