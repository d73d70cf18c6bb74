/** From a request to its result. */
import { KEPT, blocked, broken, keptUnless, leftOut } from "../../step.ts";
import { described, isObject, listed, textOf, typeOf } from "../heard.ts";
import { resultProblems } from "../judge/result.ts";
import { onLine } from "../scene.ts";

const accepted = onLine({
  name: "accepted",
  title: "Says accepted before anything else",
  duty: "A request is stored, then answered with {type: accepted, requestId, attempt}; only then anything is begun.",
  harm: "After 10 seconds without accepted the gateway takes the terminal for dead, and the till learns nothing of the payment.",
  mend: "Send accepted as the first frame about a request, as soon as it is stored, with the attempt of the request.",
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
  duty: "result carries statusCode, responseCode, softwareVersion, terminalSn and, when approved, transData with paymentChannel, invNo, tid and mid, each within its length; amounts, currency and transId that it names are those of the request.",
  harm: "The gateway cuts and empties what does not fit: receipts and reports of the shop have holes. Another amount or currency leaves the payment pending until the operator settles it.",
  mend: "Hold each member against the table of the response's fields.",
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
  title: "Carries out a cashOut, or refuses it as unsupported",
  duty: "transType cashOut charges transAmt and hands out cashAmt; a terminal that cannot refuses it as unsupported.",
  harm: "A cashier hands out cash that nobody was charged for.",
  mend: "Add cashAmt to the amount at the host and name both in transData, or refuse cashOut.",
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
    if (result?.frame == null) return blocked("it came to no final result");
    const data = result.frame["transData"];
    const problems = resultProblems(result.frame, request.request);
    if (textOf(result.frame, "statusCode") !== "00") return keptUnless(problems, "a complete result");
    if (textOf(isObject(data) ? data : null, "cashAmt") === "") problems.push("transData.cashAmt is missing");
    return keptUnless(problems, "a complete result with cashAmt");
  },
});

const voiding = onLine({
  name: "void",
  title: "Voids a sale, or refuses that as unsupported",
  duty: "transType void takes back the approved transaction that transId names; its result names that transId again.",
  harm: "The till shows a void that the customer's account never sees.",
  mend: "Find the sale by transId, take it back at the host, and name the same transId in transData.",
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
    if (result?.frame == null) return blocked("it came to no final result");
    return keptUnless(resultProblems(result.frame, request.request), `a complete result about ${transId}`);
  },
});

const unknownMembers = onLine({
  name: "unknown-members",
  title: "Lets members pass that it does not know",
  duty: "A frame may have further members: they are covered by the signature and otherwise ignored.",
  harm: "The day the gateway learns something new, every terminal of this make stops working.",
  mend: "Verify the signature over the JSON as it was received, not over the members that you know.",
  async run(scene, line) {
    const { patience } = scene.options;
    const sale = scene.begin(line, "wait", { futureMember: { depth: 2, list: ["a", "ü", 3] } });
    const first = await sale.next(patience.answer);
    return typeOf(first) === "accepted" ? KEPT : broken("accepted", listed(first));
  },
});

const unknownFrames = onLine({
  name: "unknown-frames",
  title: "Lets frames pass that it does not know",
  duty: "A frame of an unknown type, or a text that is none, is logged and ignored; the connection stays.",
  harm: "The day the gateway says something new, every terminal of this make drops its connection.",
  mend: "Ignore what has an unknown type.",
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
    return typeOf(first) === "accepted" ? KEPT : broken("the next request is accepted as ever", listed(first));
  },
});

export const PAYMENTS = [accepted, resultFields, cashOut, voiding, unknownMembers, unknownFrames];
