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

function book({ number, type, data }) {
  if (number > last) console.log((last = number), type, data.referenceId ?? "");
}

async function receive(request, response) {
  let status = 401; // until the event is verified
  try {
    const event = webhook.verify(await readBody(request), request.headers); // throws unless the gateway has sent it
    status = 500; // if booking fails, the gateway sends the event again
    book(event);
    status = 204;
  } catch (error) {
    console.error(error.message);
  }
  response.writeHead(status).end();
}
createServer((request, response) => void receive(request, response)).listen(process.env.PORT ?? 9000, "localhost");
// endregion webhook
