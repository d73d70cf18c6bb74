import { SIGNATURE_RETRIES, SIGNATURE_RETRY_WAIT } from "../../../protocol/limits.ts";
import { fullJitter, sleep } from "../backoff.ts";
import { hasValidSignature, signMessage } from "../signature.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import type { Connection } from "./connection.ts";
import {
  accept,
  acknowledge,
  recordResult,
  findRequest,
  forget,
  judge,
  unacknowledgedResults,
  reachHost,
  requestOf,
} from "./duties.ts";
import type { TerminalEvent, TerminalHandler, RecoverReason } from "./handler.ts";
import type {
  AckFrame,
  AskFrame,
  CancelFrame,
  ErrorFrame,
  RefusalReason,
  RequestFrame,
  TransactionRequest,
} from "../../../protocol/frames.ts";
import type { TerminalResult } from "./frames.ts";
import type { TerminalLink } from "./link.ts";
import type { DurableMemory, HeldRequest } from "./memory.ts";
import { usableResult } from "./result.ts";
import { RequestRun } from "./run.ts";
import { SECOND, MINUTE, type Milliseconds } from "../../../protocol/time/units.ts";

/** How long a terminal may ask its host about an open request before it answers 22. */
const ASK_GRACE = 2 * SECOND;
const CLEAR_UP_RETRY = { first: 5 * SECOND, longest: MINUTE };

/** Waits between attempts to store data that must not be lost. */
const MEMORY_RETRY = { first: SECOND, longest: 10 * SECOND };

export interface WorkOptions {
  secret: string;
  softwareVersion: string;
  terminalSn: string;
  handler: TerminalHandler;
  memory: DurableMemory;
  link: TerminalLink;
  random: () => number;
  onEvent: (event: TerminalEvent) => void;
}

const AT_WORK: TerminalResult = {
  statusCode: "22",
  responseCode: "IN_PROGRESS",
  responseText: "The terminal is still processing it.",
};

/** The result after a restart until the host has been asked. */
const UNCLEAR: TerminalResult = {
  statusCode: "22",
  responseCode: "HOST_PENDING",
  responseText: "The terminal was restarted and is asking the host.",
};

export class Work {
  readonly #options: WorkOptions;
  readonly #runs = new Map<string, RequestRun>();
  readonly #clearingUp = new Map<string, Promise<void>>();
  readonly #signedAnew = new Map<string, number>();

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  /** Resolves when the request is accepted and started, refused, or answered from memory. */
  async request(frame: RequestFrame, json: JsonObject, connection: Connection): Promise<void> {
    const { secret, onEvent, memory, link } = this.#options;
    const { requestId, attempt } = frame;
    if (!(await hasValidSignature(json, secret))) {
      onEvent({ kind: "forged-request", requestId });
      return;
    }
    const judgement = judge(memory.current, frame, { now: link.now(), binding: link.binding, busy: this.#busy() });
    switch (judgement.kind) {
      case "known":
        if (judgement.held.result === null) connection.send({ type: "accepted", requestId, attempt });
        else await this.#sendResult(requestId, judgement.held.result);
        return;
      case "refuse":
        this.#refuse(frame, judgement.reason, connection);
        // This terminal's clock may be the one that is wrong. The next request must not expire, too.
        if (judgement.reason === "expired") void link.renewClock();
        return;
      case "may-accept":
        break;
      default:
        return judgement satisfies never;
    }
    const request = requestOf(frame);
    const refusal = this.#refusalOf(request);
    if (refusal !== null) {
      this.#refuse(frame, refusal, connection);
      return;
    }
    try {
      await memory.change((held) => accept(held, request));
    } catch (error) {
      onEvent({ kind: "memory-failed", error });
      this.#refuse(frame, "busy", connection);
      return;
    }
    // Stored before it is accepted, accepted before it is started. If the connection is lost in between, the next hello
    // lists the request as open.
    connection.send({ type: "accepted", requestId, attempt });
    onEvent({ kind: "accepted", requestId });
    this.#begin(request);
  }

  /** If nothing can have been taken yet, nothing will be. */
  cancel(frame: CancelFrame, connection: Connection): void {
    this.#answer(frame, connection, (held, run) => {
      if (run === undefined) {
        const remaining = held.request.respondBy - this.#options.link.now();
        void this.#answerAsked(held.request, Math.max(remaining, ASK_GRACE));
      } else if (held.result === null) {
        void run.stop("cancelled");
      } else {
        void this.#sendResult(held.request.requestId, held.result);
      }
    });
  }

