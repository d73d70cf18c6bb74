/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). */
import type { Context } from "hono";
import { logError } from "../../../lib/log.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import type { StageMessage } from "../../../../protocol/stages.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import type { TransferEnvironment } from "./admit.ts";
import { type Delivery, type DeliveryTask, deliverTransfer, type StageEvent } from "./deliver.ts";
import { SECOND } from "../../../../protocol/time/units.ts";

/** A stream of stages sends a comment this often: proxies close a connection that is silent for 30 to 60 seconds. */
export const COMMENT_EVERY = 15 * SECOND;

export const EVENT_STREAM = "text/event-stream";

interface Followed {
  task: DeliveryTask;
  /** The account's time zone. */
  timezone: string;
  /** Called once the outcome is known. */
  answer: (delivery: Exclude<Delivery, Refused>) => string;
  /** Called when no refusal is possible any more. */
  setHeaders: (isReplay: boolean) => void;
}

type Refused = Extract<Delivery, { kind: "refused" }>;

/**
 * Resolves when the terminal's object has the message: a refusal is not a stream. The stream continues until the
 * transfer is answered. If it breaks, the POS has hung up.
 */
export async function follow(
  c: Context<TransferEnvironment>,
  { task, timezone, answer, setHeaders }: Followed,
): Promise<Result<Response, Refused>> {
  const hungUp = new AbortController();
  const delivery = deliverTransfer({ ...task, signal: AbortSignal.any([task.signal, hungUp.signal]) });
  const first = await delivery.next();
  if (first.done === true && first.value.kind === "refused") return err(first.value);
  const events = eventStream(hungUp);
  const ending = writeEvents();
  // The waiting socket is closed and the request logged even if nobody reads any more.
  c.executionCtx.waitUntil(ending);
  c.set("ending", ending);
  setHeaders(first.done !== true && first.value.kind === "accepted" && first.value.replayed);
  c.header("Content-Type", EVENT_STREAM);
  // nginx and those who follow it would keep the stages until the end (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering).
  c.header("X-Accel-Buffering", "no");
  return ok(c.body(events.body));

  /** Never rejects: a stream that ends without its result counts as broken. */
  async function writeEvents(): Promise<void> {
    // In silence, a comment keeps proxies from treating the connection as dead.
    const comments = setInterval(() => events.write(": waiting\n\n"), COMMENT_EVERY);
    try {
      let next = first;
      for (; next.done !== true; next = await delivery.next()) {
        if (next.value.kind === "stage") events.write(eventText("stage", stageText(next.value, timezone)));
      }
      // An object does not refuse a message that it has accepted. If it did, the outcome would be unknown.
      const outcome = next.value.kind === "refused" ? ({ kind: "open" } as const) : next.value;
      events.write(eventText("result", answer(outcome)));
    } catch (error) {
      // Logged like a failed answer without a stream. The stream breaks, so that the POS sends its request again.
      logError("request_failed", error, { traceId: c.get("traceId") });
    }
    clearInterval(comments);
    events.end();
  }
}

interface EventStream {
  body: ReadableStream<Uint8Array>;
  /** Does nothing once the reader has gone. Never throws. */
  write: (text: string) => void;
  end: () => void;
}

const encoder = new TextEncoder();

/**
 * Unread events are buffered without waiting for the reader: a transaction has few stages.
 *
 * @param hungUp is aborted when the reader goes
 */
export function eventStream(hungUp: AbortController): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (started) => {
      controller = started;
    },
    cancel: () => {
      controller = null;
      hungUp.abort();
    },
  });
  // A stream in error throws at each of these. Nobody reads it any more.
  const quietly = (act: (open: ReadableStreamDefaultController<Uint8Array>) => void): void => {
    try {
      if (controller !== null) act(controller);
    } catch {
      controller = null;
      hungUp.abort();
    }
  };
  return {
    body,
    write: (text) => quietly((open) => open.enqueue(encoder.encode(text))),
    end: () => quietly((open) => open.close()),
  };
}

/** @param data a text without line breaks, as `JSON.stringify` returns it */
function eventText(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

function stageText({ stage, at }: StageEvent, timezone: string): string {
  return JSON.stringify({ stage, at: isoWithOffset(at, timezone) } satisfies StageMessage);
}
