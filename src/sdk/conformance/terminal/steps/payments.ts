import { err, ok, type Result } from "../../../../protocol/result.ts";
import type { JsonObject } from "../../../../protocol/signing/json.ts";
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
import { A_MOMENT, now, PAST } from "../../times.ts";
import type { Exchange } from "../exchange.ts";
import { describeFrame, describeFrames, refusedAs, resultProblems, frameStatus, typeOf } from "../judge.ts";
import { atWork, onLine, refuses, withResult, type OnLine, type TerminalScene } from "../scene.ts";

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
      const attempt = first.frame?.["attempt"];
      return keptIf(attempt === 1, "attempt 1, as in the request", `attempt ${JSON.stringify(attempt ?? null)}`);
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
