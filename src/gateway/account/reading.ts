/** Serves the readers of the feed (I7). */
import { EVENTS_PAGE, WAITING_READERS } from "../../protocol/limits.ts";
import type { EventAnswer, EventsAnswer, EventsQuestion } from "./rpc.ts";
import { sessionStanding } from "./sessions.ts";
import type { AccountTables } from "./storage/tables.ts";
import { closeQuietly, sendQuietly } from "../durable/sockets.ts";

/** Returns at most one page. */
export function readStoredEvents(tables: AccountTables, { sessionId, after }: EventsQuestion): EventsAnswer {
  const standing = sessionStanding(tables, sessionId);
  if (standing.kind !== "good") return standing;
  const { events } = tables;
  const { newest } = events;
  if (after === null) return { kind: "events", bodies: [], next: newest, skipped: 0 };
  // A number that was never assigned belongs to another account or gateway.
  if (after > newest) return { kind: "out-of-range", oldest: events.oldest, newest };
  const page = events.bodiesAfter(after, EVENTS_PAGE);
  const next = page.at(-1)?.number ?? after;
  // Numbers are without gaps, so what is missing was deleted: the answer includes how much the reader misses.
  return { kind: "events", bodies: page.map(({ body }) => body), next, skipped: next - after - page.length };
}

export function readEvent(tables: AccountTables, sessionId: string, number: number): EventAnswer {
  const standing = sessionStanding(tables, sessionId);
  if (standing.kind !== "good") return standing;
  const body = tables.events.body(number);
  return body === null ? { kind: "no-such-event" } : { kind: "event", body };
}

/** Whether the reader has read everything, so that the answer has to wait. */
export function hasReadAll(answer: EventsAnswer, { after }: EventsQuestion): boolean {
  return answer.kind === "events" && answer.bodies.length === 0 && after !== null;
}

const TAG = "follower";

/** The attachment has a version, because a newer object may find attachments that older code wrote. */
type Attachment = EventsQuestion & {
  v: 1;
  /** Readers that came later have a higher number. */
  number: number;
};

function finish(socket: WebSocket, answer: EventsAnswer): void {
  sendQuietly(socket, JSON.stringify(answer));
  closeQuietly(socket, 1000, "answered");
}

/**
 * The reader's Worker opens a socket, and both sleep until there is an event: an object that waits inside a call is
 * billed for that time (https://developers.cloudflare.com/durable-objects/platform/pricing/). The attachment holds what
 * must survive hibernation. A socket does not survive a reset: its Worker asks again.
 */
export class Followers {
  readonly #context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

  constructor(context: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">) {
    this.#context = context;
  }

  /**
   * One reader too many ends the oldest wait with an empty page: its reader may have hung up long ago, and asks again
   * if not.
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
   * A reader that does not receive its answer asks again, after the same number (I7).
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
