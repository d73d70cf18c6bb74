/** Steps about what a terminal must store, and what it may forget. */
import { shortDuration } from "../../../time/duration.ts";
import { KEPT, blocked, broken, type Verdict } from "../../step.ts";
import { SIGNATURE_RETRIES, SIGNATURE_RETRY_WAIT } from "../../../protocol/limits/connections.ts";
import { verifySignature } from "../../../signing/signature.ts";
import { Exchange } from "../exchange.ts";
import { described, listed, textOf, typeOf, type Heard } from "../heard.ts";
import { wrongSignature } from "../judge/greeting.ts";
import { isSameOutcome } from "../judge/result.ts";
import { openOf, type Line } from "../line.ts";
import { onLine, type TerminalScene } from "../scene.ts";

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
  title: "Stores a request before it sends accepted",
  duty: "accepted means durably stored. After a lost connection, the next hello lists the request in open.",
  harm: "The gateway learns that the terminal has nothing and sends the payment again. The customer pays twice.",
  fix: "Write the request to durable storage, then send accepted. Build open from that storage after every write has finished.",
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
  title: "Accepts nothing from an earlier connection after it has sent hello",
  duty: "Before hello, the terminal has permanently stopped reading every earlier connection and has finished or undone every write. It does not process a request that open does not list.",
  harm: "Because of that hello, the till shows that no money moved. Then the payment happens.",
  fix: "Finish the current frame of the old connection, drop the unread ones, then build open.",
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
  title: "Keeps a result until its ack and sends it again after hello",
  duty: "The terminal keeps a result until its ack. Each hello lists the request in open, and after ready the terminal sends the signed result again.",
  harm: "The customer has paid, the connection breaks at the wrong moment, and the till never learns the outcome.",
  fix: "Store the result before you send it. On ready, send every stored result that is not acknowledged.",
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

/** The verdict on a result that is sent again. */
export function sameAgain({ options }: TerminalScene, first: Heard, again: Heard | null): Verdict {
  if (again?.frame == null) return broken("the result again", `none within ${shortDuration(options.patience.answer)}`);
  if (!verifySignature(again.frame, options.secret)) {
    return broken("the result again, signed", wrongSignature(again.frame));
  }
  return isSameOutcome(first.frame, again.frame)
    ? KEPT
    : broken(`the same result: ${described(first)}`, `another result: ${described(again)}, with other details`);
}

const ackForgets = onLine({
  name: "ack-forgets",
  title: "Forgets a request after the ack of its 00 or 11",
  duty: "After the ack of a 00 or 11, the next hello does not list the request, and the terminal does not send the result again.",
  harm: "Every reconnection sends years of old results. At a thousand, the gateway no longer accepts the hello.",
  fix: "On ack, compare statusCode with the stored result. If they are equal, delete request and result.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, textOf(result.frame, "statusCode"));
    await scene.completed(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (lists(next, exchange)) return broken("the next hello does not list it", "it is listed in open");
    await scene.completed(next);
    const again = exchange.all.find(({ connection }) => connection === next.number) ?? null;
    return again === null ? KEPT : broken("no more frames about it", described(again));
  },
});

const neverAgain = onLine({
  name: "never-again",
  title: "Does not start a forgotten request again",
  duty: "A forgotten request is not higher than the highest requestId ever accepted. When it arrives again, the terminal refuses it as expired.",
  harm: "A delayed copy of the request charges the customer a second time.",
  fix: "Keep the highest requestId ever accepted, even when nothing else is stored.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, textOf(result.frame, "statusCode"));
    await scene.completed(line);
    exchange.skip();
    exchange.send(line);
    const answer = await exchange.next(scene.options.patience.answer);
    if (typeOf(answer) === "refused" && textOf(answer?.frame, "reason") === "expired") return KEPT;
    return broken("refused expired", listed(answer));
  },
});

const otherAck = onLine({
  name: "other-ack",
  title: "Keeps a result after the ack of another status",
  duty: "An ack of 22 only stops the retries of that 22. The terminal ignores an ack whose status is not that of its stored result.",
  harm: "A payment is pending, then approved. The late ack of the 22 makes the terminal forget the approval, and the till never learns of it.",
  fix: "On ack, compare statusCode with the stored result. Forget only an acknowledged 00 or 11.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange, result } = made;
    exchange.acknowledge(line, "22");
    await scene.completed(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (!lists(next, exchange)) return broken("the next hello lists the request in open", openText(next));
    return sameAgain(scene, result, await exchange.next(scene.options.patience.answer, "result"));
  },
});

