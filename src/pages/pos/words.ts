import type { PosError, PosProblem, StageMessage, TransferAnswer } from "../../sdk/client/pos.ts";
import { stageWords } from "../../sdk/client/pos/stage-words.ts";
import { QUEUE_WAIT } from "../../protocol/limits.ts";
import { clockTime } from "../page/signals.ts";
import type { Tone } from "../page/declared.ts";
import { isQuestion, type TransferType } from "../../protocol/transfer-types.ts";
import type { PageTransaction } from "./pos-model.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

export interface OutcomeText {
  tone: Tone;
  /** Two or three words. */
  title: string;
  /** What it means for the money, in a sentence or two. The page itself adds the warning of a pending one. */
  sentence: string;
}

const DONE: Record<TransferType, string> = {
  sale: "Approved",
  cashOut: "Approved",
  void: "Voided",
  inquiry: "It was approved",
  getLast: "It was approved",
};

export function outcomeTextFor(
  { call, state, stages, messages }: PageTransaction,
  terminal: KnownTerminal = UNKNOWN,
): OutcomeText {
  switch (state.kind) {
    case "running": {
      const sentence =
        progressText(state.progress, messages.length) ?? `${atTerminal(call.transType, stages, terminal)}.`;
      return isPending(state.progress)
        ? { tone: "pending", title: "Pending", sentence }
        : { tone: "neutral", title: "In progress", sentence };
    }
    case "failed": {
      const said = quoteMessage(state.problem);
      return {
        tone: state.next === "none" ? "bad" : "pending",
        title: state.next === "none" ? "Not accepted" : "Pending",
        sentence: state.next === "none" ? `${said} ${NEXT.none}` : `${NEXT[state.next]} ${said}`,
      };
    }
    case "answered":
      return answerStanding(call.transType, state.answer);
  }
}

function answerStanding(transType: TransferType, answer: TransferAnswer): OutcomeText {
  const { statusCode, responseCode, responseText = "" } = answer;
  const said = responseText === "" ? "" : `${responseText.replace(/\.$/, "")}. `;
  switch (statusCode) {
    case "00":
      return { tone: "good", title: DONE[transType], sentence: meaningOf00(transType) };
    case "11":
      return {
        tone: "bad",
        title: isQuestion(transType) ? "It was not approved" : "Not approved",
        sentence: `${responseCode}. ${said}No money moved, and none will.`,
      };
    case "22":
      return {
        tone: "pending",
        title: "Pending",
        sentence: `${responseCode}. ${said}${responseCode === "UNCONFIRMED" ? OPERATOR : AGAIN}`,
      };
  }
}

const AGAIN = "Send the same request again. Never use a new reference.";
const NEXT: Record<PosError["next"], string> = {
  again: "Send the same request again.",
  inquiry: "Choose Inquire for its outcome.",
  transactions: "Look for it in the account's transactions.",
  none: "This message moved no money.",
};
const OPERATOR = "Only the operator can resolve it. Never use a new reference.";

function quoteMessage({ message, details = [] }: PosProblem): string {
  const fields = details.filter(({ path }) => path !== "");
  // Some of the gateway's messages continue the field's name and have no full stop.
  const said = fields.map((detail) => `${detail.path}: ${detail.message.replace(/\.$/u, "")}.`);
  return fields.length === 0 ? message : said.join(" ");
}

function meaningOf00(transType: TransferType): string {
  switch (transType) {
    case "sale":
    case "cashOut":
      return "Paid.";
    case "void":
      return "The money is returned.";
    case "inquiry":
    case "getLast":
      return "Compare originalReferenceId before you trust it.";
  }
}

type Progress = { pending: unknown; problem: PosProblem | null } | null;

/** Whether the gateway has answered 22. */
function isPending(progress: Progress): boolean {
  return progress !== null && progress.pending !== null;
}

/** Null if the stages say more. */
function progressText(progress: Progress, sent: number): string | null {
  if (progress === null || sent === 0) return "Signing the message.";
  if (progress.problem !== null) return `${progress.problem.message} Sending it again.`;
  if (progress.pending !== null) return "The request is sent again until the outcome is known (22).";
  return null;
}

export interface KnownTerminal {
  /** It is null if that is unknown at the moment. */
  isConnected: boolean | null;
  /** How long a request lives at this gateway. */
  requestLife: Milliseconds;
  /** The zone of the page's clock. */
  timeZone: string;
}

const UNKNOWN: KnownTerminal = { isConnected: null, requestLife: 0, timeZone: "UTC" };

/** Without a full stop. */
function atTerminal(
  transType: TransferType,
  stages: readonly StageMessage[],
  { isConnected, requestLife, timeZone }: KnownTerminal,
): string {
  const last = stages.at(-1);
  const [first] = stages;
  if (last === undefined || first === undefined) return "Waiting for the gateway";
  if (isConnected !== false || last.stage === "received") return stageWords(last.stage, transType);
  const end = last.stage === "queued" ? Date.parse(last.at) + QUEUE_WAIT : Date.parse(first.at) + requestLife;
  return `Terminal lost its connection; waiting until ${clockTime(end, timeZone)}`;
}
