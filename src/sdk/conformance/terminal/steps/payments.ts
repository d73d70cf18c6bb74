import { err, ok, type Result } from "../../../../protocol/result.ts";
import { ANSWER_WAIT } from "../../../../protocol/limits.ts";
import type { JsonObject } from "../../../../protocol/signing/json.ts";
import { shortDuration } from "../../../../protocol/time/duration.ts";
import { dataOf, textOf } from "../../message.ts";
import {
  KEPT,
  blockedVerdict,
  brokenVerdict,
  keptIf,
  keptUnless,
  leftOutVerdict,
  type KitStep,
  type StepVerdict,
} from "../../step.ts";
import { A_MOMENT, AFTER_RESPOND_BY, AT_ONCE, now, PAST, SOON } from "../../times.ts";
import type { Exchange } from "../exchange.ts";
import {
  describeFrame,
  describeFrames,
  refusedAs,
  resultProblems,
  sameOutcome,
  frameStatus,
  typeOf,
  type Heard,
} from "../judge.ts";
import {
  atWork,
  isAuthorising,
  NO_AUTHORISING,
  onLine,
  refuses,
  withResult,
  type OnLine,
  type TerminalScene,
} from "../scene.ts";

function isAccepted(heard: Heard | null, attempt = 1): boolean {
  return typeOf(heard) === "accepted" && heard?.frame?.["attempt"] === attempt;
}

/** For a request that the terminal may refuse as unsupported. */
async function supported(request: Exchange, { patience }: OnLine): Promise<Result<JsonObject, StepVerdict>> {
  const first = await request.next(patience.answer);
  if (first === null) return err(brokenVerdict("accepted or refused unsupported", "nothing"));
  if (typeOf(first) === "refused") {
    return err(keptIf(textOf(first.frame, "reason") === "unsupported", "refused unsupported", describeFrame(first)));
  }
  const result = await request.outcome(patience.payment);
  return result?.frame == null ? err(blockedVerdict("it had no final result")) : ok(result.frame);
}

