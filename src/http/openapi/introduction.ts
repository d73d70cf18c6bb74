import { GATEWAY_CODES, RESOLVED } from "../../protocol/gateway-codes.ts";
import { ACCESS_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { BODY_BYTES } from "../../protocol/limits/messages.ts";
import { REPLAY_LIFE } from "../../protocol/limits/transfers.ts";
import { duration } from "../../time/duration.ts";
import { signedForm } from "../../signing/canonical.ts";
import { DEMO_SIGNING_KEY, EXAMPLES } from "./examples.ts";

const CODES = [
  "| `statusCode` | `responseCode` | `responseText` |",
  "| --- | --- | --- |",
  ...Object.entries(GATEWAY_CODES).map(
    ([code, { statusCode, responseText }]) => `| \`${statusCode}\` | \`${code}\` | ${responseText} |`,
  ),
  `| \`00\` or \`11\` | \`${RESOLVED}\` | The operator resolved the transaction; this is the operator's reason. |`,
].join("\n");

const { signature, ...unsigned } = EXAMPLES.sale.request;

export const INTRODUCTION = `This gateway connects a till with a payment terminal. The till sends one signed request and gets one signed
response: approved, not approved, or unresolved. The guide is at \`/docs\`. The terminals' WebSocket protocol is in
\`/asyncapi.json\`.

## A sale

1. \`POST /auth/login\` with \`posId\` and \`password\`, or with a signed login, returns an access token valid for ${duration(ACCESS_TOKEN_LIFE)} and a refresh token valid until midnight.
2. \`POST /api/transfer\` with the access token and a signed message.
3. The response's \`statusCode\` is \`00\` (money moved), \`11\` (no money moved and none will) or \`22\` (unresolved: send the
   same request again).
4. After a 401 the access token has expired. Call \`POST /auth/refresh\`, then send the same request again.

## Signatures

\`signature\` is the HMAC-SHA-256 (RFC 2104) over the canonical form of the JSON message without its top-level
\`signature\`. The key is the UTF-8 bytes of the key's text. The value is 64 hexadecimal digits; the gateway sends
lowercase and accepts both cases. The canonical form is RFC 8785: no white space, members sorted by name. It covers all
members, including unknown ones. In a signed message, write numbers as plain integers of at most 15 digits; the gateway
refuses all other numbers. In any message it refuses lone surrogates and repeated members.

With the key \`${DEMO_SIGNING_KEY}\`, which is public and used only here, this message

\`\`\`json
${JSON.stringify(unsigned, null, 2)}
\`\`\`

has the canonical form

\`\`\`json
${signedForm(unsigned)}
\`\`\`

and the signature \`${signature}\`. Every example of a transfer in this document is signed with this key. Responses are
signed in the same way, with the key that verified the request. For a wrong signature the gateway returns 400 with the
length and SHA-256 of the canonical form that it computed. Compare them with your own.

## Sending again

The gateway processes one \`referenceId\` of one account at most once, no matter how often and to which terminal you send
it. After a time-out, a broken connection, a 500 or a crash, send the same request again. Store the \`referenceId\` before
you send it for the first time. After ${duration(REPLAY_LIFE)} the same request gets a 400 with code 40009: send an \`inquiry\` that names the
\`referenceId\`. A 40009 does not mean that no money moved.

## Codes

If the terminal has answered, \`responseCode\` is the channel's code. These are the gateway's own codes:

${CODES}

## Errors

Every error is a JSON object with \`code\` (the HTTP status × 100, plus a number where a program must distinguish cases),
\`error\`, \`message\` and \`traceId\`. A 400 lists every field to fix in \`details\`. A 429 has a \`Retry-After\` header.

The gateway ignores unknown fields of a message. \`null\` and the empty string count as missing. An unknown or repeated
query parameter gets a 400 that names it. A body has at most ${BODY_BYTES / 1024} KiB, is UTF-8, and needs
\`Content-Type: application/json\`. Calls without a body accept an empty one. Track data, PINs and card verification codes
are refused anywhere in a message.

Plain \`http\` is refused, except on the same machine. Web pages of other origins may call the gateway only if the operator
has listed their origin in \`CORS_ORIGINS\`. Responses may get new fields: ignore those that you do not know.
`;

export const TAGS = [
  { name: "Session", description: "Log in, refresh tokens, log out." },
  { name: "Transfers", description: "Sales, voids, inquiries and cancels." },
  { name: "Events", description: "What happens to the account's transactions, in one order." },
  { name: "Terminals", description: "The terminals of an account." },
  {
    name: "Transactions",
    description: "The account's transactions with their outcomes, and the totals of its days.",
  },
  { name: "Wallets", description: "The e-wallet channels." },
  { name: "Webhooks", description: "Delivers events to an address of your choice." },
  { name: "Terminal", description: "The calls of a terminal. Its WebSocket protocol is in `/asyncapi.json`." },
  {
    name: "Operator accounts",
    description:
      "For the people who run the service: accounts, their keys and webhooks. Every change is in the audit log.",
  },
  {
    name: "Operator terminals",
    description: "For the people who run the service: terminals and shops. Every change is in the audit log.",
  },
  {
    name: "Operator",
    description:
      "For the people who run the service: payments, wallets, master keys and the audit log. Every change is in the audit log.",
  },
  { name: "Service", description: "Health of the service." },
];
