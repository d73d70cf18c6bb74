/** The stages of a transaction that a till is told of while it waits. */
import { PROGRESS_STAGES } from "./frames.ts";

/**
 * In the order in which they come: the gateway has it; it waits for its turn, or for a terminal that reconnects (only one
 * that has to wait); it is sent to the terminal (once for each attempt); the terminal has taken it; then the terminal's own.
 */
export const TRANSFER_STAGES = ["received", "queued", "sent", "accepted", ...PROGRESS_STAGES] as const;

export type TransferStage = (typeof TRANSFER_STAGES)[number];

/**
 * The same text for one and the same stage, however often it is told. A request may be sent, and a card be read, more than
 * once. It is accepted once, though a gateway that has lost its memory learns of it again, and later.
 */
export function stageKey({ stage, at }: { stage: TransferStage; at: number | string }): string {
  return stage === "accepted" ? stage : `${stage} ${at}`;
}

/** A stage in the stream that a till reads. */
export interface StageMessage {
  stage: TransferStage;
  /** ISO 8601 with the account's offset from UTC. */
  at: string;
}

/** A stage as the journal has it. */
export interface Stage {
  /** received (by the object), queued, sent, accepted, completed, pending, or a stage of the terminal's `progress`. */
  stage: string;
  /** Epoch milliseconds. */
  at: number;
}

/** One that a till sees. */
export interface ToldStage extends Stage {
  stage: TransferStage;
}
