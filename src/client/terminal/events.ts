import type { BindingMembers } from "../../protocol/binding.ts";
import type { SessionProblem } from "./session.ts";

/** What a terminal may want to show or to log. None of it needs an answer; no secret is in any of it. */
export type TerminalEvent =
  | { kind: "connected"; binding: BindingMembers }
  | { kind: "disconnected"; code: number; reason: string; reconnectInMs: number }
  /** Another device uses this terminal's identity. Its user must be told. */
  | { kind: "replaced" }
  | { kind: "login-failed"; problem: SessionProblem }
  | { kind: "binding"; binding: BindingMembers }
  | { kind: "accepted"; requestId: string }
  | { kind: "refused"; requestId: string; reason: string }
  | { kind: "concluded"; requestId: string; statusCode: string; responseCode: string }
  | { kind: "acknowledged"; requestId: string; statusCode: string }
  /** A request that the gateway did not sign with this terminal's secret. It was not answered. */
  | { kind: "forged-request"; requestId: string }
  | { kind: "bad-frame"; why: string }
  | { kind: "gateway-error"; code: string; message: string; requestId: string | null }
  /** A request had ended one way, and was then reported the other way. The first stands; somebody must look. */
  | { kind: "contradiction"; requestId: string; statusCode: string }
  | { kind: "handler-failed"; requestId: string; error: unknown }
  | { kind: "memory-failed"; error: unknown };
