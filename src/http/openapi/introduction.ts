/** The document's description and its tags. */
import { ACCESS_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { BODY_BYTES } from "../../protocol/limits/messages.ts";
import { duration } from "../../time/duration.ts";
import { signedForm } from "../../signing/canonical.ts";
import { DEMO_SIGNING_KEY, EXAMPLES } from "./examples.ts";
import { GATEWAY_CODES } from "./gateway-codes.ts";

const CODES = [
  "| `statusCode` | `responseCode` | `responseText` |",
  "| --- | --- | --- |",
  ...GATEWAY_CODES.map(
    ({ statusCode, responseCode, responseText }) => `| \`${statusCode}\` | \`${responseCode}\` | ${responseText} |`,
  ),
  "| `00` or `11` | `RESOLVED` | The operator's reason: settled by hand. |",
].join("\n");

const { signature, ...unsigned } = EXAMPLES.sale.request;

export const INTRODUCTION = `A till wants money; a payment terminal stands beside it, behind some shop's router. This gateway
connects the two: the till sends one signed request and gets one signed answer: approved, not approved, or not known yet.
The guide is at \`/docs\`; what a terminal says on its socket is in \`/asyncapi.json\`.

## A sale

1. \`POST /auth/login\` with \`posId\` and \`password\`, or signed: an access token for ${duration(ACCESS_TOKEN_LIFE)}, a refresh token until midnight.
2. \`POST /api/transfer\` with the access token and a signed message.
3. The answer's \`statusCode\` is \`00\` (money moved), \`11\` (none moved, none will) or \`22\` (not known yet: send the same
   request again).
4. A 401 means that the access token has expired: \`POST /auth/refresh\`, then send the same request again.

## Signatures

\`signature\` is HMAC-SHA-256 (RFC 2104) over the canonical form of the JSON message without its top-level \`signature\`,
keyed with the UTF-8 bytes of the key's text, as 64 hexadecimal digits: the gateway writes them in lowercase, and takes either case. The canonical form is RFC 8785: no white
space, members sorted by their names. All members that are sent are covered, unknown ones included. Numbers are written
as plain integers of at most 15 digits; every other number of a signed message is refused, and in any message a lone surrogate and a member that is written twice.

Under the key \`${DEMO_SIGNING_KEY}\`, which is published here and of no other use, this message

\`\`\`json
${JSON.stringify(unsigned, null, 2)}
\`\`\`

has the canonical form

\`\`\`json
${signedForm(unsigned)}
\`\`\`

and the signature \`${signature}\`. Every example of a transfer in this document is signed with this key. Answers are
signed in the same way, with the key that verified the request. A wrong signature is answered 400, with the length and the
SHA-256 of the canonical form that the gateway computed: compare them with your own.

## Sending again

One \`referenceId\` of one account is carried out at most once, however often and to whichever terminal it is sent. So
whatever goes wrong, a time-out, a broken connection, a 500, a crash: send the same request again. Keep the \`referenceId\`
before you send it for the first time.

## Codes

\`responseCode\` is the channel's own where the terminal has answered. These are the gateway's own:

${CODES}

## Errors

Everything that is not an answer is one JSON object with \`code\` (the HTTP status × 100, and a number where a program must
tell cases apart), \`error\`, \`message\` and \`requestId\`; a 400 names every field to mend in \`details\`. A 429 says in
\`Retry-After\` when to try again. Unknown members of a message are ignored; \`null\` and the empty text count as missing.
A query parameter that the call does not know, or that is sent twice, gets a 400 that names it.
A body has at most ${BODY_BYTES / 1024} KiB, in UTF-8, with \`Content-Type: application/json\`; a call that needs no body takes none, or an
empty one. Track data, PINs and card verification codes are refused wherever they stand in a message.

Plain \`http\` is refused, but on the machine itself. Pages of other origins may call only where the operator has listed them
in \`CORS_ORIGINS\`. New members may be added to answers: pass over those that you do not know.
`;

export const TAGS = [
  { name: "Session", description: "Log in, get new tokens, log out." },
  { name: "Transfers", description: "Charge, void, ask, cancel." },
  { name: "Terminals", description: "The terminals of an account." },
  { name: "Wallets", description: "The e-wallet channels." },
  { name: "Terminal", description: "What a terminal calls. What it says on its socket is in `/asyncapi.json`." },
  {
    name: "Operator",
    description:
      "For the people who run the service: accounts, terminals, channels, journals. Every change leaves a row in the audit log.",
  },
  { name: "Service", description: "Whether it is up." },
];
