import { sleep } from "../../../client/backoff.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import { SIGNATURE_RETRIES, SIGNATURE_RETRY_WAIT } from "../../../../protocol/limits.ts";
import { shortDuration } from "../../../../protocol/time/duration.ts";
import { textOf } from "../../message.ts";
import {
  KEPT,
  blockedVerdict,
  brokenVerdict,
  keptIf,
  leftOutVerdict,
  stepsWith,
  type KitStep,
  type StepVerdict,
} from "../../step.ts";
import type { Exchange, TerminalLine } from "../exchange.ts";
import {
  describeFrame,
  isFinal,
  describeFrames,
  openOf,
  refusedAs,
  sameOutcome,
  signedResult,
  frameStatus,
  typeOf,
  type Heard,
} from "../judge.ts";
import { atWork, onLine, withResult, type OnLine, type TerminalScene } from "../scene.ts";

async function afterCut(
  { scene, line }: OnLine,
  judge: (next: TerminalLine) => StepVerdict | Promise<StepVerdict>,
): Promise<StepVerdict> {
  const next = await scene.cutAndReturn(line);
  return next === null
    ? blockedVerdict("the terminal did not come back after the connection was cut (see “reconnects”)")
    : judge(next);
}

function lists(line: TerminalLine, { requestId }: Exchange): boolean {
  return openOf(line.hello?.frame)?.includes(requestId) === true;
}

function listedBy(line: TerminalLine, exchange: Exchange): StepVerdict {
  const open = openOf(line.hello?.frame) ?? [];
  const seen = open.length === 0 ? "an empty open" : `open with ${open.length} others`;
  return keptIf(lists(line, exchange), "the next hello lists the request in open", seen);
}

function notListedBy(line: TerminalLine, exchange: Exchange): StepVerdict {
  return keptIf(!lists(line, exchange), "the next hello does not list it", "it is listed in open");
}

function keptResult(given: OnLine, exchange: Exchange, result: Heard): Promise<StepVerdict> {
  return afterCut(given, async (next) => {
    const isListed = listedBy(next, exchange);
    if (isListed.kind !== "kept") return isListed;
    return sameAgain(given.scene, result, await exchange.next(given.patience.answer, "result"));
  });
}

function sameAgain({ options }: TerminalScene, first: Heard, again: Heard | null): StepVerdict {
  if (again?.frame == null)
    return brokenVerdict("the result again", `none within ${shortDuration(options.patience.answer)}`);
  const isSigned = signedResult(again.frame, options.counterpart.secret);
  return isSigned.kind === "kept" ? sameOutcome(first, again) : isSigned;
}

function complain(line: TerminalLine, { requestId }: Exchange): void {
  line.send({ type: "error", code: "bad_signature", message: "The signature is not the terminal's.", requestId });
}

async function signedAnew({ line, patience, counterpart }: OnLine, exchange: Exchange): Promise<StepVerdict> {
  const at = performance.now();
  complain(line, exchange);
  const within = SIGNATURE_RETRY_WAIT + patience.silence * 2;
  const again = await exchange.next(within, "result");
  if (again?.frame == null)
    return brokenVerdict("the result again after 5 seconds", `none within ${shortDuration(within)}`);
  if (again.at - at < SIGNATURE_RETRY_WAIT * 0.8) {
    return brokenVerdict("the result again after 5 seconds", `after ${shortDuration(again.at - at)}`);
  }
  return signedResult(again.frame, counterpart.secret);
}

