import type { TerminalResult } from "./frames.ts";
import type { TransactionRequest } from "../../protocol/frames.ts";
import type { RequestControls } from "./run.ts";

/** `restart`: the terminal restarted with an unclear request. `asked`: the gateway asks now, for the POS. */
export type RecoverReason = "restart" | "asked";

/** The part that the terminal's maker writes. The client does the rest. */
export interface TerminalHandler {
  /**
   * Returns why the terminal refuses this request: `busy` if it cannot take it now, `unsupported` if it never can. Return
   * null or nothing to accept it. Called before anything is stored; must be quick.
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
   * Asks the host for the outcome of a request that may have reached it. Without this method, such requests stay 22 until the
   * gateway's operator resolves them.
   */
  onRecover?(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult>;
}
