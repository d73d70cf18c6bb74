/** The page at the gateway's own address. It is static, so that the Worker does not carry it. */
import { startPageName, type Switches } from "../gateway/http/site/static-pages.ts";

const CONSOLE = `<li><a href="/console">Console</a>: a POS and a terminal in the browser</li>`;
const OPERATOR = `<li><a href="/operator/console">Operator's page</a>: current problems, sales figures, every payment</li>`;

export function startPages(): Record<string, string> {
  const both = [false, true];
  const combinations = both.flatMap((console) => both.map((operator) => ({ console, operator })));
  return Object.fromEntries(combinations.map((switches) => [`${startPageName(switches)}.html`, startPage(switches)]));
}

/** @param switches the pages that are on, and to which this one leads */
export function startPage(switches: Switches): string {
  const console = switches.console ? CONSOLE : "";
  const operator = switches.operator ? OPERATOR : "";
  return `<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Payment terminal gateway</title>
        <meta
          name="description"
          content="The start page of this gateway between points of sale and payment terminals: documentation, reference, contracts, health."
        />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/start.css" />
      </head>
      <body>
        <main>
            <h1>The gateway is up</h1>
            <p class="lead">It connects points of sale and payment terminals. Start with one of these.</p>
            <ul>
              <li><a href="/docs">Documentation</a>: what it does and promises</li>
              <li><a href="/docs/first-sale">First sale</a>: from the login to a sale, as commands</li>
              <li><a href="/docs/reference">HTTP reference</a>: every call</li>
              ${console}
              ${operator}
              <li><a href="/openapi.json">OpenAPI</a> and <a href="/asyncapi.json">AsyncAPI</a>: the contracts</li>
              <li><a href="/healthz">Health</a>: whether it can serve</li>
            </ul>
        </main>
      </body>
    </html>`;
}
