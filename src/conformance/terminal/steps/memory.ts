/** What a terminal must not forget, and what it may. */
import { KEPT, blocked, broken, seconds } from "../../step.ts";
import type { Verdict } from "../../step.ts";
import { SIGN_ANEW_TIMES, SIGN_ANEW_WAIT } from "../../../protocol/limits/connections.ts";
import { verifySignature } from "../../../signing/signature.ts";
import { Exchange } from "../exchange.ts";
import { described, listed, textOf, typeOf } from "../heard.ts";
import type { Heard } from "../heard.ts";
import { wrongSignature } from "../judge/greeting.ts";
import { isSameOutcome } from "../judge/result.ts";
import { openOf } from "../line.ts";
import type { Line } from "../line.ts";
import { onLine } from "../scene.ts";
import type { TerminalScene } from "../scene.ts";

const NOT_BACK = blocked("the terminal did not come back after the connection was cut (see “reconnects”)");

function lists(line: Line, { requestId }: Exchange): boolean {
  return openOf(line.hello?.frame)?.includes(requestId) === true;
}

function openText(line: Line): string {
  const open = openOf(line.hello?.frame) ?? [];
  return open.length === 0 ? "an empty open" : `open with ${open.length} others`;
}

const stored = onLine({
  name: "stored",
  title: "Has stored a request when it says accepted",
  duty: "accepted means durably stored: after a lost connection the next hello lists the request in open.",
  harm: "The gateway learns that the terminal has nothing, and sends the payment again: the customer pays twice.",
  mend: "Write the request to durable storage, then send accepted; build open from that storage, after every write has ended.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    return lists(next, work) ? KEPT : broken("the next hello lists the request in open", openText(next));
  },
});

const barrier = onLine({
  name: "barrier",
  title: "Takes nothing from an earlier connection once it has said hello",
  duty: "Before hello the terminal has stopped reading every earlier connection for good, and finished or undone any storing: what open does not list is not carried out.",
  harm: "The till was told that nothing was taken, on the strength of that hello; then the payment happens.",
  mend: "Wait until the frame in hand of the old connection is dealt with, drop what has not been read, then compute open.",
  async run(scene, line) {
    const { patience } = scene.options;
    const request = scene.draft("wait");
    request.send(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (lists(next, request)) return KEPT;
    const late = await request.next(patience.silence);
    return late === null ? KEPT : broken("nothing about a request that hello did not list", described(late));
  },
});

const resultKept = onLine({
  name: "result-kept",
  title: "Keeps a result until its ack, and sends it again after hello",
  duty: "A result is kept until its ack: each hello lists its request in open, and after ready it is sent again, signed.",
  harm: "The customer has paid, the connection broke at the wrong moment, and the till never learns of it.",
  mend: "Store the result before it is sent; on ready send everything that is stored and not acknowledged.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (!lists(next, exchange)) return broken("the next hello lists the request in open", openText(next));
    return sameAgain(scene, result, await exchange.next(scene.options.patience.answer, "result"));
  },
});

/** The verdict on a result that comes again. */
export function sameAgain({ options }: TerminalScene, first: Heard, again: Heard | null): Verdict {
  if (again?.frame == null) return broken("the result again", `none within ${seconds(options.patience.answer)}`);
  if (!verifySignature(again.frame, options.secret)) {
    return broken("the result again, signed", wrongSignature(again.frame));
  }
  return isSameOutcome(first.frame, again.frame)
    ? KEPT
    : broken(`the same result: ${described(first)}`, `another one: ${described(again)}, with other details`);
}

const ackForgets = onLine({
  name: "ack-forgets",
  title: "Forgets a request when its 00 or 11 is acknowledged",
  duty: "The ack of its 00 or 11 lets the terminal forget: the next hello does not list it, and the result is not sent again.",
  harm: "Every reconnection sends years of old results; at a thousand the gateway takes no hello any more.",
  mend: "On ack, compare statusCode with that of the result that you hold; where they are equal, delete request and result.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, textOf(result.frame, "statusCode"));
    await scene.settled(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (lists(next, exchange)) return broken("the next hello does not list it", "it is listed in open");
    await scene.settled(next);
    const again = exchange.all.find(({ connection }) => connection === next.number) ?? null;
    return again === null ? KEPT : broken("nothing more of it", described(again));
  },
});