const ack22 = onLine({
  name: "ack-22",
  title: "Still reports the outcome after the ack of a 22",
  duty: "The terminal does not forget a request after the ack of a 22. The request stays in open until its 00 or 11 is acknowledged.",
  harm: "A payment that is pending when the connection breaks is never completed.",
  fix: "Delete nothing on an ack of 22.",
  async run(scene, line) {
    const work = await scene.atWork(line);
    if (!(work instanceof Exchange)) return work;
    work.ask(line);
    const standing = await work.next(scene.options.patience.answer, "result", "refused");
    if (textOf(standing?.frame, "statusCode") !== "22") return blocked("it did not answer ask with 22 (see “ask”)");
    work.acknowledge(line, "22");
    await scene.completed(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    return lists(next, work) ? KEPT : broken("the next hello lists the request in open", openText(next));
  },
});

const signsAnew = onLine({
  name: "signs-anew",
  title: "Signs a result again after bad_signature",
  duty: `After error bad_signature, the terminal signs the result again and sends it after ${SIGNATURE_RETRY_WAIT / 1_000} seconds, at most ${SIGNATURE_RETRIES} times.`,
  harm: "An approved payment stays open at the till although the terminal knows the outcome, or a faulty terminal sends without end.",
  fix: "On error with code bad_signature, wait 5 seconds, sign the stored result again, send it, and count.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const times = scene.options.patient ? SIGNATURE_RETRIES : 1;
    for (let time = 1; time <= times; time++) {
      const verdict = await signedAnew(scene, line, made.exchange);
      if (verdict.kind !== "kept") return verdict;
    }
    if (!scene.options.patient) return { kind: "kept", note: "tested once; --patient tests the limit of five" };
    complain(line, made.exchange);
    const more = await made.exchange.next(2 * SIGNATURE_RETRY_WAIT, "result");
    return more === null ? KEPT : broken(`no further result after ${SIGNATURE_RETRIES}`, "another one");
  },
});

function complain(line: Line, { requestId }: Exchange): void {
  line.send({ type: "error", code: "bad_signature", message: "The signature is not the terminal's.", requestId });
}

async function signedAnew(scene: TerminalScene, line: Line, exchange: Exchange): Promise<Verdict> {
  const at = performance.now();
  complain(line, exchange);
  const within = SIGNATURE_RETRY_WAIT + scene.options.patience.silence * 2;
  const again = await exchange.next(within, "result");
  if (again?.frame == null) return broken(`the result again after 5 seconds`, `none within ${shortDuration(within)}`);
  if (again.at - at < SIGNATURE_RETRY_WAIT * 0.8) {
    return broken("the result again after 5 seconds", `after ${shortDuration(again.at - at)}`);
  }
  return verifySignature(again.frame, scene.options.secret)
    ? KEPT
    : broken("the result again, signed", wrongSignature(again.frame));
}

const unknownRequest = onLine({
  name: "unknown-request",
  title: "Forgets a result after unknown_request",
  duty: "After error unknown_request about its 00 or 11, the terminal forgets the request: the gateway never sent it, and has stored the result.",
  harm: "A terminal that came from another gateway sends its old results again and again.",
  fix: "On error with code unknown_request, delete the request and its 00 or 11. Keep one without an outcome.",
  async run(scene, line) {
    const made = await scene.concluded(line);
    if (made.kind === "blocked") return made;
    const { exchange } = made;
    const { requestId } = exchange;
    line.send({ type: "error", code: "unknown_request", message: "Not sent to this terminal.", requestId });
    await scene.completed(line);
    const next = await scene.cutAndReturn(line);
    if (next === null) return NOT_BACK;
    if (lists(next, exchange)) return broken("the next hello does not list it", "it is listed in open");
    exchange.abandoned = true;
    return KEPT;
  },
});

export const MEMORY = [stored, barrier, resultKept, ackForgets, neverAgain, otherAck, ack22, signsAnew, unknownRequest];
