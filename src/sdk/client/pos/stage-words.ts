import type { TransferStage } from "../../../protocol/stages.ts";
import { needsTarget, type TransferType } from "../../../protocol/transfer-types.ts";

const WORDS: Record<TransferStage, string> = {
  received: "The gateway has the request",
  queued: "Waiting for the terminal to be free, or to reconnect",
  sent: "Sent to the terminal",
  accepted: "The terminal has the request",
  present: "Waiting for the customer's card or phone",
  reading: "Reading the card",
  pin: "Customer is entering the PIN",
  scan: "Scanning the code",
  authorising: "Asking the bank",
  printing: "Printing the receipt",
};

/** For a POS's screen, without a full stop. Nobody pays for a void: the terminal asks whether to make it. */
export function stageWords(stage: TransferStage, transType: TransferType = "sale"): string {
  return stage === "present" && needsTarget(transType) ? "Waiting for OK at the terminal" : WORDS[stage];
}