const neverAgain = onLine({
  name: "never-again",
  title: "Does not begin again what it has forgotten",
  duty: "A request that was accepted and forgotten is not higher than the highest ever accepted: sent again, it is refused as expired.",
  harm: "A copy that was stuck in the network charges the customer a second time.",
  mend: "Keep the highest requestId ever accepted, also when nothing is held any more.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, textOf(result.frame, "statusCode"));
    await scene.settled(line);
    exchange.skip();
    exchange.send(line);
    const answer = await exchange.next(scene.options.patience.answer);
    if (typeOf(answer) === "refused" && textOf(answer?.frame, "reason") === "expired") return KEPT;
    return broken("refused expired", listed(answer));
  },
});

const otherAck = onLine({
  name: "other-ack",
  title: "Does not forget a result for the ack of another status",
  duty: "An ack of 22 ends only the repetition of that 22; an ack of another status than the one that the terminal now holds is ignored.",
  harm: "A payment was pending, then approved; the late ack of the 22 makes the terminal forget the approval, and the till never learns of it.",
  mend: "On ack, compare statusCode with that of the result that you hold; forget only an acknowledged 00 or 11.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, "22");
    await scene.settled(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (!lists(next, exchange)) return broken("the next hello lists the request in open", openText(next));
    return sameAgain(scene, result, await exchange.next(scene.options.patience.answer, "result"));
  },
});

const ack22 = onLine({
  name: "ack-22",
  title: "Owes the outcome still when its 22 is acknowledged",
  duty: "An ack of 22 does not let the terminal forget: the request stays in open until its 00 or 11 is acknowledged.",
  harm: "A payment that was pending when the connection broke is never cleared up.",
  mend: "Delete nothing on an ack of 22.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    work.ask(line);
    const standing = await work.next(scene.options.patience.answer, "result", "refused");
    if (textOf(standing?.frame, "statusCode") !== "22") return blocked("asked, it did not answer 22 (see “ask”)");
    work.acknowledge(line, "22");
    await scene.settled(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    return lists(next, work) ? KEPT : broken("the next hello lists the request in open", openText(next));
  },
});

const signsAnew = onLine({
  name: "signs-anew",
  title: "Signs a result anew when the gateway did not take its signature",
  duty: `After error bad_signature the result is signed anew and sent again after ${SIGN_ANEW_WAIT / 1_000} seconds, at most ${SIGN_ANEW_TIMES} times.`,
  harm: "An approved payment stays open at the till although the terminal knows better; or a faulty terminal sends without end.",
  mend: "On error with code bad_signature wait 5 seconds, sign the stored result again, send it, and count.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const times = scene.options.patient ? SIGN_ANEW_TIMES : 1;
    for (let time = 1; time <= times; time++) {
      const verdict = await signedAnew(scene, line, made.exchange);
      if (verdict.kind !== "kept") return verdict;
    }
    if (!scene.options.patient) return { kind: "kept", note: "once; --patient counts to five" };
    complain(line, made.exchange);
    const more = await made.exchange.next(2 * SIGN_ANEW_WAIT, "result");
    return more === null ? KEPT : broken(`no further result after ${SIGN_ANEW_TIMES}`, "another one");
  },
});

function complain(line: Line, { requestId }: Exchange): void {
  line.send({ type: "error", code: "bad_signature", message: "The signature is not the terminal's.", requestId });
}

async function signedAnew(scene: TerminalScene, line: Line, exchange: Exchange): Promise<Verdict> {
  const at = performance.now();
  complain(line, exchange);
  const within = SIGN_ANEW_WAIT + scene.options.patience.silence * 2;
  const again = await exchange.next(within, "result");
  if (again?.frame == null) return broken(`the result again after 5 seconds`, `none within ${seconds(within)}`);
  if (again.at - at < SIGN_ANEW_WAIT * 0.8) {
    return broken("the result again after 5 seconds", `after ${seconds(again.at - at)}`);
  }
  return verifySignature(again.frame, scene.options.secret)
    ? KEPT
    : broken("the result again, signed", wrongSignature(again.frame));
}

const unknownRequest = onLine({
  name: "unknown-request",
  title: "Forgets a result that is nobody's",
  duty: "After error unknown_request the terminal forgets the request: the gateway never sent it to this terminal.",
  harm: "A terminal that came from another gateway sends its old results again and again.",
  mend: "On error with code unknown_request delete the request and its result.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange } = made;
    const { requestId } = exchange;
    line.send({ type: "error", code: "unknown_request", message: "Not sent to this terminal.", requestId });
    await scene.settled(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (lists(next, exchange)) return broken("the next hello does not list it", "it is listed in open");
    exchange.abandoned = true;
    return KEPT;
  },
});

export const MEMORY = [stored, barrier, resultKept, ackForgets, neverAgain, otherAck, ack22, signsAnew, unknownRequest];
