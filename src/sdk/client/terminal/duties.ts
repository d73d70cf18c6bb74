/** The gateway's `11`, "no money moved and none will", depends on these rules (I1, I2). */
import type { BindingMembers } from "../../../protocol/binding.ts";
import type { RefusalReason, RequestFrame, TransactionRequest } from "../../../protocol/frames.ts";
import { OPEN_REQUESTS } from "../../../protocol/limits.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import type { TerminalResult } from "./frames.ts";
import type { HeldRequest, TerminalMemory } from "./memory.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export function findRequest(memory: TerminalMemory, requestId: string): HeldRequest | undefined {
  return memory.held.find((held) => held.request.requestId === requestId);
}

/** Compares strings of digits: the longer one is greater. */
function isHigher(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

export interface Situation {
  /** The time by the gateway's clock. */
  now: EpochMs;
  binding: BindingMembers;
  /** Another request is in progress, and not only pending at the host. */
  busy: boolean;
}

export type Judgement =
  { kind: "known"; held: HeldRequest } | { kind: "refuse"; reason: RefusalReason } | { kind: "may-accept" };

/** Judges only a correctly signed request. */
export function judge(memory: TerminalMemory, frame: RequestFrame, situation: Situation): Judgement {
  // I1: nothing starts twice. Known requests are answered from memory, even if other things have changed since.
  const held = findRequest(memory, frame.requestId);
  if (held !== undefined) return { kind: "known", held };
  // I1: an unknown number that is not higher was accepted and forgotten, or overtaken; either way it is too late.
  if (memory.highestAccepted !== null && !isHigher(frame.requestId, memory.highestAccepted)) {
    return { kind: "refuse", reason: "expired" };
  }
  if (frame.posId !== situation.binding.posId || frame.merchantId !== situation.binding.merchantId) {
    return { kind: "refuse", reason: "unbound" };
  }
  if (situation.now > frame.deliverBy || situation.now >= frame.respondBy) {
    return { kind: "refuse", reason: "expired" };
  }
  if (situation.busy) return { kind: "refuse", reason: "busy" };
  return { kind: "may-accept" };
}

/** Without signature and attempt, which belong to the frame. */
export function requestOf(frame: RequestFrame): TransactionRequest {
  return {
    requestId: frame.requestId,
    transType: frame.transType,
    posId: frame.posId,
    merchantId: frame.merchantId,
    referenceId: frame.referenceId,
    ...(frame.referenceLabel === undefined ? {} : { referenceLabel: frame.referenceLabel }),
    currency: frame.currency,
    transId: frame.transId,
    transData: frame.transData,
    deliverBy: frame.deliverBy,
    respondBy: frame.respondBy,
  };
}

export function accept(memory: TerminalMemory, request: TransactionRequest): { memory: TerminalMemory } {
  const held: HeldRequest = { request, stage: "accepted", result: null, acknowledged: false };
  return { memory: { ...memory, highestAccepted: request.requestId, held: [...memory.held, held] } };
}

function replace(memory: TerminalMemory, held: HeldRequest, changes: Partial<HeldRequest>): TerminalMemory {
  return { ...memory, held: memory.held.map((other) => (other === held ? { ...held, ...changes } : other)) };
}

/** From here on, money can move. */
export function reachHost(memory: TerminalMemory, requestId: string): { memory: TerminalMemory } {
  const held = findRequest(memory, requestId);
  return { memory: held === undefined ? memory : replace(memory, held, { stage: "at-host" }) };
}

/** A `contradiction` reports 00 or 11 about a request that had already ended as the other one. The first one counts. */
export type RecordedAs = "recorded" | "known" | "contradiction" | "not-held";

/** A 22 may be replaced, a 00 or 11 never (I2). */
export function recordResult(
  memory: TerminalMemory,
  requestId: string,
  result: TerminalResult,
): { memory: TerminalMemory; conclusion: RecordedAs } {
  const held = findRequest(memory, requestId);
  if (held === undefined) return { memory, conclusion: "not-held" };
  const before = held.result?.statusCode;
  if (before === result.statusCode) return { memory, conclusion: "known" };
  if (before === "00" || before === "11") {
    // A 22 after a final outcome changes nothing.
    return { memory, conclusion: result.statusCode === "22" ? "known" : "contradiction" };
  }
  // A 22 means that the host may know more: after a restart it must not count as untouched.
  const stage = result.statusCode === "22" ? "at-host" : held.stage;
  return { memory: replace(memory, held, { result, stage, acknowledged: false }), conclusion: "recorded" };
}

/**
 * The gateway has durably stored a result (I4). Only the ack of the stored 00 or 11 lets the terminal forget. The ack
 * of a 22 stops its retries. An ack of another status is late and ignored.
 */
export function acknowledge(
  memory: TerminalMemory,
  requestId: string,
  statusCode: StatusCode,
): { memory: TerminalMemory } {
  const held = findRequest(memory, requestId);
  if (held === undefined || held.result?.statusCode !== statusCode) return { memory };
  if (statusCode === "22") return { memory: replace(memory, held, { acknowledged: true }) };
  return { memory: { ...memory, held: memory.held.filter((other) => other !== held) } };
}

/**
 * The gateway never sent this request to this terminal, and has stored its result. I4: without a 00 or 11, the outcome
 * must still be sent.
 */
export function forget(memory: TerminalMemory, requestId: string): { memory: TerminalMemory } {
  const held = findRequest(memory, requestId);
  if (held === undefined || held.result === null || held.result.statusCode === "22") return { memory };
  return { memory: { ...memory, held: memory.held.filter((other) => other !== held) } };
}

/**
 * The `open` list of `hello`: accepted requests whose 00 or 11 is not acknowledged, only the newest that the gateway
 * accepts: a longer list would lock the terminal out permanently. The gateway learns from `accepted` or an earlier list
 * that the older ones were accepted, so leaving them out proves nothing. There can be more, although the gateway sends
 * nothing new with half as many pending: the operator resolves requests for which the host never answers.
 */
export function openRequests(memory: TerminalMemory): string[] {
  return memory.held.slice(-OPEN_REQUESTS).map((held) => held.request.requestId);
}

/** To send after `ready`, again if they were sent before. */
export function unacknowledgedResults(memory: TerminalMemory): { requestId: string; result: TerminalResult }[] {
  return memory.held.flatMap(({ request, result, acknowledged }) =>
    result === null || acknowledged ? [] : [{ requestId: request.requestId, result }],
  );
}

const NEVER_STARTED: TerminalResult = {
  statusCode: "11",
  responseCode: "RESTARTED",
  responseText: "The terminal was restarted before the payment started. Nothing was charged.",
};

/** Ends requests that had not gone to card or host as 11. `unclear`: the others, to ask the host about. */
export function afterRestart(memory: TerminalMemory): { memory: TerminalMemory; unclear: TransactionRequest[] } {
  const unclear: TransactionRequest[] = [];
  let changed = false;
  const held = memory.held.map((one) => {
    if (one.result !== null && one.result.statusCode !== "22") return one;
    if (one.stage === "at-host") {
      unclear.push(one.request);
      return one;
    }
    changed = true;
    return { ...one, result: NEVER_STARTED };
  });
  return { memory: changed ? { ...memory, held } : memory, unclear };
}
