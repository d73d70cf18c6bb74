/**
 * The words of the model: what happens in the world (actions), what of it reaches the gateway (calls), and what the
 * gateway says back (outputs). All of them are plain JSON, so that a history can be printed and played again.
 */
import type { RefusalReason } from "../../src/protocol/frames.ts";
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import type { TransactionType } from "../../src/protocol/transfer-types.ts";

export type Message =
  | { kind: "sale" | "cashOut"; pos: string; reference: string; amount: string; inactive?: true }
  | { kind: "void"; pos: string; reference: string; transId: number }
  | { kind: "inquiry"; pos: string; reference: string; transId?: number; named?: string }
  | { kind: "getLast"; pos: string; reference: string }
  | { kind: "cancel"; pos: string; reference: string };

/** What a terminal does about the request that it works on, or about one that it clears up with its host. */
export type Work =
  /** A stage is shown, nothing has happened yet. */
  | "progress"
  /** The card is presented: from here on money may move. */
  | "present"
  | "approve"
  /** Charged, and the terminal reports another amount than it was asked for. */
  | "approve-otherwise"
  | "decline"
  /** Charged, but the host's answer is lost: 22. */
  | "approve-unheard"
  /** Not charged yet, and the host's answer is lost: 22, it may still become either. */
  | "unheard"
  /** Charged, and reversed before anything was reported: 11. */
  | "approve-reverse"
  | "customer-cancels"
  /** The terminal's own time is over. */
  | "time-over"
  /** A 22 is cleared up with the host: it says 00, or the charge, if there is one, is reversed. */
  | "clear-00"
  | "clear-11"
  /** The result as it stands is sent once more. */
  | "resend";

/** Everything that can happen. An action that means nothing in the state it meets does nothing. */
export type Action =
  /**
   * A POS sends a message. `detached`: it does not wait at all.
   * `together`: what follows happens in the same moment, before anything of this has come to rest. `heldUp`: for how
   * many milliseconds it was on its way to the object; below 0: the Worker's clock is ahead by as much.
   */
  | { do: "ask"; message: Message; detached?: true; together?: true; heldUp?: number }
  | { do: "hang-up"; ask: number }
  /** The POS had chosen a shorter wait, which is over. */
  | { do: "give-up"; ask: number }
  /** The Worker of an asker whose call or socket broke asks again. */
  | { do: "resubmit"; ask: number }
  /** The device leaves every earlier connection and opens a new one. `skew`: how far its clock is off, in ms. */
  | { do: "connect"; device: number; skew: number }
  | { do: "abandon"; device: number }
  /** The next frame of the connection reaches the gateway. */
  | { do: "up"; connection: number }
  /** The device reads the next frame of its connection. */
  | { do: "down"; device: number; refuse?: "unsupported" | "busy" }
  /** Everything in transit is lost, in both directions, and neither end is notified. */
  | { do: "cut"; connection: number }
  /** The gateway learns that the connection is gone. */
  | { do: "end"; connection: number }
  /** The last two frames of the device change places. */
  | { do: "reorder"; connection: number }
  /** A frame is read from a connection that the device should have stopped reading. */
  | { do: "leak"; connection: number }
  /** A refusal of a request that was stuck in an earlier connection is sent on the current one. */
  | { do: "stale-refusal"; connection: number; reason: RefusalReason }
  | { do: "work"; device: number; requestId: number; what: Work }
  | { do: "heartbeat"; device: number }
  | { do: "reboot"; device: number }
  /** The device is gone permanently, with its memory. */
  | { do: "scrap"; device: number }
  | { do: "forge"; device: number; frame: UpFrame }
  /** Sets the clock. It does not fire the alarm. */
  | { do: "time"; to: number }
  | { do: "alarm" }
  | { do: "crash" }
  | { do: "hibernate" }
  | { do: "resolve"; requestId: number; statusCode: "00" | "11" }
  | { do: "suspend"; pos: string }
  /** A Worker says that this account may ask for a payment soon: in time, late, again, or with nothing behind it. */
  | { do: "prepare"; pos: string }
  | { do: "rebind"; pos: string };

export type UpFrame =
  | { type: "hello"; nonce: string; memory: string; open: number[] }
  | { type: "accepted"; requestId: number; attempt: number }
  | { type: "refused"; requestId: number; attempt: number; reason: RefusalReason }
  | { type: "progress"; requestId: number; stage: "present" }
  | {
      type: "result";
      requestId: number;
      statusCode: StatusCode;
      /** Named only if it differs from the one asked for. */
      amount?: string;
      /** The signature does not hold. */
      forged?: true;
    }
  | { type: "ping" }
  | { type: "pong" };

/** A frame to a terminal, or the end of its connection. */
export type DownFrame =
  | { type: "welcome"; nonce: string; serverTime: number; posId: string | null }
  | { type: "ready" }
  | {
      type: "request";
      requestId: number;
      attempt: number;
      transType: TransactionType;
      posId: string;
      referenceId: string;
      transId: number;
      amount: string | null;
      deliverBy: number;
      respondBy: number;
    }
  | { type: "ask"; requestId: number; attempt: number }
  | { type: "cancel"; requestId: number; attempt: number }
  | { type: "ack"; requestId: number; statusCode: StatusCode }
  | { type: "binding"; posId: string | null }
  | { type: "error"; code: string; requestId: number | null }
  | { type: "ping" }
  | { type: "pong" }
  | { type: "close"; code: number };

export type RequestFrame = Extract<DownFrame, { type: "request" }>;

/** What an action amounts to for the gateway. */
export type Call =
  | {
      kind: "ask";
      ask: number;
      message: Message;
      detached: boolean;
      together: boolean;
      /** When the Worker says that it arrived there. */
      arrivedAt: number;
    }
  | { kind: "hang-up" | "give-up" | "resubmit"; ask: number }
  | { kind: "open" | "end"; connection: number }
  | { kind: "frame"; connection: number; frame: UpFrame }
  | { kind: "time"; now: number }
  | { kind: "alarm" | "crash" | "hibernate" }
  | { kind: "resolve"; requestId: number; statusCode: "00" | "11" }
  | { kind: "suspend" | "rebind" | "prepare"; pos: string };

export type Answer =
  | {
      kind: "status";
      statusCode: StatusCode;
      responseCode: string;
      /** The transaction that it is about. */
      posId: string;
      referenceId: string;
      /** null if the answer does not say. */
      requestId: number | null;
      /** The whole outcome as text: a final one never changes, not in a single letter. */
      frozen: string;
    }
  | { kind: "refused"; code: number };

export type Output =
  | { kind: "frame"; connection: number; frame: DownFrame }
  | { kind: "answer"; ask: number; answer: Answer }
  /** The asker's Worker has to ask again. */
  | { kind: "broken"; ask: number }
  | { kind: "resolved"; requestId: number; done: boolean }
  | { kind: "rebound"; pos: string; done: boolean };

/** One account's one reference: the unit of "at most once". */
export function keyOf(posId: string, referenceId: string): string {
  return `${posId}/${referenceId}`;
}

export function startsTransaction({ kind }: Message): boolean {
  return kind === "sale" || kind === "cashOut" || kind === "void";
}
