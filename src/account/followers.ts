/**
 * The sockets of readers that wait for the account's next event. The Worker of such a reader opens one, and both sleep
 * until there is something to say: an object that waited in a call would be billed for that time. What has to survive
 * hibernation is in the attachment. A socket does not survive a reset: its Worker asks again.
 */
import { closeQuietly, sendQuietly } from "../objects/sockets.ts";
import { WAITING_READERS } from "../protocol/limits/events.ts";
import type { EventsAnswer, EventsQuestion } from "./feed-calls.ts";

const TAG = "follower";

/** Versioned: a newer object may find attachments of an older one. */
type Attachment = EventsQuestion & { v: 1 };

export class Followers {
  readonly #context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

  constructor(context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">) {
    this.#context = context;
  }

  /** Whether as many wait as may. */
  get areFull(): boolean {
    return this.#waiting().length >= WAITING_READERS;
  }

  /** Lets a reader wait. @returns the Worker's end of the socket */
  accept(question: EventsQuestion): WebSocket {
    const pair = new WebSocketPair();
    this.#context.acceptWebSocket(pair[1], [TAG]);
    pair[1].serializeAttachment({ v: 1, ...question } satisfies Attachment);
    return pair[0];
  }

  /**
   * Ends the wait of everybody for whom there is an answer now. One that does not get it asks again, behind the same number
   * (I7).
   *
   * @param answerTo null: this one waits on
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
