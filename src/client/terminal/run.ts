import { CANCEL_GRACE } from "../limits.ts";
import { sleep } from "../backoff.ts";
import type { ProgressStage, TransactionRequest } from "../../protocol/frames.ts";
import type { TerminalResult } from "./frames.ts";

/** Why a request is to be ended before its handler did so. */
export type StopReason = "cancelled" | "respond-by" | "stopped" | "memory-failed";

/** What a handler does with the request in its hands. */
export interface RequestControls {
  /** Tells the POS's side how far it is. Never decides anything. */
  progress(stage: ProgressStage): void;
  /** Aborted when the POS cancels or the time is over; `signal.reason` is a StopReason. */
  readonly signal: AbortSignal;
  /**
   * To be awaited before the first step that may move money. Resolves once it is durably noted that the request may
   * have reached card or host. Rejects with a `StoppedError` when it must not go on: then nothing may be taken any more,
   * and the request ends as 11 by itself.
   */
  reachedHost(): Promise<void>;
}

/** `reachedHost` was asked too late. A handler lets it pass. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the request was stopped before it reached the host: ${reason}`);
    this.reason = reason;
  }
}

/** What a run needs of the client. */
export interface RunSurroundings {
  /** Epoch milliseconds of the gateway's clock. */
  now(): number;
  work(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult>;
  progress(requestId: string, stage: ProgressStage): void;
  /** Stores that the request may have reached the host. */
  noteAtHost(requestId: string): Promise<void>;
  /** Stores the result, and sends it. */
  conclude(requestId: string, result: TerminalResult): Promise<void>;
  /** The handler failed: a mistake in it. */
  handlerFailed(requestId: string, error: unknown): void;
}

/** Whether the way to the host is open. It is passed or closed once, permanently. */
type Gate = { kind: "open" } | { kind: "passed" } | { kind: "shut"; reason: StopReason };

/** One accepted request in its handler's hands. */
export class Run {
  readonly request: TransactionRequest;
  /** Resolves when the handler has come back and its result is stored. Never rejects. */
  readonly finished: Promise<void>;
  readonly #surroundings: RunSurroundings;
  readonly #controller = new AbortController();
  #gate: Gate = { kind: "open" };
  #stopping: Promise<void> | null = null;
  #atWork = true;

  constructor(request: TransactionRequest, surroundings: RunSurroundings) {
    this.request = request;
    this.#surroundings = surroundings;
    this.finished = this.#carryOut();
  }

  /**
   * Asks the handler to end. Where the host has not been reached it never will be, and the request ends as 11 at the
   * latest after a grace; else this is a wish, and the outcome is the handler's to find out. Resolves when the request
   * has ended, or at once where it cannot be ended.
   */
  async stop(reason: StopReason): Promise<void> {
    if (this.#gate.kind === "open") this.#gate = { kind: "shut", reason };
    this.#controller.abort(reason);
    if (this.#gate.kind === "shut") await (this.#stopping ??= this.#endWithoutHost(this.#gate.reason));
  }

  /** The handler has the request in its hands. */
  get atWork(): boolean {
    return this.#atWork;
  }

  async #endWithoutHost(reason: StopReason): Promise<void> {
    await Promise.race([this.finished, sleep(CANCEL_GRACE)]);
    await this.#conclude(stoppedResult(reason));
  }

  async #carryOut(): Promise<void> {
    const remaining = this.request.respondBy - this.#surroundings.now();
    // Storing took its time. Nothing is begun after respondBy.
    if (remaining <= 0) {
      this.#gate = { kind: "shut", reason: "respond-by" };
      await this.#conclude(stoppedResult("respond-by"));
      return;
    }
    const timer = setTimeout(() => void this.#atRespondBy(), remaining);
    const result = await this.#work();
    this.#atWork = false;
    clearTimeout(timer);
    await this.#conclude(result);
  }

  /** The time is over: an end, or an honest 22 while the outcome is being found out. */
  async #atRespondBy(): Promise<void> {
    await this.stop("respond-by");
    if (this.#gate.kind === "passed") await this.#conclude(UNDECIDED);
  }

  async #work(): Promise<TerminalResult> {
    const controls: RequestControls = {
      progress: (stage) => this.#surroundings.progress(this.request.requestId, stage),
      signal: this.#controller.signal,
      reachedHost: () => this.#passGate(),
    };
    try {
      const result = await this.#surroundings.work(this.request, controls);
      // A shut gate was never passed, so there is nothing that could be pending.
      return this.#gate.kind === "shut" && result.statusCode === "22" ? stoppedResult(this.#gate.reason) : result;
    } catch (error) {
      if (this.#gate.kind === "shut") return stoppedResult(this.#gate.reason);
      this.#surroundings.handlerFailed(this.request.requestId, error);
      return this.#gate.kind === "passed" ? UNDECIDED : FAILED_BEFORE;
    }
  }

  async #passGate(): Promise<void> {
    if (this.#gate.kind === "open" && this.#surroundings.now() >= this.request.respondBy) {
      this.#gate = { kind: "shut", reason: "respond-by" };
    }
    if (this.#gate.kind === "shut") throw new StoppedError(this.#gate.reason);
    if (this.#gate.kind === "passed") return;
    // Passed before the note is stored: a cancel that comes meanwhile must not promise that nothing will happen.
    this.#gate = { kind: "passed" };
    try {
      await this.#surroundings.noteAtHost(this.request.requestId);
    } catch {
      // After a power cut nobody would know that this request needs clearing up: it does not go on.
      this.#gate = { kind: "shut", reason: "memory-failed" };
      throw new StoppedError("memory-failed");
    }
  }

  async #conclude(result: TerminalResult): Promise<void> {
    await this.#surroundings.conclude(this.request.requestId, result);
  }
}

const UNDECIDED: TerminalResult = {
  statusCode: "22",
  responseCode: "HOST_PENDING",
  responseText: "The host has not answered yet. Ask again with the same referenceId.",
};

const FAILED_BEFORE: TerminalResult = {
  statusCode: "11",
  responseCode: "TERMINAL_ERROR",
  responseText: "The terminal failed before the payment started. Nothing was charged.",
};

/** How a request ends that was stopped while nothing could have been taken. */
export function stoppedResult(reason: StopReason): TerminalResult {
  switch (reason) {
    case "cancelled":
      return {
        statusCode: "11",
        responseCode: "CANCELLED",
        responseText: "Cancelled at the POS before the payment started. Nothing was charged.",
      };
    case "respond-by":
      return {
        statusCode: "11",
        responseCode: "CUSTOMER_TIMEOUT",
        responseText: "The time for the payment is over. Nothing was charged.",
      };
    case "stopped":
      return {
        statusCode: "11",
        responseCode: "TERMINAL_STOPPED",
        responseText: "The terminal was switched off before the payment started. Nothing was charged.",
      };
    case "memory-failed":
      return FAILED_BEFORE;
    default:
      return reason satisfies never;
  }
}
