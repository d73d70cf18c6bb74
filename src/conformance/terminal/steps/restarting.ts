/** Steps about what survives a restart. */
import { err, ok, type Result } from "../../../outcomes/result.ts";
import { textOf } from "../../message.ts";
import { blocked, broken, keptIf, leftOut, stepsWith, type Step, type Verdict } from "../../step.ts";
import type { Exchange, Line } from "../exchange.ts";
import { described, isFinal, listed, openOf, statusOf, typeOf, type Heard } from "../heard.ts";
import { refusedAs } from "../judge.ts";
import { anyTime, type TerminalScene } from "../scene.ts";
import { sameAgain } from "./memory.ts";

/** A terminal restarted with one unacknowledged result and one payment that waits for the card. */
interface Restarted {
  scene: TerminalScene;
  before: Line;
  after: Line;
  ended: Exchange;
  endedResult: Heard;
  cutOff: Exchange;
  /** The frames about each after the restart. */
  ofEnded: Heard | null;
  ofCutOff: Heard[];
  /** The answer to a number lower than the highest accepted one. */
  ofLower: Heard | null;
}

/** A connection of a terminal that somebody can restart, and a restart up to the next connection. */
async function restartable(
  scene: TerminalScene,
): Promise<Result<{ before: Line; restart: () => Promise<Result<Line, Verdict>> }, Verdict>> {
  const { restart, patience } = scene.options;
  if (restart === null) {
    return err(leftOut("nobody is there to restart the terminal (use --restart-command or --interactive)"));
  }
  const before = await scene.line();
  if (before === null) return err(blocked("the terminal is not connected"));
  return ok({
    before,
    restart: async () => {
      await restart();
      const after = await scene.lineAfter(before.number, patience.restart);
      return after === null ? err(blocked("the terminal did not come back after its restart")) : ok(after);
    },
  });
}

const restarts = new WeakMap<TerminalScene, Promise<Result<Restarted, Verdict>>>();

/** Steps after a restart. One serves them all. */
const afterRestart = stepsWith((scene: TerminalScene) => {
  const made = restarts.get(scene) ?? restartOnce(scene);
  restarts.set(scene, made);
  return made;
});

async function restartOnce(scene: TerminalScene): Promise<Result<Restarted, Verdict>> {
  const { patience } = scene.options;
  const ready = await restartable(scene);
  if (!ready.ok) return ready;
  const { before, restart } = ready.value;
  const made = await scene.concluded(before);
  if (!made.ok) return made;
  const work = await scene.atWork(before);
  if (!work.ok) return work;
  const { exchange: ended, result: endedResult } = made.value;
  const cutOff = work.value;
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

export const RESTARTING: readonly Step<TerminalScene>[] = [
  afterRestart({
    name: "restart-memory",
    title: "Keeps its memory across a restart",
    duty: "memory is the id of the store and stays the same after a restart. open lists the requests accepted before it.",
    harm: "The gateway no longer knows what the terminal has accepted. Payments stay open until the operator resolves them.",
    fix: "Keep the store on flash or disk. Sync it before you send accepted.",
    judge({ before, after, ended, cutOff }) {
      const [was, is] = [before, after].map((line) => textOf(line.hello?.frame, "memory"));
      if (was !== is) return broken("the same memory in hello as before", "another memory");
      const open = openOf(after.hello?.frame) ?? [];
      const missing = [ended, cutOff].filter(({ requestId }) => !open.includes(requestId));
      return keptIf(missing.length === 0, "both requests in open", `${missing.length} of them missing`);
    },
  }),
  afterRestart({
    name: "restart-result",
    title: "Keeps a result across a restart",
    duty: "The terminal keeps a result until its ack and sends it again after every hello.",
    harm: "The customer has paid, the terminal loses power, and the till never learns the outcome.",
    fix: "Store the result before you send it.",
    judge: ({ scene, endedResult, ofEnded }) => sameAgain(scene, endedResult, ofEnded),
  }),
  afterRestart({
    name: "restart-before-card",
    title: "Ends a payment as 11 if a restart came before the card",
    duty: "After a restart, an accepted request that cannot have reached card or host ends as 11. The terminal starts nothing.",
    harm: "The terminal asks the next customer for the last customer's money, or the till waits for an outcome that never arrives.",
    fix: "Store a durable note before a request goes to card or host. After a start, end requests without this note as 11.",
    judge({ ofCutOff }) {
      const begun = ofCutOff.find((heard) => typeOf(heard) === "progress" || typeOf(heard) === "accepted");
      if (begun !== undefined) return broken("result 11 and nothing started", described(begun));
      const final = ofCutOff.find(isFinal);
      return keptIf(statusOf(final) === "11", "result 11", listed(final ?? ofCutOff));
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
  anyTime({
    name: "restart-at-host",
    title: "Asks the host about a payment if a restart came after the card",
    duty: "After a restart, the terminal asks the host about a request that may have reached card or host, and does not start it again. Until the host answers, the result is 22.",
    harm: "The customer is charged again, or has paid and the till shows that no money moved.",
    fix: "Store a durable note before a request goes to card or host. After a start, ask the host about requests with this note.",
    async judge({ scene, patience }) {
      const ready = await restartable(scene);
      if (!ready.ok) return ready.error;
      const { before, restart } = ready.value;
      const sale = scene.begin(before, "approve");
      if (!(await isAuthorising(sale, patience.payment))) {
        return leftOut("it sends no stage “authorising”, so the kit cannot find the moment");
      }
      const restarted = await restart();
      if (!restarted.ok) return restarted.error;
      const after = restarted.value;
      if (openOf(after.hello?.frame)?.includes(sale.requestId) !== true) {
        return broken("the next hello lists the request in open", "it does not");
      }
      sale.ask(after);
      const answer = () => sale.next(patience.payment, "result", "progress", "accepted", "refused");
      let said = await answer();
      // Skips frames from before the restart.
      while (said !== null && said.connection < after.number) said = await answer();
      return keptIf(typeOf(said) === "result", "a result: what the host knows, or 22", listed(said));
    },
  }),
];

/** Waits for the stage after the card was read; false if the payment ends without it. */
async function isAuthorising(sale: Exchange, within: number): Promise<boolean> {
  for (;;) {
    const heard = await sale.next(within, "progress", "result");
    if (typeOf(heard) !== "progress") return false;
    if (textOf(heard?.frame, "stage") === "authorising") return true;
  }
}
