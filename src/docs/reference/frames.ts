/** The frames of a terminal's connection as Markdown, from the contract at /asyncapi.json. */
import type { AsyncApiDocument, AsyncApiMessage, AsyncApiOperation } from "../contracts/asyncapi.ts";
import { markdownTable } from "../build/text.ts";
import { exampleBlocks } from "./call-pages.ts";
import { type ResolveReference, createResolver, schemaTables } from "./schema.ts";

export const FRAMES = "Every frame with its fields, from the contract at /asyncapi.json.";

const ACTIONS = { send: "The gateway sends", receive: "The gateway receives" };

/** Writes a page of Markdown. */
export function framesPage(document: AsyncApiDocument): string {
  const resolve = createResolver(document);
  const operations = Object.values(document.operations);
  const parts = ["# Terminal frames", FRAMES];
  for (const { address, title, description } of Object.values(document.channels)) {
    parts.push(`## ${title}`, `\`${address}\``, description);
  }
  parts.push("## What follows what", operationsTable(operations, resolve));
  for (const action of ["send", "receive"] as const) {
    parts.push(`## ${ACTIONS[action]}`);
    for (const message of describeMessages(action, operations, resolve)) parts.push(messageSection(message, resolve));
  }
  return `${parts.join("\n\n")}\n`;
}

function messageSection({ name, summary, payload, examples }: AsyncApiMessage, resolve: ResolveReference): string {
  const blocks = exampleBlocks(examples.map((example) => ({ summary: example.summary, value: example.payload })));
  return [`### ${name}`, `**${summary}**`, schemaTables(payload, resolve), blocks].join("\n\n");
}

function operationsTable(operations: AsyncApiOperation[], resolve: ResolveReference): string {
  const names = (messages: { $ref: string }[]): string =>
    messages.map((message) => `\`${resolve<AsyncApiMessage>(message).name}\``).join(", ");
  const rows = operations.map(({ action, messages, reply, description }) => [
    names(messages),
    action === "send" ? "the gateway" : "the terminal",
    description,
    names(reply?.messages ?? []),
  ]);
  return markdownTable(["Frames", "From", "What they do", "Reply"], rows);
}

/** Describes all messages in one direction: sent first, or as a reply to the other side. */
function describeMessages(
  action: "send" | "receive",
  operations: AsyncApiOperation[],
  resolve: ResolveReference,
): AsyncApiMessage[] {
  const found = new Map<string, AsyncApiMessage>();
  for (const operation of operations) {
    const said = operation.action === action ? operation.messages : (operation.reply?.messages ?? []);
    for (const reference of said) {
      const message = resolve<AsyncApiMessage>(reference);
      found.set(message.name, message);
    }
  }
  return [...found.values()];
}
