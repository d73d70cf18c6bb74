/** What broken terminals are made of, and how the kit is run for them. */
import { it } from "vitest";
import { textOf } from "../../../../../src/sdk/conformance/message.ts";
import type { StepOutcome } from "../../../../../src/sdk/conformance/step.ts";
import { TERMINAL_STEPS, type TerminalKitOptions } from "../../../../../src/sdk/conformance/terminal/kit.ts";
import { verifySignature } from "../../../../../src/protocol/signing/signature.ts";
import { inTurns } from "../../../../support/in-turns.ts";
import { reported, stepsWith } from "../../../../support/kit-outcomes.ts";
import {
  type Frame,
  kitOn,
  SECRET,
  signedAgain,
  type Tampering,
  type Wire,
} from "../../../../support/tampered-terminal.ts";

/** How the kit is run for a broken terminal. */
interface Conditions {
  /** Slow steps that are run for it, beside those that it breaks. */
  also?: string[];
  /** Nothing but these. */
  only?: string[];
  patient?: boolean;
  /** What it breaks shows in times that a busy machine blurs: a try may miss it. */
  blurred?: boolean;
}

interface BrokenTerminal extends Conditions {
  what: string;
  /** Steps that find a duty broken; all others keep it, or could not be tried. */
  breaks: string[];
  /** Made anew for each run: it may remember. */
  tampering: () => Tampering;
}

export function broken(
  what: string,
  breaks: string[],
  tampering: () => Tampering,
  conditions: Conditions = {},
): BrokenTerminal {
  return { what, breaks, tampering, ...conditions };
}

export function isType(frame: Frame, type: string): boolean {
  return frame["type"] === type;
}

export function data(frame: Frame): Frame {
  const { transData } = frame;
  return typeof transData === "object" && transData !== null && !Array.isArray(transData) ? transData : {};
}

/** Changes frames of one type on their way to the gateway, and signs them again. */
export function saying(type: string, change: (frame: Frame, wire: Wire) => Frame | null): Tampering {
  return {
    toGateway: (frame, wire) => {
      if (!isType(frame, type)) return frame;
      const changed = change(frame, wire);
      return changed !== null && "signature" in frame && changed !== frame ? signedAgain(changed) : changed;
    },
  };
}

/** Changes requests on their way to the terminal, and signs them again if their signature was valid before. */
export function reading(change: (frame: Frame, wire: Wire) => Frame | null): Tampering {
  return {
    toTerminal: (frame, wire) => {
      if (!isType(frame, "request")) return frame;
      const changed = change(frame, wire);
      return changed === null || changed === frame || !verifySignature(frame, SECRET) ? changed : signedAgain(changed);
    },
  };
}

export function losing(isLost: (frame: Frame) => boolean): Tampering {
  return { toTerminal: (frame) => (isLost(frame) ? null : frame) };
}

/** Remembers which type of transaction a requestId is, by what the gateway sends. */
export function sales(change: (frame: Frame) => Frame): Tampering {
  return ofType("sale", change);
}

export function ofType(transType: string, change: (frame: Frame) => Frame): Tampering {
  const types = new Map<unknown, unknown>();
  return {
    toTerminal: (frame) => {
      if (isType(frame, "request")) types.set(frame["requestId"], frame["transType"]);
      return frame;
    },
    toGateway: (frame) => {
      const concerned = isType(frame, "result") && types.get(frame["requestId"]) === transType;
      return concerned && frame["statusCode"] === "00" ? change(frame) : frame;
    },
  };
}

/**
 * Gives the requests in question another number, so that the terminal treats them as new, and all later ones a higher
 * one, so that it continues; the gateway does not notice.
 */
