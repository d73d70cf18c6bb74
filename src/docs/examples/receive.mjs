// region webhook
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const MOST_BYTES = 1_000_000;
let last = Number(process.env.LAST ?? 0); // in your books: the number of the last event that they hold

async function readBody(request) {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
    if (parts.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) throw new Error("The body is too long.");
  }
  return Buffer.concat(parts).toString();
}

async function receive(request, response) {
  try {
    const event = webhook.verify(await readBody(request), request.headers); // throws unless the gateway has sent it
    if (event.number > last) console.log((last = event.number), event.type, event.data.referenceId ?? "");
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}
createServer((request, response) => void receive(request, response)).listen(process.env.PORT ?? 9000, "localhost");
// endregion webhook
