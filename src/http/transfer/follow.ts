import type { Context } from "hono";
import { prefers } from "../accept.ts";
import { COMMENT_EVERY } from "./limits.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import { logError } from "../../outcomes/log.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { StageMessage } from "../../protocol/stages.ts";
import type { TransferEnvironment } from "./admit.ts";
import { deliver, type Delivery, type DeliveryTask, type ReachedStage } from "./deliver.ts";

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). */
export const EVENT_STREAM = "text/event-stream";

export function prefersEvents(accept: string | undefined): boolean {
  return prefers(EVENT_STREAM, accept);
}

const encoder = new TextEncoder();

/**
 * Unread events are buffered without waiting for the reader: a transaction has few stages. In silence, a comment keeps
 * proxies from treating the connection as dead.
 */
class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #comments: ReturnType<typeof setInterval>;
  readonly #cancelled = new AbortController();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#stop();
        this.#cancelled.abort();
      },
    });
    this.#comments = setInterval(() => this.#write(": waiting\n\n"), COMMENT_EVERY);
  }

  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** @param data a text without line breaks, as `JSON.stringify` returns it */
  send(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`);
  }

  end(): void {
    const controller = this.#controller;
    this.#stop();
    controller?.close();
  }

  #stop(): void {
    this.#controller = null;
    clearInterval(this.#comments);
  }

  #write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }
}

export interface Followed {
  task: Omit<DeliveryTask, "follower">;
  /** The account's. */
  timezone: string;
  /** Called once the outcome is known. */
  answer: (delivery: Exclude<Delivery, Refused>) => string;
  /** Called when no refusal is possible any more. */
  setHeaders: (isReplay: boolean) => void;
}

type Refused = Extract<Delivery, { kind: "refused" }>;

/**
 * Resolves when the terminal's object has the message: a refusal is not a stream. The stream continues until the
 * transfer is answered. If it breaks, the till has hung up.
 */
export async function follow(
  c: Context<TransferEnvironment>,
  { task, timezone, answer, setHeaders }: Followed,
): Promise<Result<Response, Refused>> {
  const events = new EventStream();
  const begun = Promise.withResolvers<boolean>();
  const delivering = deliver({
    ...task,
    signal: AbortSignal.any([task.signal, events.cancelled]),
    follower: { begin: begun.resolve, stage: (stage) => events.send("stage", stageText(stage, timezone)) },
  });
  const first = await Promise.race([begun.promise, delivering]);
  if (typeof first !== "boolean" && first.kind === "refused") {
    events.end();
    return err(first);
  }
  const ending = endWith(events, delivering, answer, c.get("traceId"));
  // The waiting socket is closed and the request logged even if nobody reads any more.
  c.executionCtx.waitUntil(ending);
  c.set("ending", ending);
  setHeaders(first === true);
  c.header("Content-Type", EVENT_STREAM);
  // nginx and those who follow it would keep the stages until the end (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering).
  c.header("X-Accel-Buffering", "no");
  return ok(c.body(events.body));
}

/** Never rejects: a stream that ends without its result counts as broken. */
async function endWith(
  events: EventStream,
  delivering: Promise<Delivery>,
  answer: Followed["answer"],
  traceId: string,
): Promise<void> {
  try {
    const delivery = await delivering;
    // An object does not refuse a message that it has accepted. If it did, the outcome would be unknown.
    events.send("result", answer(delivery.kind === "refused" ? { kind: "open" } : delivery));
  } catch (error) {
    // Logged like a failed answer without a stream. The stream breaks, so that the till sends its request again.
    logError("request failed", error, { traceId });
  }
  events.end();
}

function stageText({ stage, at }: ReachedStage, timezone: string): string {
  return JSON.stringify({ stage, at: isoWithOffset(at, timezone) } satisfies StageMessage);
}
