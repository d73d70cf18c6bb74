/** The numbers that the pages name, as words: `QUEUE_WAIT` becomes `10 seconds`. */
import { duration } from "../../protocol/time/duration.ts";
import * as limits from "./limits.ts";
import { fileText } from "./text.ts";

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

export function rateLimit(name: string): string {
  const found = new RegExp(`name = "${name}"[^[]*?limit = ([0-9]+), period = 60`, "u").exec(
    fileText("wrangler.toml"),
  )?.[1];
  if (found === undefined) throw new Error(`wrangler.toml has no rate limit ${name} per minute.`);
  return formatCount(Number(found));
}

/** Limits that are times in milliseconds; the other numbers are counts. */
const TIMES = new Set(
  (
    "ACCESS_TOKEN_LIFE REFRESH_REPEAT TERMINAL_TOKEN_LIFE CLOCK_TOLERANCE BIND_KEY_LIFE PREVIOUS_SIGNING_KEY_LIFE PREVIOUS_TERMINAL_SECRET_LIFE " +
    "AUDIT_LIFE STATISTICS_LIFE ACCOUNT_HOURS_LIFE FINGERPRINTS_LIFE PENDING_ENDED_LIFE JOURNAL_LIFE REPLAY_LIFE QUEUE_WAIT DELIVER_WITHIN ACCEPT_WITHIN RESPOND_BEFORE_END CANCEL_BEFORE_END " +
    "LOGIN_MEMORY LANE_AFTER_END SEND_BEFORE_END UNDELIVERED_AFTER_DELIVER_BY PROBE_AFTER_SILENCE PROBE_WAIT PROBE_WAIT_AT_MOST " +
    "RECONNECT_GRACE PRESENCE_DELAY ANSWER_WAIT ASK_EVERY HELLO_WITHIN CONNECTED_WITHIN CONTESTED_WITHIN REPLACED_WAIT " +
    "SIGNATURE_RETRY_WAIT EVENTS_WAIT DELIVERY_WAIT GIVE_UP_AFTER PREVIOUS_SECRET_LIFE PING_EVERY START_EVERY POS_HTTP_WITHIN " +
    "DAY_GRACE COMMENT_EVERY NUMBER_BLOCK_LIFE REPEAT_WAIT.longest TERMINAL_RECONNECT.first TERMINAL_RECONNECT.longest"
  ).split(" "),
);

/**
 * @param name a limit, or `rate NAME` for one of wrangler.toml
 * @throws if there is no such number, or its unit is unknown
 */
export function figure(name: string): string {
  if (name.startsWith("rate ")) return rateLimit(name.slice(5));
  if (name.startsWith("KiB ")) return `${formatCount(numberNamed(name.slice(4)) / 1024)} KiB`;
  if (name.startsWith("seconds ")) return formatCount(numberNamed(name.slice(8)) / 1_000);
  if (name.startsWith("count ")) return formatCount(numberNamed(name.slice(6)));
  const value = numberNamed(name);
  if (TIMES.has(name)) return duration(value);
  if (name.endsWith("_SECONDS")) return duration(value * 1_000);
  if (value >= 1_000) throw new Error(`${name} may be a time or a count: list it in TIMES, or write count ${name}.`);
  return formatCount(value);
}

function numberNamed(name: string): number {
  const [constant = "", member] = name.split(".");
  const found: unknown = (limits as Record<string, unknown>)[constant];
  const value: unknown = member === undefined ? found : (found as Record<string, unknown> | undefined)?.[member];
  if (typeof value !== "number") throw new Error(`no limit is called ${name}.`);
  return value;
}
