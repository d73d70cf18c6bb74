/** What happens to a transaction, step by step, so that the steps of several can be mixed. */
import type { Asked, Story, Transaction } from "./story.ts";

export type Scene = Generator<void, void>;

export function sale(posId: string, referenceId: string, transAmt: string): Asked {
  const terminalId = terminalOf(posId);
  return { posId, terminalId, transType: "sale", referenceId, transData: { transAmt, paymentMethod: "bankCard" } };
}

function terminalOf(posId: string): string {
  return posId.replace("POS", "T");
}

export function* answered(story: Story, asked: Asked, status: "00" | "11"): Scene {
  const call = story.ask({ ...asked });
  yield;
  const transaction = yield* taken(story, asked, status);
  story.report(transaction, status);
  yield;
  story.answer(call, transaction);
}

/** The till's connection breaks; it sends the same request again, which joins. */
export function* lostAnswer(story: Story, asked: Asked, status: "00" | "11"): Scene {
  story.loseAnswer(story.ask({ ...asked }));
  yield;
  const call = story.ask({ ...asked });
  const transaction = yield* taken(story, asked, status);
  yield;
  story.report(transaction, status);
  story.answer(call, transaction);
  yield;
  story.answer(story.ask({ ...asked }), transaction);
}

/** The terminal does not know yet, and is asked later. */
export function* pending(story: Story, asked: Asked, status: "00" | "11"): Scene {
  const call = story.ask({ ...asked });
  const transaction = story.send(asked);
  story.terminal("terminal.accepted", transaction);
  yield;
  story.terminal("terminal.started", transaction);
  yield;
  story.report(transaction, "22");
  story.answer(call, transaction);
  yield;
  const again = story.ask({ ...asked });
  story.end(transaction, status);
  story.report(transaction, status);
  story.answer(again, transaction);
}

export function* refusedByTerminal(story: Story, asked: Asked): Scene {
  const call = story.ask({ ...asked });
  const transaction = story.send(asked);
  yield;
  story.terminal("terminal.refused", transaction);
  story.complete(transaction, "11", "TERMINAL_BUSY", "gateway");
  story.answer(call, transaction);
}

/** A cancel arrives before its sale. */
export function* cancelledBefore(story: Story, asked: Asked): Scene {
  const { posId, terminalId, referenceId } = asked;
  story.answerTombstone(story.ask({ posId, terminalId, referenceId, transType: "cancel" }));
  yield;
  story.answerTombstone(story.ask({ ...asked }));
}

/** The terminal loses power after its start, and finds out at the host what happened. */
export function* powerLost(story: Story, asked: Asked, status: "00" | "11"): Scene {
  story.loseAnswer(story.ask({ ...asked }));
  const transaction = story.send(asked);
  story.terminal("terminal.accepted", transaction);
  yield;
  story.terminal("terminal.started", transaction);
  story.fault("power", asked.terminalId);
  story.end(transaction, status);
  yield;
  story.report(transaction, status);
}

/** The terminal's memory is lost after money has moved: only the operator can resolve it. */
export function* memoryLost(story: Story, asked: Asked, decision: "00" | "11" | null): Scene {
  const call = story.ask({ ...asked });
  const transaction = story.send(asked);
  story.terminal("terminal.accepted", transaction);
  story.terminal("terminal.started", transaction);
  yield;
  story.end(transaction, "00");
  story.write({ kind: "terminal.forgot", terminalId: asked.terminalId });
  story.complete(transaction, "22", "UNCONFIRMED", "gateway");
  story.answer(call, transaction);
  yield;
  if (decision !== null) story.resolve(transaction, decision);
}

/** The operator decides while the terminal is away, which then reports otherwise. */
export function* decidedMeanwhile(story: Story, asked: Asked): Scene {
  const call = story.ask({ ...asked });
  const transaction = yield* taken(story, asked, "00");
  story.complete(transaction, "22", "TERMINAL_LOST", "gateway");
  story.answer(call, transaction);
  yield;
  story.resolve(transaction, "11");
  yield;
  story.report(transaction, "00");
}

export function* inquiry(story: Story, { posId, referenceId }: Transaction, own: string): Scene {
  const about = { posId, terminalId: terminalOf(posId) };
  const call = story.ask({ ...about, transType: "inquiry", referenceId: own, transData: { referenceId } });
  const transaction = story.transactions.get(`${posId}/${referenceId}`);
  if (transaction !== undefined) story.answer(call, transaction);
  yield;
}

export function* getLast(story: Story, posId: string, own: string): Scene {
  const call = story.ask({ posId, terminalId: terminalOf(posId), transType: "getLast", referenceId: own });
  const newest = [...story.transactions.values()]
    .filter((one) => one.posId === posId && one.responseCode !== "TERMINAL_BUSY")
    .toSorted((a, b) => Number(a.requestId) - Number(b.requestId))
    .at(-1);
  if (newest === undefined) story.refuse(call, 400, 40004);
  else story.answer(call, newest);
  yield;
}

export function* voidOf(story: Story, posId: string, target: string, referenceId: string): Scene {
  const { requestId = "" } = story.transactions.get(`${posId}/${target}`) ?? {};
  const transData = { transId: requestId };
  yield* answered(story, { posId, terminalId: terminalOf(posId), transType: "void", referenceId, transData }, "00");
}

/** Sends it, and lets the terminal end it. */
function* taken(story: Story, asked: Asked, status: "00" | "11"): Generator<void, Transaction> {
  const transaction = story.send(asked);
  yield;
  story.terminal("terminal.accepted", transaction);
  yield;
  story.terminal("terminal.started", transaction);
  story.end(transaction, status);
  return transaction;
}