export function renumbering(isConcerned: (frame: Frame) => boolean): Tampering {
  const given = new Map<unknown, string>();
  const real = new Map<unknown, string>();
  const hidden = new Set<string>();
  let offset = 0;
  const numberFor = (requestId: string, again: boolean): string => {
    const known = given.get(requestId);
    if (known !== undefined && !again) return known;
    if (again) offset += 1_000_000;
    const number = String(Number(requestId) + offset);
    given.set(requestId, number);
    real.set(number, requestId);
    if (again) hidden.add(number);
    return number;
  };
  return {
    toTerminal: (frame) => {
      if (frame["requestId"] === undefined) return frame;
      const requestId = textOf(frame, "requestId");
      if (!isType(frame, "request")) return { ...frame, requestId: given.get(requestId) ?? requestId };
      const isRight = verifySignature(frame, SECRET);
      const renumbered = { ...frame, requestId: numberFor(requestId, isConcerned(frame)) };
      return isRight ? signedAgain(renumbered) : renumbered;
    },
    toGateway: (frame) => {
      if (isType(frame, "hello")) {
        const open = Array.isArray(frame["open"]) ? frame["open"] : [];
        return signedAgain({ ...frame, open: open.map((requestId) => real.get(requestId) ?? requestId) });
      }
      if (frame["requestId"] === undefined) return frame;
      // Seen from outside, nothing begins again.
      if (isType(frame, "progress") && hidden.has(textOf(frame, "requestId"))) return null;
      const renumbered = { ...frame, requestId: real.get(frame["requestId"]) ?? frame["requestId"] };
      return "signature" in frame ? signedAgain(renumbered) : renumbered;
    },
  };
}

/** Steps that wait on purpose: run for those that break them, and once for the terminal that keeps everything. */
const SLOW = [
  "bind",
  "heartbeat",
  "gives-up",
  "respond-by",
  "signs-anew",
  "retry-after",
  "firewall",
  "backs-off",
  "restart-memory",
  "restart-result",
  "restart-before-card",
  "restart-number",
  "restart-at-host",
  "clock-drifts",
];

const QUICK = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !SLOW.includes(name));

/** The names of the steps, by verdict. */
export interface Run {
  broken: string[];
  kept: string[];
  outcomes: StepOutcome[];
}

export async function tested(tampering: Tampering, options: Partial<TerminalKitOptions> = {}): Promise<Run> {
  const outcomes = await kitOn(tampering, options);
  return { broken: stepsWith("broken", outcomes), kept: stepsWith("kept", outcomes), outcomes };
}

/** Most of a run is waiting, so this many run at the same time. */
const AT_ONCE = 40;

/**
 * How often a run is repeated that found something else: the kit judges by the clock, and a busy machine makes any terminal
 * late. More often if the terminal breaks its duty by chance.
 */
const TRIES = { usual: 5, blurred: 20 };

const runOf = ({ also = [], breaks, only, patient, tampering }: BrokenTerminal): Promise<Run> => {
  const names = TERMINAL_STEPS.map(({ name }) => name);
  const wanted = only ?? names.filter((name) => [...QUICK, ...breaks, ...also].includes(name));
  return tested(tampering(), { only: wanted, patient: patient === true });
};

/**
 * A run that is `expected`, or the last of so many.
 *
 * @param others what ends before it is repeated: repeated ones are alone
 */
export async function repeated(
  run: () => Promise<Run>,
  isExpected: (run: Run) => boolean,
  most = TRIES.usual,
  others: () => Promise<unknown> = async () => undefined,
): Promise<Run> {
  for (let tries = 1; ; tries++) {
    const made = await run();
    if (tries === most || isExpected(made)) return made;
    await others();
  }
}

/** A test for each: the kit finds the duties that it breaks, and no others. */
export function findsBroken(terminals: readonly BrokenTerminal[]): void {
  const firstRunOf = inTurns(terminals, AT_ONCE, runOf);
  it.for(terminals)("the kit detects a terminal that $what: $breaks", async (terminal, { expect }) => {
    const expected = terminal.breaks.toSorted().join();
    let first: Promise<Run> | null = firstRunOf(terminal);
    const run = await repeated(
      () => {
        const made = first ?? runOf(terminal);
        first = null;
        return made;
      },
      ({ broken: found }) => found.toSorted().join() === expected,
      terminal.blurred === true ? TRIES.blurred : TRIES.usual,
      () => Promise.all(terminals.map(firstRunOf)),
    );
    expect(run.broken.toSorted(), reported(run.outcomes)).toEqual(terminal.breaks.toSorted());
  });
}