export const PAYMENTS: readonly KitStep<TerminalScene>[] = [
  onLine({
    name: "accepted",
    title: "Sends accepted before anything else",
    duty: "The terminal stores a request, then sends {type: accepted, requestId, attempt}, and only then starts it.",
    harm: "After 10 seconds without accepted, the gateway considers the terminal dead, and the POS learns nothing about the payment.",
    fix: "Send accepted as the first frame about a request, as soon as the request is stored, with its attempt.",
    async judge({ scene, line, patience }) {
      const sale = scene.begin(line, "approve");
      const first = await sale.next(patience.answer);
      if (first === null) return brokenVerdict("accepted within 10 seconds", "nothing");
      if (typeOf(first) !== "accepted") return brokenVerdict("accepted as the first frame", describeFrame(first));
      const attempt = JSON.stringify(first.frame?.["attempt"] ?? null);
      return keptIf(isAccepted(first), "attempt 1, as in the request", `attempt ${attempt}`);
    },
  }),
  withResult({
    name: "result-fields",
    title: "Reports a complete result of an approved sale",
    duty: "result has statusCode, responseCode, softwareVersion, terminalSn and, if approved, transData with paymentChannel, invNo, tid and mid, each within its length. Amounts, currency and transId, if present, are those of the request.",
    harm: "The gateway truncates or empties fields that do not fit, so the shop's receipts and reports are incomplete. With another amount or currency the payment stays pending until the operator resolves it.",
    fix: "Compare each member with the table of the response's fields.",
    judge({ exchange, result }) {
      const problems = resultProblems(result.frame ?? {}, exchange.request);
      if (problems.length > 0) return keptUnless(problems, "a complete result within the lengths");
      return frameStatus(result) === "00" ? KEPT : leftOutVerdict("the sale was not approved");
    },
  }),
  onLine({
    name: "cash-out",
    title: "Processes a cashOut or refuses it as unsupported",
    duty: "transType cashOut charges transAmt and pays out cashAmt. A terminal that cannot do this refuses it as unsupported.",
    harm: "A cashier pays out cash that nobody is charged for.",
    fix: "Add cashAmt to the amount at the host and return both in transData, or refuse cashOut.",
    async judge(given) {
      const { scene, line, amounts } = given;
      const transData = { transAmt: amounts.approve, cashAmt: "20.00", paymentMethod: "bankCard" };
      const request = scene.begin(line, "approve", { transType: "cashOut", transData });
      const result = await supported(request, given);
      if (!result.ok) return result.error;
      const problems = resultProblems(result.value, request.request);
      if (textOf(result.value, "statusCode") !== "00") return keptUnless(problems, "a complete result");
      const isPaidOut = textOf(dataOf(result.value), "cashAmt") !== "";
      return keptUnless([...problems, !isPaidOut && "transData.cashAmt is missing"], "a complete result with cashAmt");
    },
  }),
  withResult({
    name: "void",
    title: "Voids a sale or refuses the void as unsupported",
    duty: "transType void reverses the approved transaction with that transId. The result has the same transId.",
    harm: "The POS shows a void that never reaches the customer's account.",
    fix: "Find the sale by transId, reverse it at the host, and return the same transId in transData.",
    async judge(given) {
      const { scene, line, exchange: sold, result: sale } = given;
      if (frameStatus(sale) !== "00") return leftOutVerdict("the sale was not approved");
      sold.acknowledge(line, "00");
      const transId = sold.requestId;
      const request = scene.begin(line, "approve", { transType: "void", transId, transData: { transId } });
      const result = await supported(request, given);
      if (!result.ok) return result.error;
      return keptUnless(resultProblems(result.value, request.request), `a complete result about ${transId}`);
    },
  }),
  onLine({
    name: "unknown-members",
    title: "Ignores unknown members",
    duty: "A frame may have unknown members. The signature covers them; ignore them otherwise.",
    harm: "When the gateway adds a member, every terminal of this make stops working.",
    fix: "Verify the signature over the JSON as received, not only over the members you know.",
    async judge({ scene, line, patience }) {
      const sale = scene.begin(line, "wait", { futureMember: { depth: 2, list: ["a", "ü", 3] } });
      const first = await sale.next(patience.answer);
      return keptIf(typeOf(first) === "accepted", "accepted", describeFrames(first));
    },
  }),
  onLine({
    name: "unknown-frames",
    title: "Ignores unknown frames",
    duty: "The terminal logs and ignores a frame of an unknown type and a text that is not a frame. The connection stays open.",
    harm: "When the gateway adds a frame, every terminal of this make drops its connection.",
    fix: "Ignore frames of an unknown type.",
    async judge({ scene, line, counterpart, patience }) {
      line.send({ type: "weather", forecast: "fine" });
      line.sendText("not a frame");
      line.send({ type: "ack" });
      const from = counterpart.heard.items.length;
      line.sendText("ping");
      await counterpart.heard.next({ wanted: ({ text }) => text === "pong", from, within: patience.silence });
      const sale = scene.draft("wait");
      sale.send(line);
      const first = await sale.next(patience.answer);
      if (line.ended !== null) return brokenVerdict("the connection stays", `it ended with code ${line.ended.code}`);
      return keptIf(typeOf(first) === "accepted", "the next request is accepted", describeFrames(first));
    },
  }),
];

/** Nothing may come back to the forged request. */
async function ignores(
  { scene, line }: OnLine,
  request: Exchange,
  forge: (signed: JsonObject) => JsonObject,
): Promise<StepVerdict> {
  request.send(line, {}, forge);
  await scene.completed(line);
  const answer = await request.next(A_MOMENT);
  return keptIf(answer === null, "no answer", describeFrames(answer));
}

function otherAccount(name: string, member: "posId" | "merchantId", title: string): KitStep<TerminalScene> {
  return onLine({
    name,
    title,
    duty: `The terminal refuses a request with another ${member} than the binding's as unbound.`,
    harm: "A terminal that has just moved to another shop takes money for the previous shop.",
    fix: `Compare ${member} of every request with the last welcome or binding.`,
    judge: (given) => refuses(given, "unbound", given.scene.draft("wait", { [member]: "SOMEBODY-ELSE" })),
  });
}

