import type { TerminalResult } from "./frames.ts";
import type { TransactionRequest } from "../../../protocol/frames.ts";
import type { RequestControls } from "./run.ts";
import type { BindingMembers } from "../../../protocol/binding.ts";
import type { SessionProblem } from "./session.ts";

/** After a `restart`, the terminal has an unclear request. When `asked`, the gateway asks now, for the POS. */
export type RecoverReason = "restart" | "asked";

/** You write this part. The client does the rest. */
export interface TerminalHandler {
  /**
   * Why the terminal refuses this request: `busy` if it cannot take it now, `unsupported` if it never can. Null or
   * nothing accepts it. Called before anything is stored; must be quick.
   */
  refuse?(request: TransactionRequest): "busy" | "unsupported" | null;
  /**
   * Processes one request. Never called twice for one `requestId`, and never while another request is in progress. Await
   * `controls.reachedHost()` before the first step that may move money.
   *
   * The result: `00` money moved; `11` no money moved and none will, or its reversal is durably queued; `22` it may still
   * become 00. A rejection counts as 11 before `reachedHost`, as 22 after it.
   */
  onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult>;
  /**
   * Asks the host for the outcome of a request that may have reached it. Without this method, such requests stay 22
   * until the gateway's operator resolves them.
   */
  onRecover?(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult>;
}

/** Events to show or log. None contains a secret. */
export type TerminalEvent =
  | { kind: "connected"; binding: BindingMembers }
  | { kind: "disconnected"; code: number; reason: string; reconnectInMs: number }
  /** Another device uses this terminal's identity. Tell its user. */
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
  /**
   * A request ended with 00 or 11 and was then reported with the other. The first one counts; someone must check it.
   */
  | { kind: "contradiction"; requestId: string; statusCode: string }
  | { kind: "handler-failed"; requestId: string; error: unknown }
  | { kind: "memory-failed"; error: unknown };
