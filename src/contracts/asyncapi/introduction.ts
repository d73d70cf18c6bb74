/** What the AsyncAPI document says about the whole: the way to the socket, signatures, the terminal's duties. */
import { signedForm } from "../../signing/canonical.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { HEARTBEAT_SECONDS, HELLO_WITHIN } from "../../protocol/limits/connections.ts";
import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { PING, PONG, SUBPROTOCOL } from "../../protocol/frames.ts";
import { FRAME_KIB } from "../components/frames.ts";
import { DEMO_TERMINAL_SECRET, SIGNED_REQUEST, TERMINAL_EXAMPLES } from "../terminal-examples.ts";
import { CLOSE_CODES_TABLE } from "./close-codes.ts";

export const INTRODUCTION = `What a payment terminal and the gateway say to each other on the terminal's WebSocket. A terminal
keeps one connection open, gets requests, and answers them with results. \`send\` is what the gateway sends, \`receive\`
what it takes.

## The way to the socket

1. The operator enrols the terminal, which shows its secret, once.
2. \`POST /terminal/login\`, signed with the secret, gives a token for ${duration(TERMINAL_TOKEN_LIFE)}:

   \`\`\`json
   ${JSON.stringify(TERMINAL_EXAMPLES.login)}
   \`\`\`

   Each login is good once: it is signed anew for every call, and the random \`nonce\` tells two of the same second apart.
   A clock that is more than ${duration(CLOCK_TOLERANCE)} off is answered 400 with \`serverTime\`, in epoch milliseconds: take it, and try again.
3. \`POST /terminal/bind\` with the token, signed with the secret, binds the terminal to the account that shows this key:

   \`\`\`json
   ${JSON.stringify(TERMINAL_EXAMPLES.bind)}
   \`\`\`

   It can be done before or while the terminal is connected; it is done once, not at each start.
4. \`GET /terminal/connect\` with \`Upgrade: websocket\` opens the socket. The token travels as \`Authorization: Bearer\` or,
   for browsers, as the second entry of \`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`; never in the URL.

The three calls are described in \`/openapi.json\`; the guide for makers of terminals is at \`/docs/terminal\`.

## Frames

Frames are JSON texts of at most ${FRAME_KIB} KiB, each an object with a \`type\`. A member that is unknown is ignored. Times
are epoch milliseconds of the gateway's clock: the terminal's clock is \`serverTime\` of the welcome and whatever has
passed since.

1. The gateway says \`welcome\`; the terminal answers \`hello\` within ${duration(HELLO_WITHIN)}; the gateway says \`ready\`: this connection
   is the current one, every earlier one is closed.
2. The gateway sends a \`request\`; the terminal stores it, and says \`accepted\`, or says \`refused\`.
3. The terminal says \`progress\` where it likes, then sends the signed \`result\`.
4. The gateway stores the result, and says \`ack\`. Only the ack of its \`00\` or \`11\` lets the terminal forget.

The bare text \`${PING}\` is answered with the bare text \`${PONG}\`, on both sides. A terminal sends it every
${HEARTBEAT_SECONDS} seconds, as \`welcome\` says, and connects again when two go unanswered. It answers the gateway's at once.

## Signatures

\`login\`, \`bind\`, \`hello\`, \`result\` and \`request\` are signed: HMAC-SHA-256 (RFC 2104) over the canonical form (RFC 8785) of the
message without its \`signature\`, keyed with the UTF-8 bytes of the secret's text, as 64 lowercase hexadecimal digits.
Under the secret \`${DEMO_TERMINAL_SECRET}\`, which is published here and of no other use, the request of the examples has the
canonical form

\`\`\`json
${signedForm(SIGNED_REQUEST)}
\`\`\`

and the signature \`${SIGNED_REQUEST.signature}\`. All examples are signed with this secret.

## Duties

The gateway's promises to the till rest on these:

- Frames are handled one by one: \`accepted\` or \`refused\` leaves before the next frame is looked at. Before it says \`hello\`
  a terminal has stopped to read every earlier connection, and has finished or undone what it was storing.
- A request is stored durably before it is accepted, and begun once at most. One that is sent again is answered with what
  there is. Nothing is begun that is read after \`deliverBy\`, nor after \`respondBy\` at all.
- Only one request is at work. While it is, every other one is refused as \`busy\`; one that is only being cleared up with
  the host does not count.
- The highest \`requestId\` that was ever accepted is kept; one that is not higher, and is not held, is refused as \`expired\`.
- A request of another account or merchant than the binding's is refused as \`unbound\`. One whose signature is wrong is not
  answered, but logged.
- \`11\` means that nothing was taken and nothing will be. As long as a payment may still become \`00\`, it is \`22\`.
- After a restart, what cannot have reached card or host ends as \`11\`; what may have is cleared up with the host first.
- \`cancel\` is answered with the result when the outcome is known, at the latest at \`respondBy\`; \`ask\` at once, with the
  result as it stands; both with \`refused unknown\` where no such request is held.
- A result is kept until its \`ack\`, and sent again after every \`hello\`, signed when it is sent.
- The receipt shows \`referenceLabel\`, or "POS Ref" without one, and is printed \`printCount\` times, twice without it.

## Close codes

${CLOSE_CODES_TABLE}
`;
