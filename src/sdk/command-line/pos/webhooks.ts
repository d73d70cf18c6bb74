import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallOptions, PosError, type Webhook } from "../../client/pos.ts";
import { WebhookReceiver } from "../../client/webhook.ts";
import type { Command, Option } from "commander";
import { DELIVERY_WAIT } from "../../../protocol/limits.ts";
import { hasTaken, type PingAnswer } from "../../../protocol/webhooks.ts";
import { SECOND, type Milliseconds } from "../../../protocol/time/units.ts";
import { UsageError } from "../invocation.ts";
import { addingTo, option, parseWholeNumber } from "../program.ts";
import type { PosCall, PerformPos } from "./call.ts";
import { reportData, reportEvent } from "./report.ts";

/** `webhooks`, with a command for each call about them. */
export function addWebhooks(program: Command, perform: PerformPos): void {
  const webhooks = program
    .command("webhooks")
    .description("lists and changes the addresses that get the account's events")
    .helpCommand(false);
  const add = addingTo(webhooks, perform);
  const after = option(
    "--after <NUMBER>",
    "deliver the events after this number; 0 for all that are kept",
    parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
  );
  const one = (usage: string, does: string, run: (call: PosCall, id: string) => Promise<unknown>, options?: Option[]) =>
    add(usage, does, async (call, first = "") => reportData(await run(call, first)), options);
  one("list", "lists the webhooks", async ({ pos, options }) => (await pos.webhooks(options)).map(toRow));
  one("add <URL>", "adds a webhook, and shows its secret once", ({ pos, options }, url) =>
    pos.addWebhook(url, options),
  );
  one("remove <ID>", "removes a webhook", ({ pos, options }, id) => pos.removeWebhook(id, options));
  for (const enabled of [true, false]) {
    const change = async ({ pos, options }: PosCall, id: string) =>
      toRow(await pos.changeWebhook(id, { enabled }, options));
    one(
      `${enabled ? "enable" : "disable"} <ID>`,
      enabled ? "starts a webhook's deliveries again" : "stops a webhook's deliveries",
      change,
    );
  }
  one("test <ID>", "sends a ping to a webhook, and shows the answer", test);
  one(
    "replay <ID>",
    "delivers the events after a number again",
    async ({ pos, flags, options }, id) => toRow(await pos.replayWebhook(id, flags.after ?? 0, options)),
    [option(after.flags, after.description, parseWholeNumber(0, Number.MAX_SAFE_INTEGER)).makeOptionMandatory()],
  );
  const port = option("--port <NUMBER>", "a port of this machine (default: any free one)", parseWholeNumber(0, 65_535));
  add("listen", "shows events on this machine until Ctrl-C, for development", listen, [port, after]);
}

async function test({ pos, options }: PosCall, id: string): Promise<unknown> {
  const answer = await pos.testWebhook(id, options);
  const message = pingProblem(answer);
  if (message === null) return answer;
  const { status } = answer;
  throw new PosError(status === null ? { kind: "unreachable", message } : { kind: "refused", status, message }, false);
}

/** Why a webhook's ping counts as failed; null: the receiver has accepted it. */
function pingProblem({ status, milliseconds }: PingAnswer): string | null {
  if (hasTaken(status)) return null;
  if (status !== null) {
    return `The webhook answered the ping with ${status}. It must answer 200 to 299; 401 means a wrong secret.`;
  }
  return milliseconds < DELIVERY_WAIT
    ? "The gateway could not connect to the webhook. Check its address and certificate, and that it runs."
    : `The webhook did not answer the ping within ${DELIVERY_WAIT / SECOND} seconds.`;
}

/** Only the last attempt, so that an endpoint fits in one row. */
function toRow({ id, url, enabled, disabledBy, cursor, behind, skipped, attempts, nextAttempt }: Webhook): object {
  const [last] = attempts;
  const lastAttempt = last === undefined ? null : `${last.at} ${last.status ?? "no answer"}`;
  return { id, url, enabled, disabledBy, cursor, behind, skipped, lastAttempt, nextAttempt };
}

/**
 * Adds a webhook, verifies and prints the account's events until it is stopped, and removes the webhook at the end. The
 * gateway must run on this machine, because no other can reach it.
 */
async function listen({ pos, flags: { port = 0, after }, options, print, complain }: PosCall): Promise<null> {
  const stopped = options.signal ?? new AbortController().signal;
  let receiver: WebhookReceiver | null = null;
  const server = createServer((request, response) => {
    void readBody(request)
      .then((body) => receiver?.receive(request.headers, body))
      .then((reception) => {
        if (reception?.kind === "refused") complain(`Refused: ${reception.mistake}.`);
        if (reception?.kind === "ping") complain("A ping.");
        response.writeHead(reception?.status ?? 503).end();
      })
      .catch(() => response.destroy());
  });
  const { port: bound } = await opened(server, port);
  // Without the signal, so that Ctrl-C in between leaves no webhook behind.
  const patient: CallOptions = options.within === undefined ? {} : { within: options.within };
  const { id, secret } = await pos.addWebhook(`http://localhost:${bound}/`, patient);
  try {
    receiver = new WebhookReceiver({ secret, last: 0, onEvent: (event) => print(reportEvent(event)) });
    if (after !== undefined) await pos.replayWebhook(id, after, patient);
    complain(`${id} delivers to this machine, port ${bound}. Ctrl-C ends it.`);
    await new Promise<void>((resolve) => {
      if (stopped.aborted) resolve();
      stopped.addEventListener("abort", () => resolve());
    });
  } finally {
    await pos.removeWebhook(id, { within: REMOVE_WITHIN });
    complain(`${id} is removed.`);
    server.close();
    server.closeAllConnections();
  }
  return null;
}

/** The gateway answers the removal within it. */
const REMOVE_WITHIN: Milliseconds = 10_000;

/** More than any event contains. */
const BODY_BYTES = 1_000_000;

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) throw new Error("too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function opened(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", () => reject(new UsageError(`Port ${port} cannot be used. Choose another one with --port.`)));
    // By host name, as the gateway calls it.
    server.listen(port, "localhost", () => resolve(server.address() as AddressInfo));
  });
}
