// region webhook
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
let last = Number(process.env.LAST ?? 0); // in your books: the number of the last event that they hold

async function receive(request, response) {
  try {
    const event = webhook.verify(await text(request), request.headers); // throws unless the gateway has sent it
    if (event.number > last) console.log((last = event.number), event.type, event.data.referenceId ?? "");
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}
createServer((request, response) => void receive(request, response)).listen(process.env.PORT ?? 9000, "localhost");
// endregion
