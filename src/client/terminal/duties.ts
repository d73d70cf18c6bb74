/**
 * A terminal's duties, as decisions without effects: what its memory becomes, and what there is to answer.
 *
 * The gateway tells a POS `11`, "no money moved and none will", on the strength of these rules (invariants I1 and I2).
 */
import type { BindingMembers } from "../../protocol/binding.ts";
import type { RefusalReason, RequestFrame, TransactionRequest } from "../../protocol/frames.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { TerminalResult } from "./frames.ts";
import type { HeldRequest, TerminalMemory } from "./memory.ts";

export function find(memory: TerminalMemory, requestId: string): HeldRequest | undefined {
  return memory.held.find((held) => held.request.requestId === requestId);
}

/** Numbers as texts of digits: the longer is the greater. */
function isHigher(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

/** What surrounds a request at the moment it is read. */
export interface Situation {
  /** Epoch milliseconds of the gateway's clock. */
  now: number;
  binding: BindingMembers;
  /** Another request is at work, and not only being cleared up with the host. */
  busy: boolean;
}

export type Judgement =
  { kind: "known"; held: HeldRequest } | { kind: "refuse"; reason: RefusalReason } | { kind: "may-accept" };

/** What to do about a request whose signature is right. */
export function judge(memory: TerminalMemory, frame: RequestFrame, situation: Situation): Judgement {
  // I1: nothing is begun twice. What is held is answered from the memory, whatever has changed since.
  const held = find(memory, frame.requestId);
  if (held !== undefined) return { kind: "known", held };
  // I1: one that is not higher was accepted and forgotten, or overtaken; either way it is too late for it.
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

/** Only what the work needs is kept; the frame's signature and attempt are of its delivery. */
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

/** Notes that the request goes on to where money can move. */
export function reachHost(memory: TerminalMemory, requestId: string): { memory: TerminalMemory } {
  const held = find(memory, requestId);
  return { memory: held === undefined ? memory : replace(memory, held, { stage: "at-host" }) };
}

/** `contradiction`: it had ended as 00 or 11 already, and the other one was reported now. The first one stands. */
export type Conclusion = "recorded" | "known" | "contradiction" | "not-held";

/** Notes what became of a request. A 22 may be replaced, a 00 or 11 never (I2). */
export function conclude(
  memory: TerminalMemory,
  requestId: string,
  result: TerminalResult,
): { memory: TerminalMemory; conclusion: Conclusion } {
  const held = find(memory, requestId);
  if (held === undefined) return { memory, conclusion: "not-held" };
  const before = held.result?.statusCode;
  if (before === result.statusCode) return { memory, conclusion: "known" };
  if (before === "00" || before === "11") {
    // A 22 after the end says nothing new.
    return { memory, conclusion: result.statusCode === "22" ? "known" : "contradiction" };
  }
  // Who reports 22 says that the host may know more: after a restart it must not pass for untouched.
  const stage = result.statusCode === "22" ? "at-host" : held.stage;
  return { memory: replace(memory, held, { result, stage, acknowledged: false }), conclusion: "recorded" };
}

/**
 * The gateway holds a result durably (I4). Only the ack of the 00 or 11 that is held ends the holding; that of a 22
 * ends its repetition; that of another status than the one held is late and means nothing.
 */
export function acknowledge(
  memory: TerminalMemory,
  requestId: string,
  statusCode: StatusCode,
): { memory: TerminalMemory } {
  const held = find(memory, requestId);
  if (held === undefined || held.result?.statusCode !== statusCode) return { memory };
  if (statusCode === "22") return { memory: replace(memory, held, { acknowledged: true }) };
  return { memory: { ...memory, held: memory.held.filter((other) => other !== held) } };
}

/** The gateway never sent this request to this terminal: its result is nobody's. */
export function forget(memory: TerminalMemory, requestId: string): { memory: TerminalMemory } {
  const held = find(memory, requestId);
  if (held === undefined || held.result === null) return { memory };
  return { memory: { ...memory, held: memory.held.filter((other) => other !== held) } };
}

/** What `hello` lists: accepted, and its 00 or 11 not acknowledged. */
export function openRequests(memory: TerminalMemory): string[] {
  return memory.held.map((held) => held.request.requestId);
}

/** Results to be sent (again) once a `hello` holds. */
export function owedResults(memory: TerminalMemory): { requestId: string; result: TerminalResult }[] {
  return memory.held.flatMap(({ request, result, acknowledged }) =>
    result === null || acknowledged ? [] : [{ requestId: request.requestId, result }],
  );
}

export const NEVER_STARTED: TerminalResult = {
  statusCode: "11",
  responseCode: "RESTARTED",
  responseText: "The terminal was restarted before the payment began. Nothing was taken.",
};

/**
 * After a restart: what had not gone on to card or host ends as 11; what may have is listed in `unclear`, to be
 * cleared up with the host.
 */
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