export const REFUSAL_STEPS: readonly KitStep<TerminalScene>[] = [
  onLine({
    name: "deliver-by",
    title: "Refuses a request that it reads after deliverBy",
    duty: "The terminal does not start a request that it reads after deliverBy. Its clock is welcome.serverTime plus the time since. It sends refused expired.",
    harm: "A request delayed in a dead connection starts a payment that no POS waits for, after the POS has shown that no money moved.",
    fix: "Check deliverBy by the gateway's clock: store serverTime when you read welcome, and add a clock that keeps running during sleep.",
    judge: (given) => refuses(given, "expired", given.scene.draft("wait"), { deliverBy: now() - PAST }),
  }),
  onLine({
    name: "respond-by-past",
    title: "Starts nothing after respondBy",
    duty: "The terminal refuses a request whose respondBy has passed as expired, or ends it as 11, and starts nothing.",
    harm: "A customer pays long after the POS has shown that no money will move.",
    fix: "Compare respondBy with the gateway's clock before you start, and again after a slow write.",
    async judge({ scene, line, patience }) {
      const late = scene.draft("wait");
      late.send(line, { respondBy: now() - PAST });
      const first = await late.next(patience.answer);
      if (typeOf(first) !== "accepted") return refusedAs("expired", first);
      const result = await late.next(patience.answer);
      return keptIf(frameStatus(result) === "11", "result 11 immediately", describeFrames(result));
    },
  }),
  atWork({
    name: "lower-number",
    title: "Refuses a requestId that is not higher than all earlier ones",
    duty: "The terminal keeps the highest requestId it has ever accepted. It refuses an unknown requestId that is not higher as expired.",
    harm: "A request that was overtaken on its way is processed a second time, or after the POS gave it up.",
    fix: "Store the highest number together with the accepted request. Ten digits compare as strings.",
    async judge(given) {
      const { scene, work } = given;
      await scene.tidy();
      return refuses(given, "expired", scene.draft("wait", {}, String(Number(work.requestId) - 1)));
    },
  }),
  otherAccount("other-account", "posId", "Refuses a request for another account"),
  otherAccount("other-merchant", "merchantId", "Refuses a request for another merchant"),
  onLine({
    name: "forged",
    title: "Does not answer a request whose signature is wrong",
    duty: "The terminal verifies each request with its secret over the frame as received. If that fails, it logs the frame, sends no answer, and starts nothing.",
    harm: "An attacker between gateway and terminal changes amounts or starts payments.",
    fix: "Verify before anything else. Drop the frame if that fails.",
    async judge(given) {
      const { scene, line, patience } = given;
      const request = scene.draft("wait");
      const transData = { transAmt: "1.00", paymentMethod: "bankCard" };
      const ignored = await ignores(given, request, (signed) => ({ ...signed, transData }));
      if (ignored.kind !== "kept") return ignored;
      request.send(line);
      const right = await request.next(patience.answer);
      const expected = "the same request is accepted with a correct signature";
      return keptIf(typeOf(right) === "accepted", expected, describeFrames(right));
    },
  }),
  onLine({
    name: "unsigned",
    title: "Does not answer an unsigned request",
    duty: "The terminal treats an unsigned request like one with a wrong signature.",
    harm: "An attacker between gateway and terminal starts payments.",
    fix: "Treat a missing signature as a wrong signature.",
    judge: (given) => ignores(given, given.scene.draft("wait"), ({ signature: _signature, ...rest }) => rest),
  }),
  atWork({
    name: "busy",
    title: "Refuses a second request while one is in progress",
    duty: "While an accepted request is in progress, the terminal refuses every other request as busy and goes on with the first.",
    harm: "Two customers' payments mix on one screen: one card pays for both, or for the wrong one.",
    fix: "Send refused busy, and leave the first request alone.",
    async judge(given) {
      const verdict = await refuses(given, "busy", given.scene.draft("wait"));
      if (verdict.kind !== "kept" || given.work.final === undefined) return verdict;
      return blockedVerdict("the first request ended before the second was answered");
    },
  }),
];

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
      const seen = typeOf(again) === "accepted" ? "another attempt" : describeFrames(again);
      return keptIf(isAccepted(again, 2), "accepted, attempt 2", seen);
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
  onLine({
    name: "cancel-at-host",
    title: "Reports the truth about a payment that is cancelled at the host",
    duty: "cancel does not end a payment that may have reached the host. The terminal reports what the host says: 00, 11, or 22 until the host has answered.",
    harm: "The cashier reads that no money moved, and the customer is charged.",
    fix: "After the marker before card or host, a cancel changes nothing but what the terminal asks the host for.",
    async judge({ scene, line, patience }) {
      const sale = scene.begin(line, "approve");
      if (!(await isAuthorising(sale, patience.payment))) return leftOutVerdict(NO_AUTHORISING);
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
