/** Pure; `session.ts` has the effects. */
import { afterRestart } from "../../sdk/client/terminal/duties.ts";
import type {
  Binding,
  HeldRequest,
  StatusCode,
  TerminalEvent,
  TerminalMemory,
  TerminalResult,
  TransactionRequest,
} from "../../sdk/client/terminal.ts";
import { eventText } from "../../sdk/simulator/event-text.ts";
import { FIRST_SETTINGS, type TerminalSettings } from "./settings.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** A PIN has so many digits (ISO 9564-1). */
export const PIN_DIGITS = { fewest: 4, most: 12 };
export const VIRTUAL_TERMINAL_RECEIPTS = 20;
export const VIRTUAL_TERMINAL_LOG = 100;

export type Access =
  /** `terminalId` is that of the last sign-in or attempt, and empty before. */
  | { kind: "signed-out"; terminalId: string; problem: string | null }
  | { kind: "signing-in"; terminalId: string }
  | { kind: "signed-in"; terminalId: string };

/** `cut`: by the user, until restored. `replaced`: another device uses this terminal's identity. */
export type LineState = "connecting" | "up" | "cut" | "lost" | "replaced";

export type Prompt =
  /** `insert` says why a tap was not enough. */
  | { kind: "present"; insert: "cash" | "limit" | null }
  /** The code is on the terminal's screen. */
  | { kind: "customer-scans" }
  /** The code is on the customer's phone. */
  | { kind: "customer-shows" }
  | { kind: "confirm" }
  /** `digits` says how many are entered; the digits themselves are not stored. `wrong` counts the PINs so far. */
  | { kind: "pin"; digits: number; wrong: number }
  | { kind: "reading" }
  | { kind: "authorising" };

export interface TerminalPayment {
  request: TransactionRequest;
  prompt: Prompt;
  automatic: boolean;
}

export interface DisplayedOutcome {
  request: TransactionRequest;
  statusCode: StatusCode;
  responseCode: string;
  /** For a person; empty if nothing is known. */
  text: string;
}

interface LogLine {
  number: number;
  at: EpochMs;
  text: string;
}

export interface Receipts {
  requestId: string;
  /** The merchant's first. */
  copies: string[];
}

export interface DeviceState {
  access: Access;
  line: LineState;
  binding: Binding;
  payment: TerminalPayment | null;
  /** Of the last payment, until the next payment or until the user dismisses it. */
  outcome: DisplayedOutcome | null;
  /** Requests for which the bank's answer is held back. */
  late: string[];
  /** Newest first. */
  receipts: Receipts[];
  /** Requests that are accepted, and not yet acknowledged by the gateway. */
  held: HeldRequest[];
  highestAccepted: string | null;
  /** The memory belongs to another gateway, because this gateway's numbers are lower. */
  foreignMemory: boolean;
  bindProblem: string | null;
  log: LogLine[];
  settings: TerminalSettings;
}

const UNBOUND: Binding = { posId: null, merchantId: null, currency: null, timezone: null };

export const FIRST_STATE: DeviceState = {
  access: { kind: "signed-out", terminalId: "", problem: null },
  line: "connecting",
  binding: UNBOUND,
  payment: null,
  outcome: null,
  late: [],
  receipts: [],
  held: [],
  highestAccepted: null,
  foreignMemory: false,
  bindProblem: null,
  log: [],
  settings: FIRST_SETTINGS,
};

export type Input =
  | { kind: "signing-in"; terminalId: string }
  /** The page found this memory: requests were cut off by a reload, or are not acknowledged yet. */
  | { kind: "memory-found"; memory: TerminalMemory | null }
  | { kind: "signed-out"; problem: string | null }
  | { kind: "bind-tried"; problem: string | null }
  | { kind: "line-cut" }
  | { kind: "line-restored" }
  | { kind: "client"; event: TerminalEvent; at: EpochMs }
  | { kind: "memory-kept"; memory: TerminalMemory }
  | ({ kind: "prompt" } & TerminalPayment)
  | { kind: "pin-digit" }
  | { kind: "pin-cleared" }
  | { kind: "answer-held"; requestId: string }
  | { kind: "answer-let-through"; requestId: string }
  | { kind: "printed"; requestId: string; text: string }
  | { kind: "put-away" }
  | { kind: "set"; settings: Partial<TerminalSettings> };

export function nextState(state: DeviceState, input: Input): DeviceState {
  switch (input.kind) {
    case "signing-in":
      return restarted(state, { kind: "signing-in", terminalId: input.terminalId });
    case "signed-out": {
      const { terminalId } = state.access;
      return restarted(state, { kind: "signed-out", terminalId, problem: input.problem });
    }
    case "memory-found":
      return input.memory === null ? state : found(state, input.memory);
    case "bind-tried":
      return { ...state, bindProblem: input.problem };
    case "line-cut":
      return { ...state, line: "cut" };
    case "line-restored":
      return state.line === "cut" ? { ...state, line: "connecting" } : state;
    case "client":
      return logged(afterEvent(state, input.event), eventText(input.event), input.at);
    case "memory-kept":
      return { ...state, held: input.memory.held, highestAccepted: input.memory.highestAccepted };
    case "prompt":
      return prompted(state, { request: input.request, prompt: input.prompt, automatic: input.automatic });
    case "pin-digit":
      return withPin(state, (digits) => Math.min(digits + 1, PIN_DIGITS.most));
    case "pin-cleared":
      return withPin(state, () => 0);
    case "answer-held":
      return { ...state, late: [...state.late, input.requestId] };
    case "answer-let-through":
      return { ...state, late: state.late.filter((requestId) => requestId !== input.requestId) };
    case "printed":
      return { ...state, receipts: printed(state.receipts, input.requestId, input.text) };
    case "put-away":
      return { ...state, outcome: null };
    case "set":
      return { ...state, settings: { ...state.settings, ...input.settings } };
    default:
      return input satisfies never;
  }
}

