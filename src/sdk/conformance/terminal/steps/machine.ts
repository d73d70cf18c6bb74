/** What the machine around a terminal does: it starts the program twice, and its clock drifts. */
import { shortDuration } from "../../../../protocol/time/duration.ts";
import {
  KEPT,
  brokenVerdict,
  keptIf,
  keptUnless,
  leftOutVerdict,
  unseenVerdict,
  type KitStep,
  type StepVerdict,
} from "../../step.ts";
import { AFTER_RESPOND_BY, CLOCK_MOVES, EARLY, now, orTimeout, SOON } from "../../times.ts";
import type { Exchange, TerminalLine } from "../exchange.ts";
import { describeFrames, refusedAs, typeOf } from "../judge.ts";
import { onLine, type OnLine, type TerminalScene } from "../scene.ts";

/** Connections of the terminal's first process stay: any other one is the second's. */
async function secondConnects({ scene, line, patience }: OnLine): Promise<boolean> {
  return (await scene.lineAfter(line.number, patience.silence)) !== null;
}

async function secondByCommand(given: OnLine, begin: NonNullable<OnLine["second"]>): Promise<StepVerdict> {
  const process = begin();
  const status = await orTimeout(process.ended, given.patience.second);
  const connects = await secondConnects(given);
  process.end("SIGKILL");
  if (connects) return brokenVerdict("a second process that does not start", "a second connection");
  if (status !== "late" && status !== 0) return KEPT;
  const seen = status === 0 ? "ended with status 0" : `still ran after ${shortDuration(given.patience.second)}`;
  return unseenVerdict(`the second process did not connect, but ${seen}: nobody knows whether it refused to start`);
}

async function secondByPerson(given: OnLine): Promise<StepVerdict> {
  const refuses = await given.tester.confirm(
    "Start the terminal's program once more, on the same store, while it runs. Does it refuse, or is there no way to do it?",
  );
  const isBroken = refuses === false || (await secondConnects(given));
  return keptIf(!isBroken, "a second process that does not start", "a second one that runs");
}

/** The terminal takes a request when it has the time again: on this connection, or on another one. */
async function acceptedByNewTime(scene: TerminalScene): Promise<Exchange | StepVerdict> {
  const { counterpart, patience } = scene.options;
  for (const until = performance.now() + patience.renewal; ;) {
    const from = counterpart.logins.items.length;
    const line = await scene.line();
    if (line === null) return brokenVerdict("the next request is accepted", "no connection");
    const movedNow = now() + counterpart.clockAhead;
    const request = scene.begin(line, "wait", {}, { deliverBy: movedNow + SOON, respondBy: movedNow + SOON });
    const heard = await request.next(patience.answer, "accepted", "refused", "result");
    if (typeOf(heard) === "accepted") return request;
    const refused = refusedAs("expired", heard);
    if (refused.kind !== "kept") return refused;
    if (performance.now() > until) {
      return brokenVerdict("a login after the first refusal as expired, and then the request", "further refusals");
    }
    await counterpart.logins.next({ from, within: patience.answer });
  }
}

async function followsClock({ scene, counterpart, patience }: OnLine): Promise<StepVerdict> {
  counterpart.clockAhead = -CLOCK_MOVES;
  const request = await acceptedByNewTime(scene);
  if ("kind" in request) return request;
  const left = (): number => request.respondBy - now() - counterpart.clockAhead;
  const result = await request.next(left() + AFTER_RESPOND_BY + patience.silence, "result");
  if (result === null) return brokenVerdict("a result at respondBy", "none");
  const early = left();
  const { wait } = scene.options.amounts;
  if (early > EARLY && result.frame?.["statusCode"] === "00") {
    return leftOutVerdict(
      `the payment of ${wait} did not wait for its customer (set one that does with --wait AMOUNT)`,
    );
  }
  return keptUnless(
    [early > EARLY && `a result ${shortDuration(early)} before respondBy: ${describeFrames(result)}`],
    "after a login, the request was accepted and ended at respondBy by the gateway's clock (the hourly login was not waited for)",
  );
}

/** A welcome brings the right time back. */
async function restoreClock({ scene, counterpart }: OnLine, line: TerminalLine): Promise<void> {
  await scene.tidy();
  counterpart.clockAhead = 0;
  await scene.cutAndReturn(counterpart.line ?? line);
}

export const MACHINE: readonly KitStep<TerminalScene>[] = [
  onLine({
    name: "second-process",
    title: "Does not start a second time on its store",
    duty: "One process uses the store at a time. A second one on the same store does not start while the first one runs, and does not disturb it.",
    harm: "Both processes have the same memory, and both start the same request: the customer pays twice.",
    fix: "Lock the store before you read it, with a lock that the system releases when the process dies, and exit with a status other than 0.",
    async judge(given) {
      const { scene, line, patience, second, tester } = given;
      if (second === null && !tester.present) {
        return unseenVerdict("nothing starts a second process (use --second-command or --interactive)");
      }
      const verdict = await (second === null ? secondByPerson(given) : secondByCommand(given, second));
      if (verdict.kind === "broken") {
        await scene.cutAndReturn(line);
        return verdict;
      }
      const next = await scene.begin(line, "wait").next(patience.answer);
      return typeOf(next) === "accepted"
        ? verdict
        : brokenVerdict("the first process accepts the next request", describeFrames(next));
    },
  }),
  onLine({
    name: "clock-drifts",
    title: "Takes the gateway's time again when the clocks have drifted apart",
    duty: `After its first refusal as expired, and at least hourly, the terminal logs in and takes serverTime. From then on it judges deliverBy and respondBy by it. The kit puts its own clock back by ${shortDuration(CLOCK_MOVES)}.`,
    harm: "A terminal whose clock has drifted refuses every payment as expired, or ends it too early or too late, until somebody restarts it.",
    fix: "Log in hourly and after a refusal as expired, at most once a minute, and replace the clock by the new serverTime. Keep the connection.",
    async judge(given) {
      if (!given.patient) return leftOutVerdict("it can take a minute (use --patient)");
      const verdict = await followsClock(given);
      await restoreClock(given, given.line);
      return verdict;
    },
  }),
];
