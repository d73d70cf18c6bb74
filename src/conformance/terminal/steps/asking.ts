/** Steps about questions, cancels and requests sent again. */
import { shortDuration } from "../../../time/duration.ts";
import { ANSWER_WAIT } from "../../../protocol/limits/transfers.ts";
import { blocked, broken, keptIf, leftOut, type Step, type Verdict } from "../../step.ts";
import { AFTER_RESPOND_BY, AT_ONCE, SOON } from "../../times.ts";
import { described, listed, statusOf, typeOf } from "../heard.ts";
import { refusedAs, sameOutcome } from "../judge.ts";
import { atWork, onLine, withResult, type OnLine, type TerminalScene } from "../scene.ts";

/** The verdict on the answer to a question about a request that was never sent. */
async function aboutUnknown(
  { scene, line, patience }: OnLine,
  what: "ask" | "cancel",
  attempt: number,
): Promise<Verdict> {
  const request = scene.draft("wait", {}, scene.newNumber());
  request.attempt = attempt;
  request[what](line);
  return refusedAs("unknown", await request.next(patience.answer), attempt);
}

export const ASKING: readonly Step<TerminalScene>[] = [
  atWork({
    name: "repeat-at-work",
    title: "Accepts a request again while it is in progress",
    duty: "The terminal answers a known requestId from its memory: accepted while the request is in progress. It starts nothing twice.",
    harm: "After a short loss of the connection the till shows that no money moved, while the customer pays.",
    fix: "Look up the requestId before any other check. Answer a known request from memory, with the attempt of the new frame.",
    async judge({ line, work, patience }) {
      work.send(line);
      const again = await work.next(patience.answer, "accepted", "refused", "result");
      if (typeOf(again) !== "accepted") return broken("accepted, attempt 2", listed(again));
      return keptIf(again?.frame?.["attempt"] === 2, "accepted, attempt 2", "another attempt");
    },
  }),
  withResult({
    name: "repeat-after-result",
    title: "Answers a finished request with its result and does not start it again",
    duty: "The terminal answers a known requestId from its memory: with the same result, until the result is acknowledged.",
    harm: "The customer is charged twice for one purchase.",
    fix: "Store request and result until the ack, and answer from there.",
    async judge({ line, exchange, result, patience }) {
      exchange.skip();
      exchange.send(line);
      const again = await exchange.next(patience.payment, "result", "progress", "refused");
      if (typeOf(again) === "progress") return broken("the result again", `it was started again: ${listed(again)}`);
      if (again === null || typeOf(again) !== "result") return broken("the result again", listed(again));
      return sameOutcome(result, again);
    },
  }),
  onLine({
    name: "in-order",
    title: "Handles frames one at a time",
    duty: "The terminal sends accepted or refused before it handles the next frame.",
    harm: "A cancel overtakes its request: the till shows that no money moved, and then the payment starts.",
    fix: "Queue received frames. Take the next one after the answer to the last one is sent.",
    async judge({ scene, line, patience }) {
      const request = scene.draft("wait");
      request.send(line);
      request.cancel(line);
      const first = await request.next(patience.answer);
      const expected = "accepted for the request, then the answer to its cancel";
      return keptIf(typeOf(first) === "accepted", expected, `first: ${listed(first)}`);
    },
  }),
  atWork({
    name: "cancel",
    title: "Ends a cancelled payment if no card was presented",
    duty: "cancel ends a payment that has not reached card or host, as 11. The terminal sends the result when it is known, at respondBy at the latest.",
    harm: "The cashier cancels and serves the next customer, and the first customer's card is charged.",
    fix: "On cancel, stop asking for the card, make sure that nothing can start any more, and send the result 11.",
    async judge({ line, work }) {
      work.cancel(line);
      const result = await work.next(ANSWER_WAIT, "result", "refused");
      if (result === null) return broken(`result 11 within ${shortDuration(ANSWER_WAIT)}`, "no result");
      return keptIf(statusOf(result) === "11", "result 11: no card was presented", described(result));
    },
  }),
  onLine({
    name: "cancel-unknown",
    title: "Refuses a cancel of an unknown request",
    duty: "The terminal answers a cancel of an unknown request with refused unknown and the same attempt.",
    harm: "The till waits in vain for the answer that the payment never started.",
    fix: "Send {type: refused, requestId, attempt, reason: unknown}.",
    judge: (given) => aboutUnknown(given, "cancel", 2),
  }),
  atWork({
    name: "ask",
    title: "Answers ask at once with the current result",
    duty: "The terminal answers ask at once: with the result if it is known, otherwise with a result 22.",
    harm: "A cashier who asks for the outcome of a payment gets no answer.",
    fix: "Answer from memory: the stored result, or statusCode 22 while the payment is in progress.",
    async judge({ line, work }) {
      work.ask(line);
      const result = await work.next(AT_ONCE, "result", "refused");
      if (result === null) return broken(`a result within ${shortDuration(AT_ONCE)}`, "none");
      return keptIf(statusOf(result) === "22", "result 22: the payment is in progress", described(result));
    },
  }),
  onLine({
    name: "ask-unknown",
    title: "Refuses a question about an unknown request",
    duty: "The terminal answers an ask about an unknown request with refused unknown and the same attempt.",
    harm: "A payment that never reached the terminal stays open at the till.",
    fix: "Send {type: refused, requestId, attempt, reason: unknown}.",
    judge: (given) => aboutUnknown(given, "ask", 3),
  }),
  onLine({
    name: "respond-by",
    title: "Ends a request at respondBy",
    duty: "At respondBy the terminal ends the request: as 11 if nothing has reached card or host, as 22 if the host has not answered.",
    harm: "The till has given up, the terminal still asks for the card, and the next customer pays the last customer's bill.",
    fix: "When you accept the request, set a timer for respondBy by the gateway's clock.",
    async judge({ scene, line, now }) {
      const work = await scene.atWork(line, { respondBy: now() + SOON });
      if (!work.ok) return work.error;
      const result = await work.value.next(work.value.respondBy - now() + AFTER_RESPOND_BY, "result");
      if (result === null) {
        return broken("a result at respondBy", `none within ${shortDuration(AFTER_RESPOND_BY)} after it`);
      }
      return keptIf(statusOf(result) === "11", "result 11", described(result));
    },
  }),
  onLine({
    name: "pending",
    title: "Takes the next payment while one is pending at the host",
    duty: "A payment that is pending at the host does not make the terminal busy. The terminal answers an ask about it with what the host says.",
    harm: "One slow answer from the bank blocks the till for minutes.",
    fix: "Count only payments in progress. After a result 22 the terminal is free.",
    async judge({ scene, line, patience }) {
      const first = scene.begin(line, "pending");
      const result = await first.next(patience.payment, "result", "refused");
      if (typeOf(result) !== "result") return blocked("a payment had no result (see “accepted”)");
      if (statusOf(result) !== "22") return leftOut("no payment stayed pending at the host");
      first.acknowledge(line, "22");
      const next = await scene.atWork(line);
      if (!next.ok)
        return next.error.kind === "blocked" ? broken("the next request is accepted", "it was not") : next.error;
      first.skip();
      first.ask(line);
      const answer = await first.next(AT_ONCE, "result", "refused");
      return keptIf(typeOf(answer) === "result", "a result to the question about the first", listed(answer));
    },
  }),
];
