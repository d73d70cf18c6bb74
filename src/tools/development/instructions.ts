import { resolve } from "node:path";
import { credentialsPath } from "../../sdk/command-line/settings.ts";
import { SIGN_COMMAND } from "../../protocol/signing/shell-command.ts";
import { DEMO_SHOP } from "./demo.ts";
import { DEFAULT_FOLDER } from "./options.ts";

/** Writes commands for bash with perl and curl: log in, sign a sale, send it. Each run is a new transaction. */
function curlLines(baseUrl: string, persistTo: string): string {
  const { posId, merchantId, terminalId } = DEMO_SHOP;
  const members = [
    `"apiVersion":"v1"`,
    `"datetime":"'$(date -u +%Y%m%dT%H%M%S)'"`,
    `"deviceId":"${terminalId}"`,
    `"merchantId":"${merchantId}"`,
    `"posId":"${posId}"`,
    `"referenceId":"'R$(date +%s)$RANDOM'"`,
    `"transData":{"paymentMethod":"bankCard","transAmt":"7.80"}`,
    `"transType":"sale"`,
  ];
  return `. "${resolve(credentialsPath(persistTo))}"   # PASSWORD, SIGNING_KEY
GATEWAY_URL=${baseUrl}
TOKEN=$(curl -s $GATEWAY_URL/auth/login -H 'Content-Type: application/json' \\
  -d @- <<< '{"posId":"${posId}","password":"'"$PASSWORD"'"}' | sed 's/.*"access":{"token":"\\([^"]*\\)".*/\\1/')
BODY='{${members.join(",")}}'
SIGNATURE=$(printf %s "$BODY" | ${SIGN_COMMAND})
curl -s $GATEWAY_URL/api/transfer -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d "\${BODY%?},\\"signature\\":\\"$SIGNATURE\\"}"; echo`;
}

const LINE = "─".repeat(80);

/** Ends with the links, so that they are what a screen shows last. */
export function whereToGoOn(baseUrl: string, persistTo: string, consoleLink: string): string {
  return `
The gateway listens on ${baseUrl}. Terminal ${DEMO_SHOP.terminalId} is connected.
To make your own sale, run in another bash:

${curlLines(baseUrl, persistTo)}

The signature covers the body as JSON with sorted names and no white space, so the lines above write it that way.
Shorter: ${environmentOf(persistTo)}npm run pos -- sale 12.50
Another terminal: ${environmentOf(persistTo)}npm run terminal -- --id T-0001 --bind
The cents of the amount decide the outcome: .05 declined, .22 pending, .88 cancelled by the customer, and more
(${baseUrl}/docs/test-and-go-live).

${LINE}
  POS and terminal  ${consoleLink}
                    Signed in as the demo: keep this link secret. It works while this runs.
  Operator's page   ${baseUrl}/operator/console
                    Its token is in .dev.vars: OPERATOR_TOKENS, after the colon.
  Documentation     ${baseUrl}/docs
                    Until it is built, it answers 503 with a page that reloads by itself.
  Press Ctrl-C to stop. The data stays in ${persistTo}.
${LINE}`;
}

/** With the data folder, where the commands find the gateway that runs on it. */
function environmentOf(persistTo: string): string {
  return persistTo === DEFAULT_FOLDER ? "" : `PERSIST_TO="${resolve(persistTo)}" `;
}