export const MEMORY: readonly KitStep<TerminalScene>[] = [
  atWork({
    name: "stored",
    title: "Lists an accepted request in open after a lost connection",
    duty: "After a lost connection, the next hello lists every accepted request in open. That it is durably stored shows only after a restart (see “restart-memory”) and a power cut.",
    harm: "The gateway learns that the terminal has nothing and sends the payment again. The customer pays twice.",
    fix: "Write the request to durable storage, then send accepted. Build open from that storage after every write has finished.",
    judge: (given) => afterCut(given, (next) => listedBy(next, given.work)),
  }),
  onLine({
    name: "barrier",
    title: "Accepts nothing from an earlier connection after it has sent hello",
    duty: "Before hello, the terminal has permanently stopped reading every earlier connection and has finished or undone every write. It does not process a request that open does not list.",
    harm: "Because of that hello, the POS shows that no money moved. Then the payment happens.",
    fix: "Finish the current frame of the old connection, drop the unread ones, then build open.",
    async judge(given) {
      const request = given.scene.draft("wait");
      request.send(given.line);
      return afterCut(given, async (next) => {
        if (lists(next, request)) return KEPT;
        const late = await request.next(given.patience.silence);
        return keptIf(late === null, "nothing about a request that hello did not list", describeFrames(late));
      });
    },
  }),
  withResult({
    name: "result-kept",
    title: "Keeps a result until its ack and sends it again after hello",
    duty: "The terminal keeps a result until its ack. Each hello lists the request in open, and after ready the terminal sends the signed result again.",
    harm: "The customer has paid, the connection breaks at the wrong moment, and the POS never learns the outcome.",
    fix: "Store the result before you send it. On ready, send every stored result that is not acknowledged.",
    judge: (given) => keptResult(given, given.exchange, given.result),
  }),
  withResult({
    name: "ack-forgets",
    title: "Forgets a request after the ack of its 00 or 11",
    duty: "After the ack of a 00 or 11, the next hello does not list the request, and the terminal does not send the result again.",
    harm: "Every reconnection sends years of old results. At a thousand, the gateway no longer accepts the hello.",
    fix: "On ack, compare statusCode with the stored result. If they are equal, delete request and result.",
    async judge(given) {
      const { scene, line, exchange, result } = given;
      exchange.acknowledge(line, frameStatus(result));
      await scene.completed(line);
      return afterCut(given, async (next) => {
        const isForgotten = notListedBy(next, exchange);
        if (isForgotten.kind !== "kept") return isForgotten;
        await scene.completed(next);
        const again = exchange.all.find(({ connection }) => connection === next.number) ?? null;
        return keptIf(again === null, "no more frames about it", describeFrames(again));
      });
    },
  }),
  withResult({
    name: "never-again",
    title: "Does not start a forgotten request again",
    duty: "A forgotten request is not higher than the highest requestId ever accepted. When it arrives again, the terminal refuses it as expired.",
    harm: "A delayed copy of the request charges the customer a second time.",
    fix: "Keep the highest requestId ever accepted, even when nothing else is stored.",
    async judge({ scene, line, exchange, result, patience }) {
      exchange.acknowledge(line, frameStatus(result));
      await scene.completed(line);
      exchange.skip();
      exchange.send(line);
      const answer = await exchange.next(patience.answer);
      const isRefused = typeOf(answer) === "refused" && textOf(answer?.frame, "reason") === "expired";
      return keptIf(isRefused, "refused expired", describeFrames(answer));
    },
  }),
  withResult({
    name: "other-ack",
    title: "Keeps a result after the ack of another status",
    duty: "An ack of 22 only stops the retries of that 22. The terminal ignores an ack whose status is not that of its stored result.",
    harm: "A payment is pending, then approved. The late ack of the 22 makes the terminal forget the approval, and the POS never learns of it.",
    fix: "On ack, compare statusCode with the stored result. Forget only an acknowledged 00 or 11.",
    async judge(given) {
      given.exchange.acknowledge(given.line, "22");
      await given.scene.completed(given.line);
      return keptResult(given, given.exchange, given.result);
    },
  }),
  atWork({
    name: "ack-22",
    title: "Still reports the outcome after the ack of a 22",
    duty: "The terminal does not forget a request after the ack of a 22. The request stays in open until its 00 or 11 is acknowledged.",
    harm: "A payment that is pending when the connection breaks is never completed.",
    fix: "Delete nothing on an ack of 22.",
    async judge(given) {
      const { scene, line, work, patience } = given;
      work.ask(line);
      const standing = await work.next(patience.answer, "result", "refused");
      if (frameStatus(standing) !== "22") return blockedVerdict("it did not answer ask with 22 (see “ask”)");
      work.acknowledge(line, "22");
      await scene.completed(line);
      return afterCut(given, (next) => listedBy(next, work));
    },
  }),
  withResult({
    name: "signs-anew",
    title: "Signs a result again after bad_signature",
    duty: `After error bad_signature, the terminal signs the result again and sends it after ${SIGNATURE_RETRY_WAIT / 1_000} seconds, at most ${SIGNATURE_RETRIES} times.`,
    harm: "An approved payment stays open at the POS although the terminal knows the outcome, or a faulty terminal sends without end.",
    fix: "On error with code bad_signature, wait 5 seconds, sign the stored result again, send it, and count.",
    async judge(given) {
      const { line, exchange, patient } = given;
      for (let time = 1; time <= (patient ? SIGNATURE_RETRIES : 1); time++) {
        const verdict = await signedAnew(given, exchange);
        if (verdict.kind !== "kept") return verdict;
      }
      if (!patient) return { kind: "kept", note: "tested once; --patient tests the limit of five" };
      complain(line, exchange);
      const more = await exchange.next(2 * SIGNATURE_RETRY_WAIT, "result");
      return keptIf(more === null, `no further result after ${SIGNATURE_RETRIES}`, "another one");
    },
  }),
  withResult({
    name: "unknown-request",
    title: "Forgets a result after unknown_request",
    duty: "After error unknown_request about its 00 or 11, the terminal forgets the request: the gateway never sent it, and has stored the result.",
    harm: "A terminal that came from another gateway sends its old results again and again.",
    fix: "On error with code unknown_request, delete the request and its 00 or 11. Keep one without an outcome.",
    async judge(given) {
      const { scene, line, exchange } = given;
      const { requestId } = exchange;
      line.send({ type: "error", code: "unknown_request", message: "Not sent to this terminal.", requestId });
      await scene.completed(line);
      return afterCut(given, (next) => {
        exchange.abandoned = !lists(next, exchange);
        return notListedBy(next, exchange);
      });
    },
  }),
];

