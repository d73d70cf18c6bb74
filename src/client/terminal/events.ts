import type { BindingMembers } from "../../protocol/binding.ts";
import type { SessionProblem } from "./session.ts";

/** Events to show or log. None needs an answer, and none contains a secret. */
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
  /** The gateway rejected a frame. `doc` links to the explanation; null if the gateway sends none. */
  | { kind: "gateway-error"; code: string; message: string; doc: string | null; requestId: string | null }
  /** A request ended with one status and was then reported with the other. The first one counts; someone must check it. */
  | { kind: "contradiction"; requestId: string; statusCode: string }
  | { kind: "handler-failed"; requestId: string; error: unknown }
  | { kind: "memory-failed"; error: unknown };
