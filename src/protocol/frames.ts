/**
 * The frames between the gateway and a terminal: JSON texts, each with a `type`. Times are epoch milliseconds of the
 * gateway's clock.
 */
import type { BindingMembers } from "./binding.ts";
import type { PaymentMethod } from "./payment-methods.ts";
import type { StatusCode } from "./status-codes.ts";
import type { TransactionType } from "./transfer-types.ts";

/** The sub-protocol that both sides speak (RFC 6455, section 1.9). */
export const SUBPROTOCOL = "pos-terminal.v1";

/** Bare texts beside the frames. The platform answers `ping` without waking the object; it compares exact texts. */
export const PING = "ping";
export const PONG = "pong";

/** Why a terminal does not start an attempt. */
export const REFUSAL_REASONS = ["busy", "expired", "unsupported", "unbound", "unknown"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** How far a terminal is with a request. */
export const PROGRESS_STAGES = ["present", "reading", "pin", "scan", "authorising", "printing"] as const;
export type ProgressStage = (typeof PROGRESS_STAGES)[number];

/** Why the gateway did not take a frame. */
export const FRAME_ERRORS = ["bad_signature", "unknown_request", "bad_frame"] as const;
export type FrameError = (typeof FRAME_ERRORS)[number];

// From the gateway.

/** The first frame on every connection. */
export interface WelcomeFrame extends BindingMembers {
  type: "welcome";
  terminalId: string;
  /** To be repeated in `hello`. */
  nonce: string;
  serverTime: number;
  heartbeatSeconds: number;
}

/** The `hello` holds: this connection is the current one. */
export interface ReadyFrame {
  type: "ready";
}

/** The details of a request. Members that the POS left out or left empty are not there. */
export interface RequestDetails {
  /** Not in a void. */
  transAmt?: string | undefined;
  /** Cash to be handed out, of a cashOut. The card is charged both. */
  cashAmt?: string | undefined;
  /** Not in a void. */
  paymentMethod?: PaymentMethod | undefined;
  /** The wallet, with `qrCustScan`. */
  paymentChannel?: string | undefined;
  /** The transaction to be voided. Only in a void. */
  transId?: string | undefined;
  invNo?: string | undefined;
  productIndex?: string | undefined;
  promoSale?: string | undefined;
  note?: string | undefined;
  printCount?: number | undefined;
  metadata?: string | undefined;
}

/** What the POS asks the terminal to carry out. */
export interface TransactionRequest {
  /** Ten digits. One terminal's numbers only grow. */
  requestId: string;
  transType: TransactionType;
  posId: string;
  merchantId: string;
  referenceId: string;
  referenceLabel?: string | undefined;
  currency: string;
  /** The transaction's own number; for a void, that of the transaction to be voided. */
  transId: string;
  transData: RequestDetails;
  /** Not to be started when it is read later. */
  deliverBy: number;
  /** The terminal ends it by itself until then. */
  respondBy: number;
}

export interface RequestFrame extends TransactionRequest {
  type: "request";
  /** How often it was sent, from 1. */
  attempt: number;
  signature: string;
}

/** What became of it? */
export interface AskFrame {
  type: "ask";
  requestId: string;
  attempt: number;
}

/** Stop it. */
export interface CancelFrame {
  type: "cancel";
  requestId: string;
  attempt: number;
}

/** The result with this status is durable at the gateway (I4). */
export interface AckFrame {
  type: "ack";
  requestId: string;
  statusCode: StatusCode;
}

/** The account that the terminal works for, whenever one of its members changes. */
export interface BindingFrame extends BindingMembers {
  type: "binding";
}

/** The gateway did not take a frame. */
export interface ErrorFrame {
  type: "error";
  code: FrameError;
  message: string;
  requestId?: string | undefined;
}

export type GatewayFrame =
  WelcomeFrame | ReadyFrame | RequestFrame | AskFrame | CancelFrame | AckFrame | BindingFrame | ErrorFrame;

// From the terminal.

/** The answer to `welcome`. */
export interface HelloFrame {
  type: "hello";
  nonce: string;
  softwareVersion: string;
  terminalSn: string;
  /** A random id, drawn when the terminal's store was created, and kept with it. */
  memory: string;
  /** The requestIds that it has accepted and whose 00 or 11 is not acknowledged. */
  open: string[];
  signature: string;
}

/** Durably stored, before anything is started. */
export interface AcceptedFrame {
  type: "accepted";
  requestId: string;
  attempt: number;
}

/** This attempt will not be started. */
export interface RefusedFrame {
  type: "refused";
  requestId: string;
  attempt: number;
  reason: RefusalReason;
}

export interface ProgressFrame {
  type: "progress";
  requestId: string;
  stage: ProgressStage;
}

/** What became of a request. */
export interface ResultFrame {
  type: "result";
  requestId: string;
  statusCode: StatusCode;
  /** The channel's own code. */
  responseCode: string;
  /** For the POS's display. */
  responseText?: string | undefined;
  softwareVersion: string;
  terminalSn: string;
  /** `paymentChannel`, `cardNo` (masked), `invNo`, `tid`, `mid` and so on. */
  transData?: Record<string, unknown> | null | undefined;
  signature: string;
}

export type TerminalFrame = HelloFrame | AcceptedFrame | RefusedFrame | ProgressFrame | ResultFrame;
