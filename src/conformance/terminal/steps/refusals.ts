/** What a terminal must not begin. */
import { Exchange } from "../exchange.ts";
import { KEPT, blocked, broken } from "../../step.ts";
import { A_MOMENT, PAST } from "../../times.ts";
import type { Step } from "../../step.ts";
import { listed, textOf, typeOf } from "../heard.ts";
import { refusedAs } from "../judge/refusal.ts";
import { onLine } from "../scene.ts";
import type { TerminalScene } from "../scene.ts";

const deliverBy = onLine({
  name: "deliver-by",
  title: "Refuses a request that it reads after deliverBy",
  duty: "Nothing is begun after deliverBy at reading; the clock is welcome.serverTime and what has passed since. The answer is refused expired.",
  harm: "A request that was stuck in a dead connection starts a payment that no till waits for any more, while the till was told that nothing was taken.",
  mend: "Judge deliverBy by the gateway's clock: keep serverTime when welcome is read, and add a clock that runs on during sleep.",
  async run(scene, line) {
    const { clock, patience } = scene.options;
    const late = scene.draft("wait");
    late.send(line, { deliverBy: clock.now() - PAST });
    return refusedAs("expired", await late.next(patience.answer));
  },
});

const respondByPast = onLine({
  name: "respond-by-past",
  title: "Begins nothing after respondBy",
  duty: "A request whose respondBy is over is refused as expired, or ended as 11, without anything begun.",
  harm: "A customer pays at a time when the till has been told long ago that nothing will be taken.",
  mend: "Compare respondBy with the gateway's clock before you begin, also after storing took its time.",
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
  title: "Refuses a requestId that is not higher than all before",
  duty: "The terminal keeps the highest requestId that it has ever accepted; one that is not higher and that it does not hold is refused as expired.",
  harm: "A request that was overtaken on its way is carried out a second time, or after the till gave it up.",
  mend: "Store the highest number together with the request when it is accepted; ten digits compare as texts.",
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
    duty: `A request for another ${member} than the binding's is refused as unbound.`,
    harm: "A terminal that has just moved to another shop takes that shop's customer's money for the one before.",
    mend: `Compare ${member} of every request with that of the last welcome or binding.`,
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
  duty: "A request is verified with the terminal's secret over the frame as it was received; one that fails is logged, not answered, and not begun.",
  harm: "Whoever gets between gateway and terminal changes amounts, or starts payments of their own.",
  mend: "Verify before anything else; drop what fails.",
  async run(scene, line) {
    const { patience } = scene.options;
    const request = scene.draft("wait");
    request.send(line, {}, (signed) => ({ ...signed, transData: { transAmt: "1.00", paymentMethod: "bankCard" } }));
    await scene.settled(line);
    const answer = await request.next(A_MOMENT);
    if (answer !== null) return broken("no answer", listed(answer));
    request.send(line);
    const right = await request.next(patience.answer);
    if (textOf(right?.frame, "type") === "accepted") return KEPT;
    return broken("the same request is accepted when its signature is right", listed(right));
  },
});

const unsigned = onLine({
  name: "unsigned",
  title: "Does not answer a request without a signature",
  duty: "A request without a signature is treated as one whose signature is wrong.",
  harm: "Whoever gets between gateway and terminal starts payments of their own.",
  mend: "A missing signature is a wrong one.",
  async run(scene, line) {
    const request = scene.draft("wait");
    request.send(line, {}, ({ signature: _signature, ...rest }) => rest);
    await scene.settled(line);
    const answer = await request.next(A_MOMENT);
    return answer === null ? KEPT : broken("no answer", listed(answer));
  },
});

const busy = onLine({
  name: "busy",
  title: "Refuses a second request while one is at work",
  duty: "While it has a request accepted and not ended, the terminal refuses every other as busy, and goes on with the first.",
  harm: "Two customers' payments mix on one screen: one card pays for both, or for the wrong one.",
  mend: "One at a time: answer refused busy, and leave the first request alone.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    const second = scene.draft("wait");
    second.send(line);
    const verdict = refusedAs("busy", await second.next(scene.options.patience.answer));
    if (verdict.kind !== "kept") return verdict;
    if (work.final !== undefined) return blocked("the first request ended before the second one was answered");
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
