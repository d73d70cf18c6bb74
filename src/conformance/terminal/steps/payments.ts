/** Steps from a request to its result. */
import { err, ok, type Result } from "../../../outcomes/result.ts";
import type { JsonObject } from "../../../signing/json.ts";
import { dataOf, textOf } from "../../message.ts";
import { KEPT, blocked, broken, keptIf, keptUnless, leftOut, type Step, type Verdict } from "../../step.ts";
import type { Exchange } from "../exchange.ts";
import { described, listed, statusOf, typeOf } from "../heard.ts";
import { resultProblems } from "../judge.ts";
import { onLine, withResult, type OnLine, type TerminalScene } from "../scene.ts";

/** The result of a request that the terminal may refuse as unsupported. */
async function supported(request: Exchange, { patience }: OnLine): Promise<Result<JsonObject, Verdict>> {
  const first = await request.next(patience.answer);
  if (first === null) return err(broken("accepted or refused unsupported", "nothing"));
  if (typeOf(first) === "refused") {
    return err(keptIf(textOf(first.frame, "reason") === "unsupported", "refused unsupported", described(first)));
  }
  const result = await request.outcome(patience.payment);
  return result?.frame == null ? err(blocked("it had no final result")) : ok(result.frame);
}

export const PAYMENTS: readonly Step<TerminalScene>[] = [
  onLine({
    name: "accepted",
    title: "Sends accepted before anything else",
    duty: "The terminal stores a request, then sends {type: accepted, requestId, attempt}, and only then starts it.",
    harm: "After 10 seconds without accepted, the gateway considers the terminal dead, and the till learns nothing about the payment.",
    fix: "Send accepted as the first frame about a request, as soon as the request is stored, with its attempt.",
    async judge({ scene, line, patience }) {
      const sale = scene.begin(line, "approve");
      const first = await sale.next(patience.answer);
      if (first === null) return broken("accepted within 10 seconds", "nothing");
      if (typeOf(first) !== "accepted") return broken("accepted as the first frame", described(first));
      const attempt = first.frame?.["attempt"] ?? null;
      return keptIf(attempt === 1, "attempt 1, as in the request", `attempt ${JSON.stringify(attempt)}`);
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
      return statusOf(result) === "00" ? KEPT : leftOut("the sale was not approved");
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
    harm: "The till shows a void that never reaches the customer's account.",
    fix: "Find the sale by transId, reverse it at the host, and return the same transId in transData.",
    async judge(given) {
      const { scene, line, exchange: sold, result: sale } = given;
      if (statusOf(sale) !== "00") return leftOut("the sale was not approved");
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
      return keptIf(typeOf(first) === "accepted", "accepted", listed(first));
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
      if (line.ended !== null) return broken("the connection stays", `it ended with code ${line.ended.code}`);
      return keptIf(typeOf(first) === "accepted", "the next request is accepted", listed(first));
    },
  }),
];
