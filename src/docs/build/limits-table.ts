/** Every limit that a client can reach, with its number from the code. */
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
      ["Numbers in a signed body", `integers of at most ${figure("INTEGER_DIGITS")} digits`, "400"],
      ["Clock of a signed message", `within ${figure("CLOCK_TOLERANCE")} of the gateway's`, "400 on `datetime`"],
      ["Rows on a page of a list", figure("PAGE_ROWS"), "the next page"],
      ["Problems in one 400", figure("JSON_PROBLEMS"), "lists the first ones"],
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
        "400 for the operator",
      ],
      ["Terminals on a prebind list", figure("PREBIND_ENTRIES"), "ignored"],
      ["A bind key", `${figure("BIND_KEY_LENGTH")} letters and digits, ${figure("BIND_KEY_LIFE")}`, "expired"],
      ["Open bind keys of an account", figure("OPEN_BIND_KEYS"), "the oldest key ends"],
    ]),
    "### A transfer's times",
    "",
    table([
      [
        "A request's life from its arrival, including the queue",
        `${figure("DEFAULT_REQUEST_SECONDS")}; the operator can change it (at least ${figure("SHORTEST_REQUEST_SECONDS")})`,
        "`22`",
      ],
      ["Requests that wait for a terminal", figure("QUEUE_LENGTH"), "`11 TERMINAL_BUSY`"],
      [
        "Unresolved transactions of a terminal",
        figure("UNRESOLVED_TRANSACTIONS"),
        "`11 TERMINAL_BUSY`, until some are completed",
      ],
      [
        "Rest of a request's life when it is first sent",
        `at least ${figure("SEND_BEFORE_END")}`,
        "`11 TERMINAL_BUSY`, never sent",
      ],
      [
        "Wait until the terminal is free or connected again",
        figure("QUEUE_WAIT"),
        "`11 TERMINAL_BUSY`, `TERMINAL_OFFLINE`",
      ],
      ["Age of an ended connection that is awaited", figure("RECONNECT_GRACE"), "`11 TERMINAL_OFFLINE`, at once"],
      [
        "The terminal ends a request, the gateway cancels it",
        `${figure("RESPOND_BEFORE_END")} and ${figure("CANCEL_BEFORE_END")} before the end`,
        "`11` if no money moved",
      ],
      ["Wait for the terminal after an inquiry or a cancel", figure("ANSWER_WAIT"), "the current `22`"],
      ["A comment in a stream of stages", `every ${figure("COMMENT_EVERY")}`, ""],
      ["The terminal is asked about a pending transaction", `every ${figure("ASK_EVERY")}`, "the current `22`"],
      ["The same request joins, asks or replays", figure("REPLAY_LIFE"), "400, code 40009: send an inquiry"],
      ["Transactions are kept", figure("JOURNAL_LIFE"), "they are deleted"],
    ]),
    "### Events",
    "",
    table([
      ["Events in one answer", figure("EVENTS_PAGE"), "the next answer"],
      ["Wait for the next event", figure("EVENTS_WAIT"), "counts as the maximum"],
      [
        "Readers of one account that wait",
        figure("WAITING_READERS"),
        "one more ends the oldest wait with an empty page",
      ],
      ["Events are kept", figure("JOURNAL_LIFE"), "`skipped` says how many are missing"],
    ]),
    "### Webhooks",
    "",
    table([
      ["Webhooks of an account", figure("WEBHOOKS"), "400"],
      ["Wait for the answer to a delivery", figure("DELIVERY_WAIT"), "a retry"],
      ["Retries", `for ${figure("GIVE_UP_AFTER")}`, "the webhook is disabled"],
      ["Test pings of one webhook", `one every ${figure("PING_EVERY")}`, "429"],
      ["The previous secret also signs", figure("PREVIOUS_SECRET_LIFE"), "only the new one signs"],
    ]),
    "### Tokens and keys",
    "",
    table([
      ["Access token", `${figure("ACCESS_TOKEN_LIFE")} or midnight, whichever is earlier`, "401"],
      ["Refresh token", "midnight in the account's time zone", "401"],
      ["A used refresh token gets the same pair again", figure("REFRESH_REPEAT"), "401, the session has ended"],
      ["A terminal's token", figure("TERMINAL_TOKEN_LIFE"), "401"],
      ["A terminal's login is valid", "once", "401"],
      ["Used logins of a terminal that are remembered", figure("LOGINS_REMEMBERED"), "429 until some expire"],
      ["A previous signing key after its rotation", figure("PREVIOUS_SIGNING_KEY_LIFE"), "400 on `signature`"],
      ["Previous signing keys that are valid", figure("PREVIOUS_SIGNING_KEYS"), "409 unless they are revoked"],
    ]),
    "### Rates",
    "",
    "The platform counts them per location, so they are not exact. Beyond them: 429 with `Retry-After`.",
    "",
    table([
      [
        "Logins of one account or terminal from one address. Logins with a chosen password all count when they are " +
          "verified; of all others, only failures count",
        perMinute("LOGIN_PER_ACCOUNT_AND_ADDRESS"),
        "429",
      ],
      ["The same for all accounts or all terminals, from one address", perMinute("LOGIN_PER_ADDRESS"), "429"],
      ["Passwords that wait to be verified", "a few at a time", "429 with a short `Retry-After`"],
      [
        "Bind keys tried by one terminal; binds signed wrong with one token from one address",
        perMinute("BIND_PER_TERMINAL"),
        "429",
      ],
      ["Connections of one terminal from one address", perMinute("CONNECT_PER_TERMINAL_AND_ADDRESS"), "429"],
      ["Reading events in one session", perMinute("EVENTS_PER_ACCOUNT"), "429"],
      [
        "Every other call of one account, and of one of its sessions, from any address",
        perMinute("REQUESTS_PER_ACCOUNT"),
        "429",
      ],
      ["Callers who are not known, from one address", perMinute("REQUESTS_PER_ADDRESS"), "429"],
    ]),
    "### A terminal's connection",
    "",
    table([
      ["A frame", figure("KiB FRAME_BYTES"), "closed, 1009"],
      ["Frames", `${figure("FRAMES_PER_SECOND")} a second, ${figure("FRAME_BURST")} at once`, "closed, 4003"],
      ["Bad frames on one connection", `fewer than ${figure("BAD_FRAMES")}`, "closed, 4003"],
      ["From opening to `hello`", figure("HELLO_WITHIN"), "closed, 4003"],
      ["From `request` to `accepted`", figure("ACCEPT_WITHIN"), "closed, 4004"],
      ["From the gateway's `ping` to `pong`", figure("PROBE_WAIT"), "closed, 4004"],
      ["Connections that have not said hello", figure("UNCONFIRMED_CONNECTIONS"), "the oldest is closed, 4003"],
      ["Requests that a hello lists as open", figure("OPEN_REQUESTS"), "a bad frame"],
    ]),
  ].join("\n");
}
