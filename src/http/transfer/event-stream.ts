/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). */
import { prefers } from "../accept.ts";
import { COMMENT_EVERY } from "./limits.ts";

export const EVENT_STREAM = "text/event-stream";

/** Whether `Accept` asks for the answer as a stream of events. */
export function prefersEvents(accept: string | undefined): boolean {
  return prefers(EVENT_STREAM, accept);
}

const encoder = new TextEncoder();

/**
 * A response's body for events as they happen. Unread events are buffered without waiting for the reader: a transaction has
 * few stages. While nothing happens, a comment keeps proxies from treating the connection as dead.
 */
export class EventStream {
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

  /** Aborts when the reader disconnects. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** @param data a text without line breaks, as `JSON.stringify` returns it */
  send(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`);
  }

  /** Ends the stream. */
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
