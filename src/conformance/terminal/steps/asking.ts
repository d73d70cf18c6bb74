/** What a terminal says when it is asked, cancelled, or asked again. */
import { ANSWER_WAIT } from "../../../protocol/limits/transfers.ts";
import { KEPT, blocked, broken, leftOut, seconds } from "../../step.ts";
import { AFTER_RESPOND_BY, AT_ONCE, SOON } from "../../times.ts";
import { Exchange } from "../exchange.ts";
import { described, listed, textOf, typeOf } from "../heard.ts";
import { refusedAs } from "../judge/refusal.ts";
import { isSameOutcome } from "../judge/result.ts";
import { onLine } from "../scene.ts";

const repeatAtWork = onLine({
  name: "repeat-at-work",
  title: "Accepts the same request again while it is at work on it",
  duty: "A requestId sent again is answered with what the terminal has: accepted while it is at work; nothing is begun twice.",
  harm: "After a short loss of the connection the till is told that nothing was taken, while the customer pays.",
  mend: "Look requestId up before anything else: what you hold is answered from your memory, with the attempt of the new sending, whatever else would be in the way.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    work.send(line);
    const again = await work.next(scene.options.patience.answer, "accepted", "refused", "result");
    if (typeOf(again) !== "accepted") return broken("accepted, attempt 2", listed(again));
    if (again?.frame?.["attempt"] !== 2) return broken("accepted, attempt 2", "another attempt");
    return KEPT;
  },
});

const repeatAfterResult = onLine({
  name: "repeat-after-result",
  title: "Answers a request that has ended with its result, and does not begin it again",
  duty: "A requestId sent again is answered with what the terminal has: the very result, as long as it is not acknowledged.",
  harm: "The customer is charged twice for one purchase.",
  mend: "Keep request and result together until the ack, and answer from there.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.skip();
    exchange.send(line);
    const again = await exchange.next(scene.options.patience.payment, "result", "progress", "refused");
    if (typeOf(again) === "progress") return broken("the result again", `it was begun again: ${listed(again)}`);
    if (typeOf(again) !== "result") return broken("the result again", listed(again));
    return isSameOutcome(result.frame, again?.frame ?? null)
      ? KEPT
      : broken(`the same result: ${described(result)}`, `another one: ${listed(again)}, with other details`);
  },
});

const inOrder = onLine({
  name: "in-order",
  title: "Handles frames one by one",
  duty: "accepted or refused leaves before the next frame is looked at.",
  harm: "A cancel overtakes its request: the till is told that nothing was taken, and then the payment begins.",
  mend: "Put received frames into a queue, and take the next one when the answer to the last is on its way.",
  async run(scene, line) {
    const { patience } = scene.options;
    const request = scene.draft("wait");
    request.send(line);
    request.cancel(line);
    const first = await request.next(patience.answer);
    if (typeOf(first) === "accepted") return KEPT;
    return broken("accepted for the request, then the answer to its cancel", `first came ${listed(first)}`);
  },
});

const cancel = onLine({
  name: "cancel",
  title: "Ends a cancelled payment before the card",
  duty: "cancel ends what has not reached card or host, as 11; the result comes when it is known, at the latest at respondBy.",
  harm: "The cashier cancels, serves the next customer, and the first one's card is charged.",
  mend: "On cancel stop asking for the card, make sure that nothing can begin any more, and send the result 11.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    work.cancel(line);
    const result = await work.next(ANSWER_WAIT, "result", "refused");
    if (result === null) return broken(`result 11 within ${seconds(ANSWER_WAIT)}`, "no result");
    return typeOf(result) === "result" && textOf(result.frame, "statusCode") === "11"
      ? KEPT
      : broken("result 11: no card was presented", described(result));
  },
});