/** With one unacknowledged result and one payment that waits for the card. */
interface Restarted {
  scene: TerminalScene;
  before: TerminalLine;
  after: TerminalLine;
  ended: Exchange;
  endedResult: Heard;
  cutOff: Exchange;
  ofEnded: Heard | null;
  ofCutOff: Heard[];
  /** The answer to a number lower than the highest accepted one. */
  ofLower: Heard | null;
}

/** `restart` resolves to the connection after it. */
const restartable = async (scene: TerminalScene) => {
  const { restart, patience } = scene.options;
  if (restart === null) {
    return err(leftOutVerdict("nobody is there to restart the terminal (use --restart-command or --interactive)"));
  }
  const before = await scene.line();
  if (before === null) return err(blockedVerdict("the terminal is not connected"));
  return ok({
    scene,
    patience,
    before,
    restart: async (): Promise<Result<TerminalLine, StepVerdict>> => {
      await restart();
      const after = await scene.lineAfter(before.number, patience.restart);
      return after === null ? err(blockedVerdict("the terminal did not come back after its restart")) : ok(after);
    },
  });
};

const restarts = new WeakMap<TerminalScene, Promise<Result<Restarted, StepVerdict>>>();

/** One restart serves all these steps. */
const afterRestart = stepsWith((scene: TerminalScene) => {
  const made = restarts.get(scene) ?? restartOnce(scene);
  restarts.set(scene, made);
  return made;
});

async function restartOnce(scene: TerminalScene): Promise<Result<Restarted, StepVerdict>> {
  const ready = await restartable(scene);
  if (!ready.ok) return ready;
  const { before, restart, patience } = ready.value;
  const made = await scene.concluded(before);
  if (!made.ok) return made;
  const work = await scene.atWork(before);
  if (!work.ok) return work;
  const { exchange: ended, result: endedResult } = made.value;
  const { work: cutOff } = work.value;
  ended.skip();
  cutOff.skip();
  const restarted = await restart();
  if (!restarted.ok) return restarted;
  const after = restarted.value;
  await cutOff.outcome(patience.payment);
  const ofEnded = await ended.next(patience.silence, "result");
  const lower = scene.draft("wait", {}, String(Number(cutOff.requestId) - 1));
  lower.send(after);
  const ofLower = await lower.next(patience.answer);
  const ofCutOff = cutOff.all.filter(({ connection }) => connection >= after.number);
  return ok({ scene, before, after, ended, endedResult, cutOff, ofEnded, ofCutOff, ofLower });
}

