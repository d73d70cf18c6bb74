/**
 * The sockets of readers that wait for the account's next event. The reader's Worker opens one, and both sleep until there
 * is an event: an object that waits inside a call is billed for that time
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/). The attachment holds what must survive
 * hibernation. A socket does not survive a reset: its Worker asks again.
 */
import { closeQuietly, sendQuietly } from "../objects/sockets.ts";
import { WAITING_READERS } from "../protocol/limits/events.ts";
import type { EventsAnswer, EventsQuestion } from "./feed-calls.ts";

const TAG = "follower";

/** Versioned: a newer object may find attachments that older code wrote. */
type Attachment = EventsQuestion & { v: 1 };

export class Followers {
  readonly #context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

  constructor(context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">) {
    this.#context = context;
  }

  get areFull(): boolean {
    return this.#waiting().length >= WAITING_READERS;
  }

  /** Accepts a waiting reader. @returns the Worker's end of the socket */
  accept(question: EventsQuestion): WebSocket {
    const pair = new WebSocketPair();
    this.#context.acceptWebSocket(pair[1], [TAG]);
    pair[1].serializeAttachment({ v: 1, ...question } satisfies Attachment);
    return pair[0];
  }

  /**
   * Answers every reader that there is an answer for now. A reader that does not receive it asks again, after the same
   * number (I7).
   *
   * @param answerTo returns null for a reader that must wait longer
   */
  answer(answerTo: (question: EventsQuestion) => EventsAnswer | null): void {
    for (const socket of this.#waiting()) {
      const answer = answerTo(socket.deserializeAttachment() as Attachment);
      if (answer === null) continue;
      sendQuietly(socket, JSON.stringify(answer));
      closeQuietly(socket, 1000, "answered");
    }
  }

  #waiting(): WebSocket[] {
    return this.#context.getWebSockets(TAG).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}
