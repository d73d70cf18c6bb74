/**
 * The sockets of readers that wait for the account's next event. The reader's Worker opens one, and both sleep until there
 * is an event: an object that waits inside a call is billed for that time
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/). The attachment holds what must survive
 * hibernation. A socket does not survive a reset: its Worker asks again.
 */
import { closeQuietly, sendQuietly } from "../objects/sockets.ts";
import { WAITING_READERS } from "../protocol/limits/events.ts";
import type { EventsAnswer, EventsQuestion } from "../rpc/feed.ts";

const TAG = "follower";

/** Versioned: a newer object may find attachments that older code wrote. */
type Attachment = EventsQuestion & {
  v: 1;
  /** Readers that came later have a higher number. */
  number: number;
};

function finish(socket: WebSocket, answer: EventsAnswer): void {
  sendQuietly(socket, JSON.stringify(answer));
  closeQuietly(socket, 1000, "answered");
}

export class Followers {
  readonly #context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

  constructor(context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">) {
    this.#context = context;
  }

  /**
   * Accepts a waiting reader. One too many ends the oldest wait with an empty page: its reader may have hung up long ago,
   * and asks again if not.
   *
   * @returns the Worker's end of the socket
   */
  accept(question: EventsQuestion): WebSocket {
    const waiting = this.#waiting();
    const since = (socket: WebSocket): number => (socket.deserializeAttachment() as Attachment).number;
    const byAge = waiting.toSorted((one, other) => since(one) - since(other));
    for (const socket of byAge.slice(0, Math.max(0, waiting.length + 1 - WAITING_READERS))) {
      const { after } = socket.deserializeAttachment() as Attachment;
      finish(socket, { kind: "events", bodies: [], next: after ?? 0, skipped: 0 });
    }
    const newest = byAge.at(-1);
    const number = newest === undefined ? 1 : since(newest) + 1;
    const pair = new WebSocketPair();
    this.#context.acceptWebSocket(pair[1], [TAG]);
    pair[1].serializeAttachment({ v: 1, number, ...question } satisfies Attachment);
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
      finish(socket, answer);
    }
  }

  #waiting(): WebSocket[] {
    return this.#context.getWebSockets(TAG).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}
