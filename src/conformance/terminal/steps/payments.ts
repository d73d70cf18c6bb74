/** Steps from a request to its result. */
import { KEPT, blocked, broken, keptUnless, leftOut } from "../../step.ts";
import { described, isObject, listed, textOf, typeOf } from "../heard.ts";
import { resultProblems } from "../judge/result.ts";
import { onLine } from "../scene.ts";

const accepted = onLine({
  name: "accepted",
  title: "Sends accepted before anything else",
  duty: "The terminal stores a request, then sends {type: accepted, requestId, attempt}, and only then starts it.",
  harm: "After 10 seconds without accepted, the gateway considers the terminal dead, and the till learns nothing about the payment.",
  fix: "Send accepted as the first frame about a request, as soon as the request is stored, with its attempt.",
  async run(scene, line) {
    const { patience } = scene.options;
    const sale = scene.begin(line, "approve");
    const first = await sale.next(patience.answer);
    if (first === null) return broken("accepted within 10 seconds", "nothing");
    if (typeOf(first) !== "accepted") return broken("accepted as the first frame", described(first));
    const attempt = first.frame?.["attempt"];
    return attempt === 1 ? KEPT : broken("attempt 1, as in the request", `attempt ${JSON.stringify(attempt ?? null)}`);
  },
});

const resultFields = onLine({
  name: "result-fields",
  title: "Reports a complete result of an approved sale",
  duty: "result has statusCode, responseCode, softwareVersion, terminalSn and, if approved, transData with paymentChannel, invNo, tid and mid, each within its length. Amounts, currency and transId, if present, are those of the request.",
  harm: "The gateway truncates or empties fields that do not fit, so the shop's receipts and reports are incomplete. With another amount or currency the payment stays pending until the operator resolves it.",
  fix: "Compare each member with the table of the response's fields.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const frame = made.result.frame ?? {};
    const problems = resultProblems(frame, made.exchange.request);
    if (problems.length > 0) return broken("a complete result within the lengths", problems.join("; "));
    return textOf(frame, "statusCode") === "00" ? KEPT : leftOut("the sale was not approved");
  },
});

const cashOut = onLine({
  name: "cash-out",
  title: "Processes a cashOut or refuses it as unsupported",
  duty: "transType cashOut charges transAmt and pays out cashAmt. A terminal that cannot do this refuses it as unsupported.",
  harm: "A cashier pays out cash that nobody is charged for.",
  fix: "Add cashAmt to the amount at the host and return both in transData, or refuse cashOut.",
  async run(scene, line) {
    const { amounts, patience } = scene.options;
    const transData = { transAmt: amounts.approve, cashAmt: "20.00", paymentMethod: "bankCard" };
    const request = scene.begin(line, "approve", { transType: "cashOut", transData });
    const first = await request.next(patience.answer);
    if (first === null) return broken("accepted or refused unsupported", "nothing");
    if (typeOf(first) === "refused") {
      return textOf(first.frame, "reason") === "unsupported" ? KEPT : broken("refused unsupported", described(first));
    }
    const result = await request.outcome(patience.payment);
    if (result?.frame == null) return blocked("it had no final result");
    const data = result.frame["transData"];
    const problems = resultProblems(result.frame, request.request);
    if (textOf(result.frame, "statusCode") !== "00") return keptUnless(problems, "a complete result");
    if (textOf(isObject(data) ? data : null, "cashAmt") === "") problems.push("transData.cashAmt is missing");
    return keptUnless(problems, "a complete result with cashAmt");
  },
});

const voiding = onLine({
  name: "void",
  title: "Voids a sale or refuses the void as unsupported",
  duty: "transType void reverses the approved transaction with that transId. The result has the same transId.",
  harm: "The till shows a void that never reaches the customer's account.",
  fix: "Find the sale by transId, reverse it at the host, and return the same transId in transData.",
  async run(scene, line) {
    const { patience } = scene.options;
    const sold = await scene.concluded(line);
    if (sold.kind === "blocked") return sold;
    if (textOf(sold.result.frame, "statusCode") !== "00") return leftOut("the sale was not approved");
    sold.exchange.acknowledge(line, "00");
    const transId = sold.exchange.requestId;
    const request = scene.begin(line, "approve", { transType: "void", transId, transData: { transId } });
    const first = await request.next(patience.answer);
    if (first === null) return broken("accepted or refused unsupported", "nothing");
    if (typeOf(first) === "refused") {
      return textOf(first.frame, "reason") === "unsupported" ? KEPT : broken("refused unsupported", described(first));
    }
    const result = await request.outcome(patience.payment);
    if (result?.frame == null) return blocked("it had no final result");
    return keptUnless(resultProblems(result.frame, request.request), `a complete result about ${transId}`);
  },
});

const unknownMembers = onLine({
  name: "unknown-members",
  title: "Ignores unknown members",
  duty: "A frame may have unknown members. The signature covers them; ignore them otherwise.",
  harm: "When the gateway adds a member, every terminal of this make stops working.",
  fix: "Verify the signature over the JSON as received, not only over the members you know.",
  async run(scene, line) {
    const { patience } = scene.options;
    const sale = scene.begin(line, "wait", { futureMember: { depth: 2, list: ["a", "ü", 3] } });
    const first = await sale.next(patience.answer);
    return typeOf(first) === "accepted" ? KEPT : broken("accepted", listed(first));
  },
});

const unknownFrames = onLine({
  name: "unknown-frames",
  title: "Ignores unknown frames",
  duty: "The terminal logs and ignores a frame of an unknown type and a text that is not a frame. The connection stays open.",
  harm: "When the gateway adds a frame, every terminal of this make drops its connection.",
  fix: "Ignore frames of an unknown type.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    line.send({ type: "weather", forecast: "fine" });
    line.sendText("not a frame");
    line.send({ type: "ack" });
    const from = counterpart.heard.items.length;
    line.sendText("ping");
    await counterpart.heard.next(({ text }) => text === "pong", { from, within: patience.silence });
    const sale = scene.draft("wait");
    sale.send(line);
    const first = await sale.next(patience.answer);
    if (line.ended !== null) return broken("the connection stays", `it ended with code ${line.ended.code}`);
    return typeOf(first) === "accepted" ? KEPT : broken("the next request is accepted", listed(first));
  },
});

export const PAYMENTS = [accepted, resultFields, cashOut, voiding, unknownMembers, unknownFrames];
