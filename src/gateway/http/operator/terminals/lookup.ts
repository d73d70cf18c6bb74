import { createMiddleware } from "hono/factory";
import { findTerminal, type TerminalRow } from "../../../d1/terminals.ts";
import { type Refusal, refuse } from "../../middleware/errors.ts";
import { terminalPath } from "../../pos/terminals/pos-terminal-calls.ts";
import { inTime, unlessDown } from "../../middleware/time-limit.ts";
import { path } from "../../validation/validators.ts";
import type { OperatorEnvironment } from "../authentication.ts";

export const NO_TERMINAL: Refusal = { kind: "not_found", message: "There is no such terminal." };
export const RETIRED: Refusal = { kind: "conflict", message: "The terminal is retired." };

export const validTerminalId = path(terminalPath, NO_TERMINAL);

/**
 * For calls that only need the terminal's object. An id that cannot exist is refused without D1. `known` is what D1 has
 * of the terminal; null while D1 is down, when the object decides alone.
 */
export const requireTerminal = createMiddleware<OperatorEnvironment<{ terminalId: string; known: TerminalRow | null }>>(
  async (c, next) => {
    const named = terminalPath.safeParse(c.req.param());
    if (!named.success) return refuse(c, NO_TERMINAL);
    const { terminalId } = named.data;
    const known = await unlessDown(() => findTerminal(c.env.DATABASE, terminalId));
    if (known === null) return refuse(c, NO_TERMINAL);
    c.set("terminalId", terminalId);
    c.set("known", known ?? null);
    return next();
  },
);

/** For calls that also need D1. */
export const requireEnrolled = createMiddleware<OperatorEnvironment<{ terminal: TerminalRow }>>(async (c, next) => {
  const named = terminalPath.safeParse(c.req.param());
  const terminal = named.success ? await inTime(findTerminal(c.env.DATABASE, named.data.terminalId)) : null;
  if (terminal === null) return refuse(c, NO_TERMINAL);
  if (terminal.status === "retired") return refuse(c, RETIRED);
  c.set("terminal", terminal);
  return next();
});