export const RESTARTING: readonly KitStep<TerminalScene>[] = [
  afterRestart({
    name: "restart-memory",
    title: "Keeps its memory across a restart",
    duty: "memory is the id of the store and stays the same after a restart. open lists the requests accepted before it.",
    harm: "The gateway no longer knows what the terminal has accepted. Payments stay open until the operator resolves them.",
    fix: "Keep the store on flash or disk. Sync it before you send accepted.",
    judge({ before, after, ended, cutOff }) {
      const [was, is] = [before, after].map((line) => textOf(line.hello?.frame, "memory"));
      if (was !== is) return brokenVerdict("the same memory in hello as before", "another memory");
      const missing = [ended, cutOff].filter((request) => !lists(after, request));
      return keptIf(missing.length === 0, "both requests in open", `${missing.length} of them missing`);
    },
  }),
  afterRestart({
    name: "restart-result",
    title: "Keeps a result across a restart",
    duty: "The terminal keeps a result until its ack and sends it again after every hello.",
    harm: "The customer has paid, the terminal loses power, and the POS never learns the outcome.",
    fix: "Store the result before you send it.",
    judge: ({ scene, endedResult, ofEnded }) => sameAgain(scene, endedResult, ofEnded),
  }),
  afterRestart({
    name: "restart-before-card",
    title: "Ends a payment as 11 if a restart came before the card",
    duty: "After a restart, an accepted request that cannot have reached card or host ends as 11. The terminal starts nothing.",
    harm: "The terminal asks the next customer for the last customer's money, or the POS waits for an outcome that never arrives.",
    fix: "Store a durable note before a request goes to card or host. After a start, end requests without this note as 11.",
    judge({ scene, cutOff, ofCutOff }) {
      const begun = ofCutOff.find((heard) => typeOf(heard) === "progress" || typeOf(heard) === "accepted");
      if (begun !== undefined) return brokenVerdict("result 11 and nothing started", describeFrame(begun));
      const final = ofCutOff.find(isFinal);
      const verdict = keptIf(frameStatus(final) === "11", "result 11", describeFrames(final ?? ofCutOff));
      return scene.keptIfCharged(cutOff, verdict);
    },
  }),
  afterRestart({
    name: "restart-number",
    title: "Keeps the highest requestId across a restart",
    duty: "The terminal remembers the highest requestId ever accepted. It refuses an unknown lower one as expired.",
    harm: "A delayed copy of a request charges the customer a second time.",
    fix: "Store the highest number together with the accepted request.",
    judge: ({ ofLower }) => refusedAs("expired", ofLower),
  }),
  stepsWith(restartable)({
    name: "restart-at-host",
    title: "Asks the host about a payment if a restart came after the card",
    duty: "After a restart, the terminal asks the host about a request that may have reached card or host, and does not start it again. Until the host answers, the result is 22.",
    harm: "The customer is charged again, or has paid and the POS shows that no money moved.",
    fix: "Store a durable note before a request goes to card or host. After a start, ask the host about requests with this note.",
    async judge({ scene, patience, before, restart }) {
      const begun = await scene.atHost(before);
      if (!begun.ok) return begun.error;
      const { sale } = begun.value;
      const restarted = await restart();
      if (!restarted.ok) return restarted.error;
      const after = restarted.value;
      if (!lists(after, sale)) return brokenVerdict("the next hello lists the request in open", "it does not");
      sale.ask(after);
      const answer = () => sale.next(patience.payment, "result", "progress", "accepted", "refused");
      let said = await answer();
      // Skips frames from before the restart.
      while (said !== null && said.connection < after.number) said = await answer();
      if (typeOf(said) !== "result") return brokenVerdict("a result: what the host knows, or 22", describeFrames(said));
      if (sale.final === undefined) await sale.outcome(patience.payment);
      // A terminal that has begun again needs a moment until its second charge.
      await sleep(patience.silence);
      return scene.keptIfCharged(sale, KEPT);
    },
  }),
];
