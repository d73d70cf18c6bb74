import { sleep } from "../backoff.ts";
import type { ProgressStage, TransactionRequest } from "../../../protocol/frames.ts";
import type { TerminalResult } from "./frames.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";

/** How long a handler cancelled before it reached the host may take to return its own result. */
const CANCEL_GRACE = SECOND;

export type StopReason = "cancelled" | "respond-by" | "stopped" | "memory-failed";

export interface RequestControls {
  /** Shows the progress at the POS. Has no effect on the outcome. */
  progress(stage: ProgressStage): void;
  /** Aborted when the POS cancels or the time is over; `signal.reason` is a StopReason. */
  readonly signal: AbortSignal;
  /**
   * Await this before the first step that may move money. Resolves when it is durably stored that the request may have
   * reached card or host, and neither a cancel nor the end of its time has come meanwhile. Rejects with a `StoppedError`
   * if the request must not continue: then take nothing; the request ends as 11 by itself.
   */
  reachedHost(): Promise<void>;
}

/** `reachedHost` was called too late. Let it propagate from the handler. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the request was stopped before it reached the host: ${reason}`);
    this.reason = reason;
  }
}

export interface RunSurroundings {
  /** Returns the time by the gateway's clock. */
  now(): EpochMs;
  work(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult>;
  progress(requestId: string, stage: ProgressStage): void;
  noteAtHost(requestId: string): Promise<void>;
  conclude(requestId: string, result: TerminalResult): Promise<void>;
  handlerFailed(requestId: string, error: unknown): void;
}

/** The way to the host, which is passed or shut once, for good. */
type Gate = { kind: "open" } | { kind: "passed" } | { kind: "shut"; reason: StopReason };

export class RequestRun {
  readonly request: TransactionRequest;
  /** Resolves when the handler has returned and its result is stored. Never rejects. */
  readonly finished: Promise<void>;
  readonly #surroundings: RunSurroundings;
  readonly #controller = new AbortController();
  #gate: Gate = { kind: "open" };
  /** Settles when the note of the way to the host is stored or refused. */
  #passing: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #atWork = true;

  constructor(request: TransactionRequest, surroundings: RunSurroundings) {
    this.request = request;
    this.#surroundings = surroundings;
    this.finished = this.#execute();
  }

  /**
   * A request that has not reached the host never will, and ends as 11, after a grace period at the latest. Otherwise
   * the handler decides the outcome. Resolves when the request has ended, or at once if it cannot be ended.
   */
  async stop(reason: StopReason): Promise<void> {
    if (this.#gate.kind === "open") this.#gate = { kind: "shut", reason };
    this.#controller.abort(reason);
    // A note that is being stored may still shut the gate: then the end is an 11.
    await this.#passing?.catch(() => undefined);
    if (this.#gate.kind === "shut") await (this.#stopping ??= this.#endWithoutHost(this.#gate.reason));
  }

  /**
   * Stops the request, and resolves when nothing of it can happen any more: a handler that is past the host's gate moves
   * money when it wants, so its result is awaited, however long that takes.
   */
  async end(): Promise<void> {
    await this.stop("stopped");
    if (this.#gate.kind !== "shut") await this.finished;
  }

  get atWork(): boolean {
    return this.#atWork;
  }

  async #endWithoutHost(reason: StopReason): Promise<void> {
    await Promise.race([this.finished, sleep(CANCEL_GRACE)]);
    await this.#conclude(stoppedResult(reason));
  }

  async #execute(): Promise<void> {
    const remaining = this.request.respondBy - this.#surroundings.now();
    // Storing took time. Nothing starts after respondBy.
    if (remaining <= 0) return this.#conclude(stoppedResult("respond-by"));
    const timer = setTimeout(() => void this.#atRespondBy(), remaining);
    const result = await this.#work();
    this.#atWork = false;
    clearTimeout(timer);
    await this.#conclude(result);
  }

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
      // A shut gate was never passed, so nothing can be pending.
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
    this.#passing ??= this.#noteAndLook();
    await this.#passing;
  }

  async #noteAndLook(): Promise<void> {
    // Passed before the note is stored: a cancel in between must not promise that nothing will happen.
    this.#gate = { kind: "passed" };
    const reason = await this.#note();
    if (reason === null) return;
    this.#gate = { kind: "shut", reason };
    throw new StoppedError(reason);
  }

  /** Why the request must not continue; null if it may. */
  async #note(): Promise<StopReason | null> {
    try {
      await this.#surroundings.noteAtHost(this.request.requestId);
    } catch {
      // Without the note, a power cut would hide that the host must be asked.
      return "memory-failed";
    }
    // A disk can take seconds. Nobody waits for this payment any more.
    const { signal } = this.#controller;
    if (signal.aborted) return signal.reason as StopReason;
    return this.#surroundings.now() >= this.request.respondBy ? "respond-by" : null;
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

/** For a request stopped before anything could be taken. */
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
        responseText: "The time for the payment has run out. Nothing was charged.",
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
