/** Steps about requests that a terminal must not start. */
import { Exchange } from "../exchange.ts";
import { KEPT, blocked, broken, type Step } from "../../step.ts";
import { A_MOMENT, PAST } from "../../times.ts";
import { listed, textOf, typeOf } from "../heard.ts";
import { refusedAs } from "../judge/refusal.ts";
import { onLine, type TerminalScene } from "../scene.ts";

const deliverBy = onLine({
  name: "deliver-by",
  title: "Refuses a request that it reads after deliverBy",
  duty: "The terminal does not start a request that it reads after deliverBy. Its clock is welcome.serverTime plus the time since. It sends refused expired.",
  harm: "A request delayed in a dead connection starts a payment that no till waits for, after the till has shown that no money moved.",
  fix: "Check deliverBy by the gateway's clock: store serverTime when you read welcome, and add a clock that keeps running during sleep.",
  async run(scene, line) {
    const { clock, patience } = scene.options;
    const late = scene.draft("wait");
    late.send(line, { deliverBy: clock.now() - PAST });
    return refusedAs("expired", await late.next(patience.answer));
  },
});

const respondByPast = onLine({
  name: "respond-by-past",
  title: "Starts nothing after respondBy",
  duty: "The terminal refuses a request whose respondBy has passed as expired, or ends it as 11, and starts nothing.",
  harm: "A customer pays long after the till has shown that no money will move.",
  fix: "Compare respondBy with the gateway's clock before you start, and again after a slow write.",
  async run(scene, line) {
    const { clock, patience } = scene.options;
    const late = scene.draft("wait");
    late.send(line, { respondBy: clock.now() - PAST });
    const first = await late.next(patience.answer);
    if (typeOf(first) !== "accepted") return refusedAs("expired", first);
    const result = await late.next(patience.answer);
    const ended = typeOf(result) === "result" && textOf(result?.frame, "statusCode") === "11";
    return ended ? KEPT : broken("result 11 at once", listed(result));
  },
});

const lowerNumber = onLine({
  name: "lower-number",
  title: "Refuses a requestId that is not higher than all earlier ones",
  duty: "The terminal keeps the highest requestId it has ever accepted. It refuses an unknown requestId that is not higher as expired.",
  harm: "A request that was overtaken on its way is processed a second time, or after the till gave it up.",
  fix: "Store the highest number together with the accepted request. Ten digits compare as strings.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    await scene.tidy();
    const lower = scene.draft("wait", {}, String(Number(work.requestId) - 1));
    lower.send(line);
    return refusedAs("expired", await lower.next(scene.options.patience.answer));
  },
});

function otherAccount(name: string, member: "posId" | "merchantId", title: string): Step<TerminalScene> {
  return onLine({
    name,
    title,
    duty: `The terminal refuses a request with another ${member} than the binding's as unbound.`,
    harm: "A terminal that has just moved to another shop takes money for the previous shop.",
    fix: `Compare ${member} of every request with the last welcome or binding.`,
    async run(scene, line) {
      const request = scene.draft("wait", { [member]: "SOMEBODY-ELSE" });
      request.send(line);
      return refusedAs("unbound", await request.next(scene.options.patience.answer));
    },
  });
}

const forged = onLine({
  name: "forged",
  title: "Does not answer a request whose signature is wrong",
  duty: "The terminal verifies each request with its secret over the frame as received. If that fails, it logs the frame, sends no answer, and starts nothing.",
  harm: "An attacker between gateway and terminal changes amounts or starts payments.",
  fix: "Verify before anything else. Drop the frame if that fails.",
  async run(scene, line) {
    const { patience } = scene.options;
    const request = scene.draft("wait");
    request.send(line, {}, (signed) => ({ ...signed, transData: { transAmt: "1.00", paymentMethod: "bankCard" } }));
    await scene.completed(line);
    const answer = await request.next(A_MOMENT);
    if (answer !== null) return broken("no answer", listed(answer));
    request.send(line);
    const right = await request.next(patience.answer);
    if (textOf(right?.frame, "type") === "accepted") return KEPT;
    return broken("the same request is accepted with a correct signature", listed(right));
  },
});

const unsigned = onLine({
  name: "unsigned",
  title: "Does not answer an unsigned request",
  duty: "The terminal treats an unsigned request like one with a wrong signature.",
  harm: "An attacker between gateway and terminal starts payments.",
  fix: "Treat a missing signature as a wrong signature.",
  async run(scene, line) {
    const request = scene.draft("wait");
    request.send(line, {}, ({ signature: _signature, ...rest }) => rest);
    await scene.completed(line);
    const answer = await request.next(A_MOMENT);
    return answer === null ? KEPT : broken("no answer", listed(answer));
  },
});

const busy = onLine({
  name: "busy",
  title: "Refuses a second request while one is in progress",
  duty: "While an accepted request is in progress, the terminal refuses every other request as busy and goes on with the first.",
  harm: "Two customers' payments mix on one screen: one card pays for both, or for the wrong one.",
  fix: "Send refused busy, and leave the first request alone.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    const second = scene.draft("wait");
    second.send(line);
    const verdict = refusedAs("busy", await second.next(scene.options.patience.answer));
    if (verdict.kind !== "kept") return verdict;
    if (work.final !== undefined) return blocked("the first request ended before the second was answered");
    return KEPT;
  },
});

export const REFUSALS = [
  deliverBy,
  respondByPast,
  lowerNumber,
  otherAccount("other-account", "posId", "Refuses a request for another account"),
  otherAccount("other-merchant", "merchantId", "Refuses a request for another merchant"),
  forged,
  unsigned,
  busy,
];
