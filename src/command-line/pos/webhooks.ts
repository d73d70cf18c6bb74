import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallOptions, PosError, type Webhook } from "../../client/pos.ts";
import { WebhookReceiver } from "../../client/webhook.ts";
import { pingProblem } from "../commands.ts";
import { UsageError } from "../invocation.ts";
import type { Call } from "./flags.ts";
import { eventShown } from "./report.ts";

interface Action {
  usage: string;
  arguments: number;
  run: (call: Call, first: string) => Promise<unknown>;
}

const ACTIONS: Record<string, Action> = {
  list: { usage: "list", arguments: 0, run: async ({ pos, options }) => (await pos.webhooks(options)).map(rowOf) },
  add: { usage: "add URL", arguments: 1, run: ({ pos, options }, url) => pos.addWebhook(url, options) },
  remove: { usage: "remove ID", arguments: 1, run: ({ pos, options }, id) => pos.removeWebhook(id, options) },
  enable: {
    usage: "enable ID",
    arguments: 1,
    run: async ({ pos, options }, id) => rowOf(await pos.changeWebhook(id, { enabled: true }, options)),
  },
  disable: {
    usage: "disable ID",
    arguments: 1,
    run: async ({ pos, options }, id) => rowOf(await pos.changeWebhook(id, { enabled: false }, options)),
  },
  test: {
    usage: "test ID",
    arguments: 1,
    run: async ({ pos, options }, id) => {
      const answer = await pos.testWebhook(id, options);
      const { status } = answer;
      const message = pingProblem(answer);
      if (message === null) return answer;
      throw new PosError(
        status === null ? { kind: "unreachable", message } : { kind: "refused", status, message },
        false,
      );
    },
  },
  replay: {
    usage: "replay ID --after NUMBER",
    arguments: 1,
    run: async ({ pos, flags: { after }, options }, id) => {
      if (after === undefined) throw new UsageError("Name the start: --after NUMBER, 0 for everything that is kept.");
      return rowOf(await pos.replayWebhook(id, after, options));
    },
  },
  listen: { usage: "listen [--port NUMBER] [--after NUMBER]", arguments: 0, run: (call) => listen(call) },
};

export const WEBHOOK_ACTIONS: string = Object.keys(ACTIONS).join("|");

export function webhooksCommand(call: Call): Promise<unknown> {
  const [name = "list", ...rest] = call.args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) throw new UsageError(`webhooks ${name} does not exist. Webhooks: ${WEBHOOK_ACTIONS}.`);
  if (rest.length !== action.arguments) throw new UsageError(`Usage: webhooks ${action.usage}`);
  return action.run({ ...call, args: rest }, rest[0] ?? "");
}

/** Only the last attempt, so that an endpoint fits in one row. */
function rowOf({ id, url, enabled, disabledBy, cursor, behind, skipped, attempts, nextAttempt }: Webhook): object {
  const [last] = attempts;
  const lastAttempt = last === undefined ? null : `${last.at} ${last.status ?? "no answer"}`;
  return { id, url, enabled, disabledBy, cursor, behind, skipped, lastAttempt, nextAttempt };
}

/**
 * Adds a webhook, verifies and prints the account's events until it is stopped, and removes the webhook at the end. The
 * gateway must run on this machine, because no other can reach it.
 */
async function listen({ pos, flags: { port = 0, after }, options, print, complain }: Call): Promise<undefined> {
  const stopped = options.signal ?? new AbortController().signal;
  let receiver: WebhookReceiver | null = null;
  const server = createServer((request, response) => {
    void bodyOf(request)
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
    receiver = new WebhookReceiver({ secret, last: 0, onEvent: (event) => print(eventShown(event)) });
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
  return undefined;
}

/** Milliseconds for the gateway's answer to the removal. */
const REMOVE_WITHIN = 10_000;

/** More than any event contains. */
const BODY_BYTES = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
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
