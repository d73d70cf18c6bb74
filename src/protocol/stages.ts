/** A POS gets these stages while it waits. */
import { PROGRESS_STAGES } from "./frames.ts";
import type { EpochMs } from "./time/units.ts";

/**
 * In order: the gateway has the request; it waits for its turn, or for a terminal that reconnects (only if it must
 * wait); it is sent to the terminal (once for each attempt); the terminal has accepted it; then the terminal's own.
 */
export const TRANSFER_STAGES = ["received", "queued", "sent", "accepted", ...PROGRESS_STAGES] as const;

export type TransferStage = (typeof TRANSFER_STAGES)[number];

/**
 * The same text for the same stage, however often it is sent. A request may be sent, and a card read, more than once.
 * It is accepted once, though a gateway that has lost its memory learns of it again, and later.
 */
export function stageKey({ stage, at }: { stage: TransferStage; at: EpochMs | string }): string {
  return stage === "accepted" ? stage : `${stage} ${at}`;
}

export interface StageMessage {
  stage: TransferStage;
  /** The time in ISO 8601, with the account's offset from UTC. */
  at: string;
}

/** As the journal stores it. */
export interface Stage {
  /** received (by the object), queued, sent, accepted, completed, pending, or a stage of the terminal's `progress`. */
  stage: string;
  at: EpochMs;
}

export interface ReportedStage extends Stage {
  stage: TransferStage;
}
