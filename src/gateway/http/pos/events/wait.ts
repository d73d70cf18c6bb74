import { type EventsAnswer, type EventsQuestion, WAIT_SESSION, type AccountStub } from "../../../account/rpc.ts";
import { closeQuietly, textsFrom } from "../../../durable/sockets.ts";
import { BrokenWait, Repetition } from "../../../durable/repetition.ts";
import { objectInTime } from "../../middleware/time-limit.ts";
import type { Milliseconds } from "../../../../protocol/time/units.ts";

export interface EventsWait {
  question: EventsQuestion;
  /** The wait if there is no event after the number. */
  wait: Milliseconds;
  /** Aborts when the reader hangs up, if the platform reports it. */
  signal: AbortSignal;
  /** The request's trace id, for the log. */
  traceId: string;
}

/**
 * I7: a broken wait starts again after the same number, so a reset object or a broken socket costs a reader no event.
 *
 * @param stub returns a new stub for every call: one that threw is broken
 * @throws if the object cannot be reached
 */
export async function readFeed(
  stub: () => AccountStub,
  { question, wait, signal, traceId }: EventsWait,
): Promise<EventsAnswer> {
  if (wait === 0) return objectInTime(stub().events(question));
  const until = performance.now() + wait;
  const repetition = new Repetition({ call: "events", traceId });
  for (;;) {
    try {
      return await waitOnce(stub(), question, until - performance.now(), signal);
    } catch (error) {
      const pause = repetition.pauseAfter(error);
      if (pause === null || performance.now() + pause >= until || signal.aborted) {
        if (error instanceof BrokenWait) return nothingNew(question);
        throw error;
      }
      await scheduler.wait(pause);
    }
  }
}

/** @throws `BrokenWait` if the socket breaks */
async function waitOnce(
  stub: AccountStub,
  question: EventsQuestion,
  within: number,
  signal: AbortSignal,
): Promise<EventsAnswer> {
  const { sessionId, after } = question;
  const response = await objectInTime(
    stub.fetch(`https://account.internal/wait?after=${after}`, {
      headers: { Upgrade: "websocket", [WAIT_SESSION]: sessionId },
    }),
  );
  const socket = response.webSocket;
  if (socket === null) return response.json<EventsAnswer>();
  const texts = textsFrom(socket, { within, signal });
  const next = await texts.next();
  if (next.done === true && next.value === "broken") throw new BrokenWait("the waiting socket broke");
  closeQuietly(socket, 1000, "");
  await texts.return("over");
  return next.done === true ? nothingNew(question) : (JSON.parse(next.value) as EventsAnswer);
}

function nothingNew({ after }: EventsQuestion): EventsAnswer {
  return { kind: "events", bodies: [], next: after ?? 0, skipped: 0 };
}
