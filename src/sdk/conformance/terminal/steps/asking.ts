/** What a terminal answers about a request that it already has: sent again, cancelled, asked about, or at its end. */
import { ANSWER_WAIT } from "../../../../protocol/limits.ts";
import { shortDuration } from "../../../../protocol/time/duration.ts";
import {
  KEPT,
  blockedVerdict,
  brokenVerdict,
  keptIf,
  leftOutVerdict,
  type KitStep,
  type StepVerdict,
} from "../../step.ts";
import { AFTER_RESPOND_BY, AT_ONCE, now, SOON } from "../../times.ts";
import { describeFrame, describeFrames, refusedAs, sameOutcome, frameStatus, typeOf } from "../judge.ts";
import { atHost, atWork, onLine, withResult, type OnLine, type TerminalScene } from "../scene.ts";

async function aboutUnknown(
  { scene, line, patience }: OnLine,
  what: "ask" | "cancel",
  attempt: number,
): Promise<StepVerdict> {
  const request = scene.draft("wait", {}, scene.newNumber());
  request.attempt = attempt;
  request[what](line);
  return refusedAs("unknown", await request.next(patience.answer), attempt);
}

export const ASKING: readonly KitStep<TerminalScene>[] = [
  atWork({
    name: "repeat-at-work",
    title: "Accepts a request again while it is in progress",
    duty: "The terminal answers a known requestId from its memory: accepted while the request is in progress. It starts nothing twice.",
    harm: "After a short loss of the connection the POS shows that no money moved, while the customer pays.",
    fix: "Look up the requestId before any other check. Answer a known request from memory, with the attempt of the new frame.",
    async judge({ line, work, patience }) {
      work.send(line);
      const again = await work.next(patience.answer, "accepted", "refused", "result");
      if (typeOf(again) !== "accepted") return brokenVerdict("accepted, attempt 2", describeFrames(again));
      return keptIf(again?.frame?.["attempt"] === 2, "accepted, attempt 2", "another attempt");
    },
  }),
  withResult({
    name: "repeat-after-result",
    title: "Answers a finished request with its result and does not start it again",
    duty: "The terminal answers a known requestId from its memory: with the same result, until the result is acknowledged.",
    harm: "The customer is charged twice for one purchase.",
    fix: "Store request and result until the ack, and answer from there.",
    async judge({ scene, line, exchange, result, patience }) {
      exchange.skip();
      exchange.send(line);
      const again = await exchange.next(patience.payment, "result", "progress", "refused");
      if (typeOf(again) === "progress")
        return brokenVerdict("the result again", `it was started again: ${describeFrames(again)}`);
      if (again === null || typeOf(again) !== "result") return brokenVerdict("the result again", describeFrames(again));
      return scene.keptIfCharged(exchange, sameOutcome(result, again));
    },
  }),
  onLine({
    name: "in-order",
    title: "Handles frames one at a time",
    duty: "The terminal sends accepted or refused before it handles the next frame.",
    harm: "A cancel overtakes its request: the POS shows that no money moved, and then the payment starts.",
    fix: "Queue received frames. Take the next one after the answer to the last one is sent.",
    async judge({ scene, line, patience }) {
      const request = scene.draft("wait");
      request.send(line);
      request.cancel(line);
      const first = await request.next(patience.answer);
      const expected = "accepted for the request, then the answer to its cancel";
      return keptIf(typeOf(first) === "accepted", expected, `first: ${describeFrames(first)}`);
    },
  }),
  atWork({
    name: "cancel",
    title: "Ends a cancelled payment if no card was presented",
    duty: "cancel ends a payment that has not reached card or host, as 11. The terminal sends the result when it is known, at respondBy at the latest.",
    harm: "The cashier cancels and serves the next customer, and the first customer's card is charged.",
    fix: "On cancel, stop asking for the card, make sure that nothing can start any more, and send the result 11.",
    async judge({ scene, line, work }) {
      work.cancel(line);
      const result = await work.next(ANSWER_WAIT, "result", "refused");
      if (result === null) return brokenVerdict(`result 11 within ${shortDuration(ANSWER_WAIT)}`, "no result");
      const verdict = keptIf(frameStatus(result) === "11", "result 11: no card was presented", describeFrame(result));
      return scene.keptIfCharged(work, verdict);
    },
  }),
  atHost({
    name: "cancel-at-host",
    title: "Reports the truth about a payment that is cancelled at the host",
    duty: "cancel does not end a payment that may have reached the host. The terminal reports what the host says: 00, 11, or 22 until the host has answered.",
    harm: "The cashier reads that no money moved, and the customer is charged.",
    fix: "After the marker before card or host, a cancel changes nothing but what the terminal asks the host for.",
    async judge({ scene, line, sale, patience }) {
      sale.cancel(line);
      const result = await sale.outcome(patience.payment);
      return scene.keptIfCharged(sale, keptIf(result !== null, "a final result", "none"));
    },
  }),
  onLine({
    name: "cancel-unknown",
    title: "Refuses a cancel of an unknown request",
    duty: "The terminal answers a cancel of an unknown request with refused unknown and the same attempt.",
    harm: "The POS waits in vain for the answer that the payment never started.",
    fix: "Send {type: refused, requestId, attempt, reason: unknown}.",
    judge: (given) => aboutUnknown(given, "cancel", 2),
  }),
  atWork({
    name: "ask",
    title: "Answers ask immediately with the current result",
    duty: "The terminal answers ask immediately: with the result if it is known, otherwise with a result 22.",
    harm: "A cashier who asks for the outcome of a payment gets no answer.",
    fix: "Answer from memory: the stored result, or statusCode 22 while the payment is in progress.",
    async judge({ line, work }) {
      work.ask(line);
      const result = await work.next(AT_ONCE, "result", "refused");
      if (result === null) return brokenVerdict(`a result within ${shortDuration(AT_ONCE)}`, "none");
      return keptIf(frameStatus(result) === "22", "result 22: the payment is in progress", describeFrame(result));
    },
  }),
  onLine({
    name: "ask-unknown",
    title: "Refuses a question about an unknown request",
    duty: "The terminal answers an ask about an unknown request with refused unknown and the same attempt.",
    harm: "A payment that never reached the terminal stays open at the POS.",
    fix: "Send {type: refused, requestId, attempt, reason: unknown}.",
    judge: (given) => aboutUnknown(given, "ask", 3),
  }),
  onLine({
    name: "respond-by",
    title: "Ends a request at respondBy",
    duty: "At respondBy the terminal ends the request: as 11 if nothing has reached card or host, as 22 if the host has not answered.",
    harm: "The POS has given up, the terminal still asks for the card, and the next customer pays the last customer's bill.",
    fix: "When you accept the request, set a timer for respondBy by the gateway's clock.",
    async judge({ scene, line }) {
      const begun = await scene.atWork(line, { respondBy: now() + SOON });
      if (!begun.ok) return begun.error;
      const { work } = begun.value;
      const result = await work.next(work.respondBy - now() + AFTER_RESPOND_BY, "result");
      if (result === null) {
        return brokenVerdict("a result at respondBy", `none within ${shortDuration(AFTER_RESPOND_BY)} after it`);
      }
      return scene.keptIfCharged(work, keptIf(frameStatus(result) === "11", "result 11", describeFrame(result)));
    },
  }),
  onLine({
    name: "respond-by-at-host",
    title: "Reports 22 at respondBy while the host has not answered",
    duty: "At respondBy, a payment that may have reached the host and has no answer is a 22. The terminal never reports 11 for it unless the host has said so.",
    harm: "The POS shows that no money moved, the cashier charges again, and the customer has paid twice.",
    fix: "At respondBy, look at the marker before card or host: with it the result is 22, without it 11.",
    async judge({ scene, line, patience }) {
      const sale = scene.begin(line, "pending", {}, { respondBy: now() + SOON });
      const result = await sale.next(sale.respondBy - now() + AFTER_RESPOND_BY + patience.answer, "result", "refused");
      if (typeOf(result) !== "result") return brokenVerdict("a result at respondBy", describeFrames(result));
      if (frameStatus(result) === "00")
        return leftOutVerdict("no payment stayed pending at the host (set one that does with --pending AMOUNT)");
      sale.ask(line);
      await sale.next(patience.answer, "result");
      return scene.keptIfCharged(sale, KEPT);
    },
  }),
  onLine({
    name: "pending",
    title: "Takes the next payment while one is pending at the host",
    duty: "A payment that is pending at the host does not make the terminal busy. The terminal answers an ask about it with what the host says.",
    harm: "One slow answer from the bank blocks the POS for minutes.",
    fix: "Count only payments in progress. After a result 22 the terminal is free.",
    async judge({ scene, line, patience }) {
      const first = scene.begin(line, "pending");
      const result = await first.next(patience.payment, "result", "refused");
      if (typeOf(result) !== "result") return blockedVerdict("a payment had no result (see “accepted”)");
      if (frameStatus(result) !== "22") return leftOutVerdict("no payment stayed pending at the host");
      first.acknowledge(line, "22");
      const next = await scene.atWork(line);
      if (!next.ok)
        return next.error.kind === "blocked" ? brokenVerdict("the next request is accepted", "it was not") : next.error;
      first.skip();
      first.ask(line);
      const answer = await first.next(AT_ONCE, "result", "refused");
      return keptIf(typeOf(answer) === "result", "a result to the question about the first", describeFrames(answer));
    },
  }),
];
