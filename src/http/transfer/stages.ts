/** What passes between a waiting transfer and its object: the stages that a till gets, each once, and ticks. */
import { TICK } from "../../rpc/transfers.ts";
import { stageKey, type TransferStage } from "../../protocol/stages.ts";

/** A stage and when it was reached, epoch milliseconds. */
export interface ReachedStage {
  stage: TransferStage;
  at: number;
}

/** Receives them. */
export interface Follower {
  /** The object has accepted the message: no refusal follows. Called once, before any stage. */
  begin: (isReplay: boolean) => void;
  /** Gets each stage once, in order. */
  stage: (stage: ReachedStage) => void;
}

/**
 * The object sends all stages so far with every reply and on every waiting socket, so that none is missed. This passes on
 * the new ones.
 */
export class StagesTold {
  readonly #follower: Follower;
  readonly #told = new Set<string>();
  #begun = false;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  /** A reply has arrived. A later one means that the call was repeated, which the till must not notice. */
  begin(isReplay: boolean, soFar: readonly ReachedStage[]): void {
    if (!this.#begun) this.#follower.begin(isReplay);
    this.#begun = true;
    for (const stage of soFar) this.add(stage);
  }

  add({ stage, at }: ReachedStage): void {
    const key = stageKey({ stage, at });
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#follower.stage({ stage, at });
  }
}

/** Ticks on a waiting socket when the object has asked for it, so that the object needs no alarm to check the time. */
export class Ticker {
  readonly #socket: Pick<WebSocket, "send">;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Pick<WebSocket, "send">) {
    this.#socket = socket;
  }

  /** Ticks once after this time. Replaces an earlier request. */
  tickIn(milliseconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      try {
        this.#socket.send(TICK);
      } catch {
        // The socket has ended, and the object is told.
      }
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
