/** Every limit that somebody outside meets, with its number from the code. */
import { figure, grouped } from "./figures.ts";
import {
  CHANNEL_NAME_LENGTH,
  MERCHANT_ID_LENGTH,
  NONCE_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
} from "../../protocol/lengths.ts";

type Row = [what: string, value: string, beyond: string];

function perMinute(name: string): string {
  return `${figure(`rate ${name}`)} a minute`;
}

function characters(count: number): string {
  return `${grouped(count)} characters`;
}

function table(rows: Row[]): string {
  return [
    "| Limit | Value | Beyond it |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
  ].join("\n");
}

export function limitsTable(): string {
  return [
    "### Requests",
    "",
    table([
      ["A body", figure("KiB BODY_BYTES"), "400"],
      ["Nesting of its JSON", `${figure("JSON_DEPTH")} levels`, "400"],
      ["Numbers in a signed one", `integers of at most ${figure("INTEGER_DIGITS")} digits`, "400"],
      ["Clock of a signed message", `within ${figure("CLOCK_TOLERANCE")} of the gateway's`, "400 on `datetime`"],
      ["Rows of a page of a list", figure("PAGE_ROWS"), "the next page"],
      ["Problems named by one 400", figure("JSON_PROBLEMS"), "the first of them"],
    ]),
    "### Fields",
    "",
    "Lengths count Unicode characters (code points), not bytes. Every field of every message is in the " +
      "[reference](/docs/reference).",
    "",
    table([
      ["`posId`", characters(POS_ID_LENGTH), "400"],
      ["`merchantId`", characters(MERCHANT_ID_LENGTH), "400"],
      ["`deviceId`, `terminalId`", characters(TERMINAL_ID_LENGTH), "400"],
      ["The `nonce` of a signed login", characters(NONCE_LENGTH), "400"],
      ["A channel's name", characters(CHANNEL_NAME_LENGTH), "400"],
      [
        "A password",
        `${figure("PASSWORD_CHARACTERS")} to ${figure("PASSWORD_LONGEST")} characters`,
        "400 where the operator sets it",
      ],
      ["Terminals on a prebind list", figure("PREBIND_ENTRIES"), "ignored"],
      ["A bind key", `${figure("BIND_KEY_LENGTH")} letters and digits, ${figure("BIND_KEY_LIFE")}`, "expired"],
      ["Open bind keys of an account", figure("OPEN_BIND_KEYS"), "the oldest one ends"],
    ]),
    "### A transfer's times",
    "",
    table([
      [
        "A request's life, from its arrival, the queue included",
        `${figure("DEFAULT_REQUEST_SECONDS")}; the operator may set it (at least ${figure("SHORTEST_REQUEST_SECONDS")})`,
        "`22`",
      ],
      ["Requests that wait for a terminal", figure("QUEUE_LENGTH"), "`11 TERMINAL_BUSY`"],
      [
        "Unsettled transactions of a terminal",
        figure("UNSETTLED_TRANSACTIONS"),
        "`11 TERMINAL_BUSY`, until some are settled",
      ],
      [
        "What is left of a request's life when it is first sent",
        `${figure("SEND_BEFORE_END")} at least`,
        "`11 TERMINAL_BUSY`, never sent",
      ],
      [
        "Wait for the terminal to be free, or to be back",
        figure("QUEUE_WAIT"),
        "`11 TERMINAL_BUSY`, `TERMINAL_OFFLINE`",
      ],
      ["A connection that has just ended is waited for", figure("RECONNECT_GRACE"), "`11 TERMINAL_OFFLINE`, at once"],
      [
        "The terminal ends by itself, the gateway cancels",
        `${figure("RESPOND_BEFORE_END")} and ${figure("CANCEL_BEFORE_END")} before the end`,
        "`11`, where nothing was taken",
      ],
      ["Wait for the terminal after an inquiry or a cancel", figure("ANSWER_WAIT"), "the `22` as it stands"],
      ["A stream of stages says that it is alive", `every ${figure("COMMENT_EVERY")}`, ""],
      ["A pending transaction is asked about", `every ${figure("ASK_EVERY")}`, "the `22` as it stands"],
      ["The same request is joined, asked about or replayed", figure("REPLAY_LIFE"), "400, code 40009"],
      ["Transactions can be asked about", figure("JOURNAL_LIFE"), "they are forgotten"],
    ]),
    "### Events",
    "",
    table([
      ["Events of one answer", figure("EVENTS_PAGE"), "the next answer"],
      ["Wait for the next event", figure("EVENTS_WAIT"), "counts as that"],
      ["Readers of one account that wait", figure("WAITING_READERS"), "429"],
      ["Events are kept", figure("JOURNAL_LIFE"), "400 on `after`, saying which are kept"],
    ]),
    "### Webhooks",
    "",
    table([
      ["Webhooks of an account", figure("WEBHOOKS"), "400"],
      ["Wait for the answer to a delivery", figure("DELIVERY_WAIT"), "a retry"],
      ["Retries", `for ${figure("GIVE_UP_AFTER")}`, "the webhook is disabled"],
      ["Test pings of one webhook", `one every ${figure("PING_EVERY")}`, "429"],
      ["The previous secret signs, too", figure("PREVIOUS_SECRET_LIFE"), "only the new one signs"],
    ]),
    "### Tokens and keys",
    "",
    table([
      ["Access token", `${figure("ACCESS_TOKEN_LIFE")} or midnight, whichever is earlier`, "401"],
      ["Refresh token", "midnight in the account's time zone", "401"],
      ["A used refresh token gets the same pair again", figure("REFRESH_REPEAT"), "401, the session has ended"],
      ["A terminal's token", figure("TERMINAL_TOKEN_LIFE"), "401"],
      ["A terminal's login works", "once", "401"],
      ["Logins of a terminal that are remembered as used", figure("LOGINS_REMEMBERED"), "429, until some are too old"],
      ["The previous signing key after a rotation", figure("PREVIOUS_SIGNING_KEY_LIFE"), "400 on `signature`"],
    ]),
    "### Rates",
    "",
    "Counted per location of the platform: a brake, not accounting. Beyond them: 429 with `Retry-After`.",
    "",
    table([
      [
        "Logins of one account or terminal from one address: each try of a password that a person chose, and of a " +
          "terminal; of signed logins and of passwords that the gateway drew only failures",
        perMinute("LOGIN_PER_ACCOUNT_AND_ADDRESS"),
        "429",
      ],
      ["The same, of all accounts or all terminals, from one address", perMinute("LOGIN_PER_ADDRESS"), "429"],
      ["Passwords that wait to be verified", "a few at a time", "429, `Retry-After` of some seconds"],
      ["Bind keys tried by one terminal", perMinute("BIND_PER_TERMINAL"), "429"],
      ["Connections of one terminal from one address", perMinute("CONNECT_PER_TERMINAL_AND_ADDRESS"), "429"],
      ["Reading events of one account", perMinute("EVENTS_PER_ACCOUNT"), "429"],
      ["Everything else of one account", perMinute("REQUESTS_PER_ACCOUNT"), "429"],
      ["Everything else from one address", perMinute("REQUESTS_PER_ADDRESS"), "429"],
    ]),
    "### A terminal's connection",
    "",
    table([
      ["A frame", figure("KiB FRAME_BYTES"), "closed, 1009"],
      ["Frames on end", `${figure("FRAMES_PER_SECOND")} a second, ${figure("FRAME_BURST")} at once`, "closed, 4003"],
      ["Bad frames on one connection", `fewer than ${figure("BAD_FRAMES")}`, "closed, 4003"],
      ["From opening to `hello`", figure("HELLO_WITHIN"), "closed, 4003"],
      ["From `request` to `accepted`", figure("ACCEPT_WITHIN"), "closed, 4004"],
      ["From the gateway's `ping` to `pong`", figure("PROBE_WAIT"), "closed, 4004"],
      ["Connections that have not said hello", figure("UNCONFIRMED_CONNECTIONS"), "the oldest is closed, 4003"],
      ["Requests that a hello lists as open", figure("OPEN_REQUESTS"), "a bad frame"],
    ]),
  ].join("\n");
}