  ask(frame: AskFrame, connection: Connection): void {
    this.#answer(frame, connection, (held, run) => {
      if (run === undefined) void this.#answerAsked(held.request, ASK_GRACE);
      else void this.#sendResult(held.request.requestId, held.result ?? AT_WORK);
    });
  }

  /** `open` handles a request without a 00 or 11. */
  #answer(
    frame: AskFrame | CancelFrame,
    connection: Connection,
    open: (held: HeldRequest, run?: RequestRun) => void,
  ): void {
    const { requestId, attempt } = frame;
    const held = findRequest(this.#options.memory.current, requestId);
    const run = this.#runs.get(requestId);
    if (held === undefined) {
      connection.send({ type: "refused", requestId, attempt, reason: "unknown" });
    } else if (isFinal(held)) {
      void this.#sendResult(requestId, held.result);
    } else if (run?.atWork === false) {
      // The handler has just returned; its result is being stored.
      void run.finished.then(() => this.#answer(frame, connection, open));
    } else {
      open(held, run);
    }
  }

  async acknowledged({ requestId, statusCode }: AckFrame): Promise<void> {
    this.#signedAnew.delete(requestId);
    this.#options.onEvent({ kind: "acknowledged", requestId, statusCode });
    await this.#change((memory) => acknowledge(memory, requestId, statusCode));
  }

  async error({ code, message, doc, requestId }: ErrorFrame): Promise<void> {
    this.#options.onEvent({ kind: "gateway-error", code, message, doc: doc ?? null, requestId: requestId ?? null });
    if (requestId === undefined) return;
    if (code === "bad_signature") void this.#sendAgain(requestId);
    if (code === "unknown_request") await this.#change((memory) => forget(memory, requestId));
  }

  /** Signs and sends the results now. */
  async sendUnacknowledged(): Promise<void> {
    this.#signedAnew.clear();
    for (const { requestId, result } of unacknowledgedResults(this.#options.memory.current)) {
      await this.#sendResult(requestId, result);
    }
  }

  clearUpAfterRestart(unclear: TransactionRequest[]): void {
    for (const request of unclear) void this.#clearUp(request, "restart");
  }

  /** An existing 00 or 11 does not change. */
  async conclude(requestId: string, result: TerminalResult): Promise<void> {
    const made = await this.#change((memory) => recordResult(memory, requestId, result));
    const { statusCode, responseCode } = result;
    if (made?.conclusion === "contradiction") {
      this.#options.onEvent({ kind: "contradiction", requestId, statusCode });
    } else if (made?.conclusion === "recorded") {
      this.#options.onEvent({ kind: "concluded", requestId, statusCode, responseCode });
      await this.#sendResult(requestId, result);
    }
  }

  /** Resolves when no handler can move money any more and everything is stored: only then may others use the store. */
  async stop(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.end()));
    await this.#options.memory.close();
  }

  /** I5: a request whose handler has returned, and that is only pending at the host, does not count. */
  #busy(): boolean {
    return this.#runs.size > 0;
  }

  /** If the handler throws, the terminal answers `busy`. */
  #refusalOf(request: TransactionRequest): "busy" | "unsupported" | null {
    try {
      return this.#options.handler.refuse?.(request) ?? null;
    } catch (error) {
      this.#options.onEvent({ kind: "handler-failed", requestId: request.requestId, error });
      return "busy";
    }
  }

  #refuse({ requestId, attempt }: RequestFrame, reason: RefusalReason, connection: Connection): void {
    connection.send({ type: "refused", requestId, attempt, reason });
    this.#options.onEvent({ kind: "refused", requestId, reason });
  }

  #begin(request: TransactionRequest): void {
    const { link, handler, memory, onEvent } = this.#options;
    const run = new RequestRun(request, {
      now: () => link.now(),
      work: async (accepted, controls) => this.#usable(accepted, await handler.onRequest(accepted, controls)),
      progress: (requestId, stage) => link.send({ type: "progress", requestId, stage }),
      noteAtHost: async (requestId) => {
        await memory.change((held) => reachHost(held, requestId));
      },
      conclude: (requestId, result) => this.conclude(requestId, result),
      handlerFailed: (requestId, error) => onEvent({ kind: "handler-failed", requestId, error }),
    });
    this.#runs.set(request.requestId, run);
    void run.finished.then(() => this.#runs.delete(request.requestId));
  }

  /** Waits `within` that time for the host, then answers with the current result. */
  async #answerAsked(request: TransactionRequest, within: Milliseconds): Promise<void> {
    const { memory, link } = this.#options;
    const { requestId } = request;
    const before = findRequest(memory.current, requestId)?.result?.statusCode;
    await Promise.race([this.#clearUp(request, "asked"), sleep(within, link.stopped)]);
    const now = findRequest(memory.current, requestId);
    if (now === undefined) return;
    // A new outcome was sent when it was stored.
    if (now.result !== null && now.result.statusCode !== before) return;
    await this.#sendResult(requestId, now.result ?? UNCLEAR);
  }

  #usable({ requestId }: TransactionRequest, made: TerminalResult): TerminalResult {
    const { result, problem } = usableResult(made);
    if (problem !== null) this.#options.onEvent({ kind: "handler-failed", requestId, error: new Error(problem) });
    return result;
  }

  #clearUp(request: TransactionRequest, reason: RecoverReason): Promise<void> {
    const { requestId } = request;
    const going = this.#clearingUp.get(requestId);
    if (going !== undefined) return going;
    const begun = this.#findOut(request, reason).finally(() => this.#clearingUp.delete(requestId));
    this.#clearingUp.set(requestId, begun);
    return begun;
  }

  async #findOut(request: TransactionRequest, reason: RecoverReason): Promise<void> {
    const { handler, link, onEvent, random } = this.#options;
    if (handler.onRecover === undefined) return this.conclude(request.requestId, UNCLEAR);
    for (let tries = 0; !link.stopped.aborted; tries++) {
      try {
        const found = this.#usable(request, await handler.onRecover(request, reason));
        return await this.conclude(request.requestId, found);
      } catch (error) {
        onEvent({ kind: "handler-failed", requestId: request.requestId, error });
      }
      // The gateway asks again; after a restart, perhaps nobody does.
      if (reason === "asked") return;
      await sleep(fullJitter(tries, CLEAR_UP_RETRY, random), link.stopped);
    }
  }

  async #sendAgain(requestId: string): Promise<void> {
    const { link, memory } = this.#options;
    const times = (this.#signedAnew.get(requestId) ?? 0) + 1;
    if (times > SIGNATURE_RETRIES) return;
    this.#signedAnew.set(requestId, times);
    await sleep(SIGNATURE_RETRY_WAIT, link.stopped);
    const unacknowledged = unacknowledgedResults(memory.current).find((one) => one.requestId === requestId);
    if (unacknowledged !== undefined) await this.#sendResult(requestId, unacknowledged.result);
  }

  async #sendResult(requestId: string, result: TerminalResult): Promise<void> {
    const { link, secret, softwareVersion, terminalSn } = this.#options;
    link.send(await signMessage({ type: "result", requestId, ...result, softwareVersion, terminalSn }, secret));
  }

  /** For steps that must not be lost: retries a failing store until it works or the terminal is stopped. */
  async #change<T extends { memory: DurableMemory["current"] }>(
    step: (memory: DurableMemory["current"]) => T,
  ): Promise<T | undefined> {
    const { link, memory, onEvent, random } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        return await memory.change(step);
      } catch (error) {
        if (link.stopped.aborted) return undefined;
        onEvent({ kind: "memory-failed", error });
      }
      await sleep(fullJitter(tries, MEMORY_RETRY, random), link.stopped);
    }
  }
}

function isFinal(held: HeldRequest): held is HeldRequest & { result: TerminalResult } {
  return held.result !== null && held.result.statusCode !== "22";
}
