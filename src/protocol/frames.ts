/** JSON texts, each with a `type`. Times are of the gateway's clock. */
import type * as schemas from "./schemas/frames.ts";
import type { Infer } from "./schemas/infer.ts";

/** The WebSocket's subprotocol (RFC 6455, section 1.9). */
export const SUBPROTOCOL = "pos-terminal.v1";

/**
 * PING and PONG are plain texts in addition to the frames. The platform answers an exact `ping` without waking the
 * object.
 */
export const PING = "ping";
export const PONG = "pong";

/** Why a terminal does not start an attempt. */
export const REFUSAL_REASONS = ["busy", "expired", "unsupported", "unbound", "unknown"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const PROGRESS_STAGES = ["present", "reading", "pin", "scan", "authorising", "printing"] as const;
export type ProgressStage = (typeof PROGRESS_STAGES)[number];

export const FRAME_ERRORS = ["bad_signature", "unknown_request", "bad_frame"] as const;
export type FrameError = (typeof FRAME_ERRORS)[number];

// These frames come from the gateway. Those from a terminal are in `terminal-frames.ts`.

export type GatewayFrame = Infer<typeof schemas.gatewayFrame>;
export type RequestFrame = Infer<typeof schemas.requestFrame>;
export type AskFrame = Infer<typeof schemas.askFrame>;
export type CancelFrame = Infer<typeof schemas.cancelFrame>;

/** The gateway has durably stored the result with this status (I4). */
export type AckFrame = Infer<typeof schemas.ackFrame>;

export type ErrorFrame = Infer<typeof schemas.errorFrame>;

export type TransactionRequest = Omit<RequestFrame, "type" | "attempt" | "signature">;
