/** Steps about requests that a terminal must not start. */
import type { JsonObject } from "../../../signing/json.ts";
import { blocked, keptIf, type Step, type Verdict } from "../../step.ts";
import { A_MOMENT, PAST } from "../../times.ts";
import type { Exchange } from "../exchange.ts";
import { listed, statusOf, typeOf } from "../heard.ts";
import { refusedAs } from "../judge.ts";
import { atWork, onLine, type OnLine, type TerminalScene } from "../scene.ts";

async function refuses({ line, patience }: OnLine, reason: string, request: Exchange): Promise<Verdict> {
  request.send(line);
  return refusedAs(reason, await request.next(patience.answer));
}

/** Sends a request that is forged as `forge` says: nothing may come back. */
async function ignores(
  { scene, line }: OnLine,
  request: Exchange,
  forge: (signed: JsonObject) => JsonObject,
): Promise<Verdict> {
  request.send(line, {}, forge);
  await scene.completed(line);
  const answer = await request.next(A_MOMENT);
  return keptIf(answer === null, "no answer", listed(answer));
}

function otherAccount(name: string, member: "posId" | "merchantId", title: string): Step<TerminalScene> {
  return onLine({
    name,
    title,
    duty: `The terminal refuses a request with another ${member} than the binding's as unbound.`,
    harm: "A terminal that has just moved to another shop takes money for the previous shop.",
    fix: `Compare ${member} of every request with the last welcome or binding.`,
    judge: (given) => refuses(given, "unbound", given.scene.draft("wait", { [member]: "SOMEBODY-ELSE" })),
  });
}

export const REFUSALS: readonly Step<TerminalScene>[] = [
  onLine({
    name: "deliver-by",
    title: "Refuses a request that it reads after deliverBy",
    duty: "The terminal does not start a request that it reads after deliverBy. Its clock is welcome.serverTime plus the time since. It sends refused expired.",
    harm: "A request delayed in a dead connection starts a payment that no till waits for, after the till has shown that no money moved.",
    fix: "Check deliverBy by the gateway's clock: store serverTime when you read welcome, and add a clock that keeps running during sleep.",
    async judge({ scene, line, now, patience }) {
      const late = scene.draft("wait");
      late.send(line, { deliverBy: now() - PAST });
      return refusedAs("expired", await late.next(patience.answer));
    },
  }),
  onLine({
    name: "respond-by-past",
    title: "Starts nothing after respondBy",
    duty: "The terminal refuses a request whose respondBy has passed as expired, or ends it as 11, and starts nothing.",
    harm: "A customer pays long after the till has shown that no money will move.",
    fix: "Compare respondBy with the gateway's clock before you start, and again after a slow write.",
    async judge({ scene, line, now, patience }) {
      const late = scene.draft("wait");
      late.send(line, { respondBy: now() - PAST });
      const first = await late.next(patience.answer);
      if (typeOf(first) !== "accepted") return refusedAs("expired", first);
      const result = await late.next(patience.answer);
      return keptIf(statusOf(result) === "11", "result 11 at once", listed(result));
    },
  }),
  atWork({
    name: "lower-number",
    title: "Refuses a requestId that is not higher than all earlier ones",
    duty: "The terminal keeps the highest requestId it has ever accepted. It refuses an unknown requestId that is not higher as expired.",
    harm: "A request that was overtaken on its way is processed a second time, or after the till gave it up.",
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
      return keptIf(typeOf(right) === "accepted", expected, listed(right));
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
      return blocked("the first request ended before the second was answered");
    },
  }),
];
