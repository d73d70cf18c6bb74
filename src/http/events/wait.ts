import { type EventsAnswer, type EventsQuestion, WAIT_SESSION, type AccountStub } from "../../rpc/account.ts";
import { listen, isOverload, pauses } from "../../objects/sockets.ts";
import { objectInTime } from "../time-limit.ts";

export interface Reading {
  question: EventsQuestion;
  /** Milliseconds to wait if there is no event after the number. */
  wait: number;
  /** Aborts when the reader hangs up, if the platform reports it. */
  signal: AbortSignal;
}

/**
 * I7: a broken wait starts again after the same number, so a reset object or a broken socket costs a reader no event.
 *
 * @param stub returns a new stub for every call: one that threw is broken
 * @throws if the object cannot be reached
 */
export async function readFeed(stub: () => AccountStub, { question, wait, signal }: Reading): Promise<EventsAnswer> {
  if (wait === 0) return objectInTime(stub().events(question));
  const until = performance.now() + wait;
  const waits = pauses();
  for (;;) {
    let problem: unknown = null;
    try {
      const answer = await waitOnce(stub(), question, until - performance.now(), signal);
      if (answer !== "broken") return answer;
    } catch (error) {
      problem = error;
    }
    const pause = waits.next().value;
    const isOver = performance.now() + pause >= until || signal.aborted;
    if (problem !== null && (isOver || isOverload(problem))) throw problem;
    if (isOver) return nothingNew(question);
    await scheduler.wait(pause);
  }
}

async function waitOnce(
  stub: AccountStub,
  question: EventsQuestion,
  within: number,
  signal: AbortSignal,
): Promise<EventsAnswer | "broken"> {
  const { sessionId, after } = question;
  const response = await objectInTime(
    stub.fetch(`https://account.internal/wait?after=${after}`, {
      headers: { Upgrade: "websocket", [WAIT_SESSION]: sessionId },
    }),
  );
  const socket = response.webSocket;
  if (socket === null) return response.json<EventsAnswer>();
  const heard = await listen(socket, {
    read: (text) => JSON.parse(text) as EventsAnswer,
    within,
    signal,
    closeCode: () => 1000,
  });
  if (heard.kind === "heard") return heard.value;
  return heard.kind === "broken" ? "broken" : nothingNew(question);
}

function nothingNew({ after }: EventsQuestion): EventsAnswer {
  return { kind: "events", bodies: [], next: after ?? 0, skipped: 0 };
}
