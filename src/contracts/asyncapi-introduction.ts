import { signedForm } from "../signing/canonical.ts";
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import {
  BAD_FRAMES,
  FRAME_BYTES,
  HEARTBEAT_SECONDS,
  HELLO_WITHIN,
  PROBE_WAIT,
  REPLACED_WAIT,
} from "../protocol/limits/connections.ts";
import { TERMINAL_TOKEN_LIFE } from "../protocol/limits/keys.ts";
import { duration } from "../time/duration.ts";
import { PING, PONG, SUBPROTOCOL } from "../protocol/frames.ts";
import { DEMO_TERMINAL_SECRET, SIGNED_REQUEST, TERMINAL_EXAMPLES } from "./terminal-examples.ts";
import { CLOSE } from "../protocol/close-codes.ts";
import { ACCEPT_WITHIN } from "../protocol/limits/transfers.ts";

const AGAIN = "Reconnect with backoff and jitter.";

/**
 * Why the gateway closes a terminal's connection, and what the terminal does then. The type makes this list complete.
 */
const MEANINGS: Record<keyof typeof CLOSE, { why: string; action: string }> = {
  superseded: {
    why: "Another connection of this terminal sent hello, or a newer connection had sent it before this one.",
    action: `Wait ${duration(REPLACED_WAIT)} and tell the user: two devices may have the same identity.`,
  },
  revoked: {
    why: "The terminal was retired, or its secret was replaced.",
    action: "Log in again. After a 401, contact the operator.",
  },
  protocol: {
    why:
      `No hello within ${duration(HELLO_WITHIN)}, a wrong or second hello, a frame that is not JSON text, ${BAD_FRAMES} bad ` +
      "frames, too many frames at once, or too many connections without a hello.",
    action: `Fix the software. ${AGAIN}`,
  },
  silent: {
    why: `No \`accepted\` within ${duration(ACCEPT_WITHIN)}, or no \`pong\` within ${duration(PROBE_WAIT)} of a \`ping\`.`,
    action: AGAIN,
  },
  tooBig: { why: `A frame of more than ${FRAME_BYTES / 1024} KiB.`, action: "Fix the software." },
  failed: { why: "The gateway could not store the content of a frame, and kept nothing of it.", action: AGAIN },
};

export const CLOSE_CODES = Object.entries(MEANINGS).map(([name, { why, action }]) => ({
  code: CLOSE[name as keyof typeof CLOSE],
  name,
  why,
  action,
}));

export const CLOSE_CODES_TABLE = [
  "| Code | Why | What the terminal does |",
  "| --- | --- | --- |",
  ...CLOSE_CODES.map(({ code, why, action }) => `| \`${code}\` | ${why} | ${action} |`),
].join("\n");

export const INTRODUCTION = `The WebSocket protocol between a payment terminal and the gateway. A terminal keeps one
connection open, gets requests, and answers with results. \`send\` is what the gateway sends, \`receive\` what it
receives.

## Connect

1. The operator enrols the terminal. The response contains its secret, once.
2. \`POST /terminal/login\`, signed with the secret, returns a token valid for ${duration(TERMINAL_TOKEN_LIFE)}:

   \`\`\`json
   ${JSON.stringify(TERMINAL_EXAMPLES.login)}
   \`\`\`

   Each login is valid once: sign again for every call. The random \`nonce\` distinguishes two logins of the same second.
   If the clock is more than ${duration(CLOCK_TOLERANCE)} off, the gateway returns 400 with \`serverTime\` in epoch milliseconds. Use that time and try again.
3. \`POST /terminal/bind\` with the token, signed with the secret, binds the terminal to the account of this key:

   \`\`\`json
   ${JSON.stringify(TERMINAL_EXAMPLES.bind)}
   \`\`\`

   Bind once, not at every start. You can bind before the terminal connects or while it is connected.
4. \`GET /terminal/connect\` with \`Upgrade: websocket\` opens the socket. Send the token as \`Authorization: Bearer\` or,
   in browsers, as the second entry of \`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`, never in the URL.

The three calls are in \`/openapi.json\`. The guide for makers of terminals is at \`/docs/terminal\`.

## Frames

Frames are JSON texts of at most ${FRAME_BYTES / 1024} KiB, each an object with a \`type\`. Ignore unknown fields. Times are epoch
milliseconds of the gateway's clock: \`serverTime\` from the welcome plus the time since.

1. The gateway sends \`welcome\`. The terminal answers with \`hello\` within ${duration(HELLO_WITHIN)}. The gateway sends \`ready\`: this
   connection is now the current one, and every earlier one is closed.
2. The gateway sends a \`request\`. The terminal stores it and sends \`accepted\`, or sends \`refused\`.
3. The terminal may send \`progress\`, then sends the signed \`result\`.
4. The gateway stores the result and sends \`ack\`. Only after the ack of its \`00\` or \`11\` may the terminal forget the request.

Both sides answer the plain text \`${PING}\` with the plain text \`${PONG}\`. A terminal sends it every
${HEARTBEAT_SECONDS} seconds, as \`welcome\` says, and connects again after two unanswered pings. It answers the gateway's ping at once.

## Signatures

\`login\`, \`bind\`, \`hello\`, \`result\` and \`request\` are signed: HMAC-SHA-256 (RFC 2104) over the canonical form (RFC 8785) of the
message without its \`signature\`, keyed with the UTF-8 bytes of the secret's text, as 64 lowercase hexadecimal digits.
With the secret \`${DEMO_TERMINAL_SECRET}\`, which is public and used only here, the request of the examples has the
canonical form

\`\`\`json
${signedForm(SIGNED_REQUEST)}
\`\`\`

and the signature \`${SIGNED_REQUEST.signature}\`. All examples are signed with this secret.

## Duties

The gateway's promises to the till depend on these duties:

- Handle frames one at a time: send \`accepted\` or \`refused\` before you handle the next frame. Before you send \`hello\`, stop
  reading every earlier connection, and finish or undo every write.
- Store a request durably before you accept it, and start it at most once. Answer a request that is sent again from memory.
  Do not start a request that you read after \`deliverBy\`. Start nothing after \`respondBy\`.
- Process one request at a time. Refuse every other request as \`busy\` meanwhile. A request that only waits for its host
  does not count.
- Keep the highest \`requestId\` ever accepted. Refuse an unknown \`requestId\` that is not higher as \`expired\`.
- Refuse a request with another account or merchant than the binding's as \`unbound\`. Log a request with a wrong signature,
  and do not answer it.
- \`11\` means that no money moved and none will. As long as a payment may still become \`00\`, it is \`22\`.
- After a restart, end a request that cannot have reached card or host as \`11\`. Ask the host about every other request first.
- Answer \`cancel\` with the result when the outcome is known, at \`respondBy\` at the latest. Answer \`ask\` at once with the
  current result. Answer both with \`refused unknown\` for an unknown request.
- Keep a result until its \`ack\`. Send it again after every \`hello\`, signed when you send it.
- Print \`referenceLabel\`, or "POS Ref" without one, on the receipt. Print \`printCount\` copies, two by default.
- Send no full card number, track data, PIN or verification code.

## Close codes

${CLOSE_CODES_TABLE}
`;