const cancelUnknown = onLine({
  name: "cancel-unknown",
  title: "Refuses a cancel of something that it does not hold",
  duty: "cancel of a request that the terminal does not hold is answered refused unknown, with its attempt.",
  harm: "The till waits in vain to learn that a payment was never begun.",
  mend: "Answer {type: refused, requestId, attempt, reason: unknown}.",
  async run(scene, line) {
    const request = scene.draft("wait", {}, scene.newNumber());
    request.attempt = 2;
    request.cancel(line);
    return refusedAs("unknown", await request.next(scene.options.patience.answer), 2);
  },
});

const ask = onLine({
  name: "ask",
  title: "Answers ask at once with the result as it stands",
  duty: "ask is answered at once: with the result where it is known, with a result 22 where it is not.",
  harm: "A cashier who asks what became of a payment gets no answer.",
  mend: "Answer from memory: the stored result, or statusCode 22 while the payment is at work.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    work.ask(line);
    const result = await work.next(AT_ONCE, "result", "refused");
    if (result === null) return broken(`a result within ${seconds(AT_ONCE)}`, "none");
    if (typeOf(result) === "result" && textOf(result.frame, "statusCode") === "22") return KEPT;
    return broken("result 22: the payment is at work", described(result));
  },
});

const askUnknown = onLine({
  name: "ask-unknown",
  title: "Refuses a question about something that it does not hold",
  duty: "ask about a request that the terminal does not hold is answered refused unknown, with its attempt.",
  harm: "A payment that never reached the terminal stays open at the till.",
  mend: "Answer {type: refused, requestId, attempt, reason: unknown}.",
  async run(scene, line) {
    const request = scene.draft("wait", {}, scene.newNumber());
    request.attempt = 3;
    request.ask(line);
    return refusedAs("unknown", await request.next(scene.options.patience.answer), 3);
  },
});

const respondBy = onLine({
  name: "respond-by",
  title: "Ends by itself at respondBy",
  duty: "At respondBy the terminal ends the request by itself: 11 where nothing has reached card or host, 22 where the host has not answered.",
  harm: "The till has given up, the terminal still asks for the card, and the next customer pays the last one's bill.",
  mend: "Set a timer for respondBy by the gateway's clock when the request is accepted.",
  async run(scene, line) {
    const { clock } = scene.options;
    const work = await scene.atWork(line, { respondBy: clock.now() + SOON });
    if (!(work instanceof Exchange)) return work;
    const left = work.respondBy - clock.now();
    const result = await work.next(left + AFTER_RESPOND_BY, "result");
    if (result === null) return broken("a result at respondBy", `none ${seconds(AFTER_RESPOND_BY)} after it`);
    return textOf(result.frame, "statusCode") === "11" ? KEPT : broken("result 11", described(result));
  },
});

const pending = onLine({
  name: "pending",
  title: "Goes on to the next payment while one is pending at the host",
  duty: "One that is only cleared up with the host does not make the terminal busy; asked about it, the terminal answers with what the host says.",
  harm: "One slow answer of the bank closes the till for minutes.",
  mend: "Count only what has not ended; after a result 22 the terminal is free.",
  async run(scene, line) {
    const { patience } = scene.options;
    const first = scene.begin(line, "pending");
    const result = await first.next(patience.payment, "result", "refused");
    if (typeOf(result) !== "result") return blocked("a payment came to no result (see “accepted”)");
    if (textOf(result?.frame, "statusCode") !== "22") return leftOut("no payment remained pending at the host");
    first.acknowledge(line, "22");
    const next = await scene.atWork(line);
    if (!(next instanceof Exchange)) {
      return next.kind === "blocked" ? broken("the next request is accepted", "it was not") : next;
    }
    first.skip();
    first.ask(line);
    const answer = await first.next(AT_ONCE, "result", "refused");
    return typeOf(answer) === "result" ? KEPT : broken("a result to the question about the first", listed(answer));
  },
});

export const ASKING = [
  repeatAtWork,
  repeatAfterResult,
  inOrder,
  cancel,
  cancelUnknown,
  ask,
  askUnknown,
  respondBy,
  pending,
];
