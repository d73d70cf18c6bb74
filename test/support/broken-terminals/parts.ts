/** What broken terminals are made of. */
import type { TerminalStore } from "../../../src/client/terminal.ts";
import { textOf } from "../../../src/conformance/message.ts";
import { verifySignature } from "../../../src/signing/signature.ts";
import { type Frame, SECRET, signedAgain, type Tampering, type Wire } from "../tampered-terminal.ts";

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

export interface BrokenTerminal extends Conditions {
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

export const HOUR = 3_600_000;

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

export function isElse(frame: Frame, member: string): boolean {
  return frame[member] === "SOMEBODY-ELSE";
}

export function isUnknown(frame: Frame, attempt: number): boolean {
  return frame["reason"] === "unknown" && frame["attempt"] === attempt;
}

/**
 * Frames of this type about what the terminal was ever asked to do: the kit's own numbers without a request are odd.
 */
export function ofHeld(type: string): (frame: Frame) => boolean {
  const read = new Set<unknown>();
  return (frame) => {
    if (isType(frame, "request")) read.add(frame["requestId"]);
    return isType(frame, type) && read.has(frame["requestId"]);
  };
}

/** A store in which everything looks as if it had reached the host. */
export function atHost(store: TerminalStore): TerminalStore {
  return {
    load: async () => {
      const memory = await store.load();
      if (memory === null) return null;
      return { ...memory, held: memory.held.map((one) => ({ ...one, stage: "at-host" as const })) };
    },
    save: (memory) => store.save(memory),
  };
}
