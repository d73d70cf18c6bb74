import type { TerminalResult } from "./frames.ts";
import type { TransactionRequest } from "../../protocol/frames.ts";
import type { RequestControls } from "./run.ts";

/** `restart`: the terminal came up with it unclear. `asked`: the gateway, on behalf of the POS, wants to know now. */
export type RecoverReason = "restart" | "asked";

/** What a terminal's maker writes. Everything else about the gateway is done. */
export interface TerminalHandler {
  /**
   * Whether the terminal cannot take this request now (`busy`: it does something of its own) or ever (`unsupported`).
   * Nothing, or null, takes it. Asked before anything is stored; must not take long.
   */
  refuse?(request: TransactionRequest): "busy" | "unsupported" | null;
  /**
   * Carries out one request; never called twice for one `requestId`, nor while another is at work. Before the first
   * step that may move money it awaits `controls.reachedHost()`.
   *
   * The result: `00` money moved; `11` nothing was taken and nothing will be, or its reversal is durably queued; `22` it
   * may still become 00. A rejection counts as 11 before `reachedHost`, as 22 after it.
   */
  onRequest(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult>;
  /**
   * Finds out from the host what became of a request that may have reached it. Without this, such requests stay 22
   * until the operator of the gateway settles them.
   */
  onRecover?(request: TransactionRequest, reason: RecoverReason): Promise<TerminalResult>;
}
