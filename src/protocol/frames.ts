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

/** Plain texts beside the frames. The platform answers an exact `ping` without waking the object. */
export const PING = "ping";
export const PONG = "pong";

/** Why a terminal does not start an attempt. */
export const REFUSAL_REASONS = ["busy", "expired", "unsupported", "unbound", "unknown"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** How far a terminal is with a request. */
export const PROGRESS_STAGES = ["present", "reading", "pin", "scan", "authorising", "printing"] as const;
export type ProgressStage = (typeof PROGRESS_STAGES)[number];

/** Why the gateway rejected a frame. */
export const FRAME_ERRORS = ["bad_signature", "unknown_request", "bad_frame"] as const;
export type FrameError = (typeof FRAME_ERRORS)[number];

// From the gateway.

/** The first frame on every connection. */
export interface WelcomeFrame extends BindingMembers {
  type: "welcome";
  terminalId: string;
  /** The terminal returns it in `hello`. */
  nonce: string;
  serverTime: number;
  heartbeatSeconds: number;
}

/** The `hello` is valid: this connection is now the current one. */
export interface ReadyFrame {
  type: "ready";
}

/** The details of a request, without missing and empty members. */
export interface RequestDetails {
  /** Not in a void. */
  transAmt?: string | undefined;
  /** For a cashOut: the cash to pay out, charged in addition to `transAmt`. */
  cashAmt?: string | undefined;
  /** Not in a void. */
  paymentMethod?: PaymentMethod | undefined;
  /** The wallet, with `qrCustScan`. */
  paymentChannel?: string | undefined;
  /** The transaction to void. Only in a void. */
  transId?: string | undefined;
  invNo?: string | undefined;
  productIndex?: string | undefined;
  promoSale?: string | undefined;
  note?: string | undefined;
  printCount?: number | undefined;
  metadata?: string | undefined;
}

/** The transaction that the terminal should process. */
export interface TransactionRequest {
  /** Ten digits. The numbers of one terminal only increase. */
  requestId: string;
  transType: TransactionType;
  posId: string;
  merchantId: string;
  referenceId: string;
  referenceLabel?: string | undefined;
  currency: string;
  /** The number of the transaction; for a void, of the transaction to void. */
  transId: string;
  transData: RequestDetails;
  /** The terminal does not start a request that it reads after this time. */
  deliverBy: number;
  /** The terminal ends the request by this time. */
  respondBy: number;
}

export interface RequestFrame extends TransactionRequest {
  type: "request";
  /** Counts the sendings of this request, from 1. */
  attempt: number;
  signature: string;
}

/** Asks for the result of a request. */
export interface AskFrame {
  type: "ask";
  requestId: string;
  attempt: number;
}

/** Asks the terminal to stop a request. */
export interface CancelFrame {
  type: "cancel";
  requestId: string;
  attempt: number;
}

/** The gateway has durably stored the result with this status (I4). */
export interface AckFrame {
  type: "ack";
  requestId: string;
  statusCode: StatusCode;
}

/** Sent when the terminal's binding changes. */
export interface BindingFrame extends BindingMembers {
  type: "binding";
}

/** The gateway rejected a frame. */
export interface ErrorFrame {
  type: "error";
  code: FrameError;
  message: string;
  /** The link to the section of the documentation that explains the code. Older gateways do not send it. */
  doc?: string | undefined;
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
  /** A random id, created with the terminal's store and kept with it. */
  memory: string;
  /** The accepted requestIds whose 00 or 11 is not acknowledged yet. */
  open: string[];
  signature: string;
}

/** The request is durably stored and not started yet. */
export interface AcceptedFrame {
  type: "accepted";
  requestId: string;
  attempt: number;
}

/** The terminal will not start this attempt. */
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

/** The outcome of a request. */
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
