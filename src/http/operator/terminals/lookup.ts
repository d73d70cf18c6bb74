import { createMiddleware } from "hono/factory";
import { findTerminal, type Terminal } from "../../../storage/terminals.ts";
import { type Refusal, refuse } from "../../errors.ts";
import { terminalPath } from "../../terminals/calls.ts";
import { inTime } from "../../time-limit.ts";
import { path } from "../../validation/validators.ts";
import type { OperatorEnvironment } from "../authentication.ts";

export const NO_TERMINAL: Refusal = { kind: "not_found", message: "There is no such terminal." };
export const RETIRED: Refusal = { kind: "conflict", message: "The terminal is retired." };

export const validTerminalId = path(terminalPath, NO_TERMINAL);

/** An id that cannot exist is refused without D1. */
function lookUp(isRetiredRefused: boolean) {
  return createMiddleware<OperatorEnvironment<{ terminal: Terminal }>>(async (c, next) => {
    const named = terminalPath.safeParse(c.req.param());
    const terminal = named.success ? await inTime(findTerminal(c.env.DATABASE, named.data.terminalId)) : null;
    if (terminal === null) return refuse(c, NO_TERMINAL);
    if (isRetiredRefused && terminal.status === "retired") return refuse(c, RETIRED);
    c.set("terminal", terminal);
    return next();
  });
}

export const requireTerminal = lookUp(false);

export const requireEnrolled = lookUp(true);
