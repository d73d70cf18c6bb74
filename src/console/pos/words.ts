/** How a transaction stands, in words. */
import type { PosProblem } from "../../client/pos.ts";
import type { Tone } from "../page/tone.ts";
import { isQuestion, type TransferType } from "../../protocol/transfer-types.ts";
import type { Transaction } from "./till.ts";

export interface Standing {
  tone: Tone;
  /** Two or three words. */
  title: string;
  /** What it means for the money, in a sentence or two. */
  sentence: string;
}

const DONE: Record<TransferType, string> = {
  sale: "Approved",
  cashOut: "Approved",
  void: "Taken back",
  inquiry: "It was approved",
  getLast: "It was approved",
};

export function standingOf({ call, state, messages }: Transaction): Standing {
  switch (state.kind) {
    case "running":
      return { tone: "neutral", title: "In progress", sentence: underWay(state.progress, messages.length) };
    case "failed":
      return {
        tone: state.outcomeUnknown ? "pending" : "bad",
        title: state.outcomeUnknown ? "Not known" : "Not taken",
        sentence: `${saidOf(state.problem)} ${state.outcomeUnknown ? "Send the same again." : "This message moved no money."}`,
      };
    case "answered": {
      const { statusCode, responseCode, responseText } = state.answer;
      const said = responseText === undefined || responseText === "" ? "" : `${responseText.replace(/\.$/, "")}. `;
      switch (statusCode) {
        case "00":
          return { tone: "good", title: DONE[call.transType], sentence: meaningOf00(call.transType) };
        case "11":
          return {
            tone: "bad",
            title: isQuestion(call.transType) ? "It was not approved" : "Not approved",
            sentence: `${responseCode}. ${said}No money was moved, and none will be.`,
          };
        case "22":
          return {
            tone: "pending",
            title: "Not known yet",
            sentence: `${responseCode}. ${said}${responseCode === "UNCONFIRMED" ? OPERATOR : AGAIN}`,
          };
      }
    }
  }
}

const AGAIN = "Send the same again; never try under a new reference.";
const OPERATOR = "Only the operator can settle it; never try under a new reference.";

/** What the gateway found wrong, field by field where it says so. */
function saidOf({ message, details = [] }: PosProblem): string {
  const fields = details.filter(({ path }) => path !== "");
  // Some of the gateway's messages continue the field's name, and have no full stop.
  const said = fields.map((detail) => `${detail.path}: ${detail.message.replace(/\.$/u, "")}.`);
  return fields.length === 0 ? message : said.join(" ");
}

function meaningOf00(transType: TransferType): string {
  switch (transType) {
    case "sale":
    case "cashOut":
      return "Money was moved.";
    case "void":
      return "The money goes back.";
    case "inquiry":
    case "getLast":
      return "Compare originalReferenceId before you believe it.";
  }
}

function underWay(progress: { pending: unknown; problem: PosProblem | null } | null, sent: number): string {
  if (progress === null || sent === 0) return "The message is being signed.";
  if (progress.problem !== null) return `${progress.problem.message} The same is sent again.`;
  if (progress.pending !== null) return "A 22 came back: not known yet. The same is sent again until it is.";
  return "The gateway holds its answer back until the terminal is done.";
}

/** `12:30:05`, in the browser's own time. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

/** `0.42 s` below ten seconds, whole seconds above. */
export function seconds(milliseconds: number): string {
  return milliseconds < 9_950 ? `${(milliseconds / 1_000).toFixed(2)} s` : `${Math.round(milliseconds / 1_000)} s`;
}