/** The settings, the log and the receipts outlast a sign-in. */
function restarted({ settings, log, receipts }: DeviceState, access: Access): DeviceState {
  return { ...FIRST_STATE, settings, log, receipts, access };
}

function afterEvent(state: DeviceState, event: TerminalEvent): DeviceState {
  switch (event.kind) {
    case "connected": {
      const { terminalId } = state.access;
      return { ...rebound(state, event.binding), line: "up", access: { kind: "signed-in", terminalId } };
    }
    case "binding":
      return { ...rebound(state, event.binding), bindProblem: null };
    case "replaced":
      return { ...state, line: "replaced" };
    case "disconnected":
      return state.line === "cut" || state.line === "replaced" ? state : { ...state, line: "lost" };
    case "concluded":
      return concluded(state, event);
    case "refused":
      return { ...state, foreignMemory: state.foreignMemory || isForeign(state, event.requestId, event.reason) };
    case "login-failed":
    case "accepted":
    case "acknowledged":
    case "forged-request":
    case "bad-frame":
    case "gateway-error":
    case "contradiction":
    case "handler-failed":
    case "memory-failed":
      return state;
    default:
      return event satisfies never;
  }
}

/** A terminal that leaves an account no longer shows what it did for the account. */
function rebound(state: DeviceState, binding: Binding): DeviceState {
  const { posId } = state.binding;
  return { ...state, binding, outcome: posId === null || posId === binding.posId ? state.outcome : null };
}

/** A new request was refused as too old, because the highest number is from another gateway. */
function isForeign({ highestAccepted, held }: DeviceState, requestId: string, reason: string): boolean {
  if (reason !== "expired" || highestAccepted === null) return false;
  const isKnown = held.some(({ request }) => request.requestId === requestId);
  return !isKnown && BigInt(requestId) < BigInt(highestAccepted);
}

/** After a reload, payments that had not reached the bank have ended, and the bank is asked about the others. */
function found(state: DeviceState, memory: TerminalMemory): DeviceState {
  const after = afterRestart(memory).memory;
  const cutOff = after.held.findLast(({ result }, index) => result !== memory.held[index]?.result);
  return {
    ...state,
    held: after.held,
    highestAccepted: after.highestAccepted,
    outcome: cutOff === undefined ? null : toDisplayedOutcome(cutOff.request, cutOff.result),
  };
}

function toDisplayedOutcome(request: TransactionRequest, result: TerminalResult | null): DisplayedOutcome | null {
  if (result === null) return null;
  const { statusCode, responseCode, responseText = "" } = result;
  return { request, statusCode, responseCode, text: responseText };
}

/** The result is in the memory now, from the handler, the customer, the clock or a restart. */
function concluded(state: DeviceState, { requestId }: { requestId: string }): DeviceState {
  const isShown = state.payment?.request.requestId === requestId;
  // An earlier payment that ends late does not replace the current one on the screen.
  if (!isShown && state.payment !== null) return state;
  const held = state.held.find(({ request }) => request.requestId === requestId);
  if (held === undefined) return { ...state, payment: null };
  return { ...state, payment: null, outcome: toDisplayedOutcome(held.request, held.result) };
}

/** The first prompt of a request takes the screen. A later one needs its request to be on the screen. */
function prompted(state: DeviceState, payment: TerminalPayment): DeviceState {
  const { requestId } = payment.request;
  const shown = state.payment?.request.requestId;
  if (shown === requestId) return { ...state, payment };
  const isOver = state.outcome?.request.requestId === requestId;
  if (shown !== undefined || isOver) return state;
  return { ...state, payment, outcome: null, bindProblem: null };
}

function withPin(state: DeviceState, change: (digits: number) => number): DeviceState {
  const { payment } = state;
  if (payment?.prompt.kind !== "pin") return state;
  return { ...state, payment: { ...payment, prompt: { ...payment.prompt, digits: change(payment.prompt.digits) } } };
}

function printed(receipts: Receipts[], requestId: string, text: string): Receipts[] {
  const known = receipts.find((one) => one.requestId === requestId);
  // The bank repeats an answer: its receipts exist already.
  if (known?.copies.includes(text) === true) return receipts;
  const others = receipts.filter((one) => one !== known);
  return [{ requestId, copies: [...(known?.copies ?? []), text] }, ...others].slice(0, VIRTUAL_TERMINAL_RECEIPTS);
}

function logged(state: DeviceState, text: string, at: EpochMs): DeviceState {
  const number = (state.log[0]?.number ?? 0) + 1;
  return { ...state, log: [{ number, at, text }, ...state.log].slice(0, VIRTUAL_TERMINAL_LOG) };
}
