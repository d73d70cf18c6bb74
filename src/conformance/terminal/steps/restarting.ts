/** Steps about what survives a restart. */
import { KEPT, blocked, broken, leftOut, type Blocked, type Step, type Verdict } from "../../step.ts";
import { Exchange, isFinal } from "../exchange.ts";
import { described, listed, textOf, typeOf, type Heard } from "../heard.ts";
import { refusedAs } from "../judge/refusal.ts";
import { openOf, type Line } from "../line.ts";
import type { TerminalScene } from "../scene.ts";
import { sameAgain } from "./memory.ts";

/** A terminal restarted with one unacknowledged result and one payment that waits for the card. */
interface Restarted {
  kind: "restarted";
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

const NOBODY_RESTARTS = "nobody is there to restart the terminal (use --restart-command or --interactive)";

const restarts = new WeakMap<TerminalScene, Promise<Restarted | Blocked | Verdict>>();

/** One restart serves all steps. */
function restarted(scene: TerminalScene): Promise<Restarted | Blocked | Verdict> {
  const made = restarts.get(scene) ?? restartOnce(scene);
  restarts.set(scene, made);
  return made;
}

async function restartOnce(scene: TerminalScene): Promise<Restarted | Blocked | Verdict> {
  const { restart, patience } = scene.options;
  if (restart === null) return leftOut(NOBODY_RESTARTS);
  const before = await scene.line();
  if (before === null) return blocked("the terminal is not connected");
  const made = await scene.concluded(before);
  if (made.kind === "blocked") return made;
  const cutOff = await scene.atWork(before);
  if (!(cutOff instanceof Exchange)) return cutOff;
  const { exchange: ended, result: endedResult } = made;
  ended.skip();
  cutOff.skip();
  const from = scene.options.counterpart.heard.items.length;
  await restart();
  const after = await scene.lineAfter(before.number, patience.restart);
  if (after === null) return blocked("the terminal did not come back after its restart");
  await cutOff.outcome(patience.payment);
  const ofEnded = await ended.next(patience.silence, "result");
  const lower = scene.draft("wait", {}, String(Number(cutOff.requestId) - 1));
  lower.send(after);
  const ofLower = await lower.next(patience.answer);
  const ofCutOff = scene.options.counterpart.heard.items
    .slice(from)
    .filter(({ connection, frame }) => connection >= after.number && textOf(frame, "requestId") === cutOff.requestId);
  return { kind: "restarted", before, after, ended, endedResult, cutOff, ofEnded, ofCutOff, ofLower };
}

function afterRestart(
  step: Omit<Step<TerminalScene>, "run"> & { judge: (seen: Restarted, scene: TerminalScene) => Verdict },
): Step<TerminalScene> {
  const { judge, ...rest } = step;
  return {
    ...rest,
    async run(scene) {
      const seen = await restarted(scene);
      return seen.kind === "restarted" ? judge(seen, scene) : seen;
    },
  };
}

const memory = afterRestart({
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
    return missing.length === 0 ? KEPT : broken("both requests in open", `${missing.length} of them missing`);
  },
});

const result = afterRestart({
  name: "restart-result",
  title: "Keeps a result across a restart",
  duty: "The terminal keeps a result until its ack and sends it again after every hello.",
  harm: "The customer has paid, the terminal loses power, and the till never learns the outcome.",
  fix: "Store the result before you send it.",
  judge({ endedResult, ofEnded }, scene) {
    return sameAgain(scene, endedResult, ofEnded);
  },
});

const cutOff = afterRestart({
  name: "restart-before-card",
  title: "Ends a payment as 11 if a restart came before the card",
  duty: "After a restart, an accepted request that cannot have reached card or host ends as 11. The terminal starts nothing.",
  harm: "The terminal asks the next customer for the last customer's money, or the till waits for an outcome that never arrives.",
  fix: "Store a durable note before a request goes to card or host. After a start, end requests without this note as 11.",
  judge({ ofCutOff }) {
    const begun = ofCutOff.find((heard) => typeOf(heard) === "progress" || typeOf(heard) === "accepted");
    if (begun !== undefined) return broken("result 11 and nothing started", described(begun));
    const final = ofCutOff.find(isFinal);
    return textOf(final?.frame, "statusCode") === "11" ? KEPT : broken("result 11", listed(final ?? ofCutOff));
  },
});

const highest = afterRestart({
  name: "restart-number",
  title: "Keeps the highest requestId across a restart",
  duty: "The terminal remembers the highest requestId ever accepted. It refuses an unknown lower one as expired.",
  harm: "A delayed copy of a request charges the customer a second time.",
  fix: "Store the highest number together with the accepted request.",
  judge({ ofLower }) {
    return refusedAs("expired", ofLower);
  },
});

const atHost: Step<TerminalScene> = {
  name: "restart-at-host",
  title: "Asks the host about a payment if a restart came after the card",
  duty: "After a restart, the terminal asks the host about a request that may have reached card or host, and does not start it again. Until the host answers, the result is 22.",
  harm: "The customer is charged again, or has paid and the till shows that no money moved.",
  fix: "Store a durable note before a request goes to card or host. After a start, ask the host about requests with this note.",
  async run(scene) {
    const { restart, patience } = scene.options;
    if (restart === null) return leftOut(NOBODY_RESTARTS);
    const before = await scene.line();
    if (before === null) return blocked("the terminal is not connected");
    const sale = scene.begin(before, "approve");
    const reached = await sale.next(patience.payment, "progress", "result");
    const authorising = await untilAuthorising(sale, reached, patience.payment);
    if (authorising === null) return leftOut("it sends no stage “authorising”, so the kit cannot find the moment");
    await restart();
    const after = await scene.lineAfter(before.number, patience.restart);
    if (after === null) return blocked("the terminal did not come back after its restart");
    if (openOf(after.hello?.frame)?.includes(sale.requestId) !== true) {
      return broken("the next hello lists the request in open", "it does not");
    }
    sale.ask(after);
    const answer = () => sale.next(patience.payment, "result", "progress", "accepted", "refused");
    let said = await answer();
    // Skips frames from before the restart.
    while (said !== null && said.connection < after.number) said = await answer();
    return typeOf(said) === "result" ? KEPT : broken("a result: what the host knows, or 22", listed(said));
  },
};

/** The frame with the stage after the card was read; null if the payment ends without it. */
async function untilAuthorising(sale: Exchange, first: Heard | null, within: number): Promise<Heard | null> {
  let heard = first;
  while (typeOf(heard) === "progress" && textOf(heard?.frame, "stage") !== "authorising") {
    heard = await sale.next(within, "progress", "result");
  }
  return typeOf(heard) === "progress" ? heard : null;
}

export const RESTARTING = [memory, result, cutOff, highest, atHost];
