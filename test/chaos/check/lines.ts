/** Entries of the journal with the number of their line, which orders them and finds them again. */
import type { Entry } from "../journal.ts";

/** @property line counted from 1 */
export type Line<E extends Entry = Entry> = E & { readonly line: number };

type Of<Kind extends Entry["kind"]> = Line<Extract<Entry, { kind: Kind }>>;

export type RunStarted = Of<"run.started">;
export type QuietBegan = Of<"quiet.began">;
export type TillAsked = Of<"till.asked">;
export type TillAnswered = Of<"till.answered">;
export type TillUnanswered = Of<"till.unanswered">;
export type FaultLine = Of<"fault.began" | "fault.ended">;
export type FeedRead = Of<"feed.read">;
export type WebhookReceived = Of<"webhook.received">;
export type OperatorAsked = Of<"operator.asked">;
export type OperatorAnswered = Of<"operator.answered">;
export type OperatorJournal = Of<"operator.journal">;
export type Searched = Of<"searched">;
export type TerminalForgot = Of<"terminal.forgot">;
export type TerminalEnded = Of<"terminal.ended">;
export type TerminalContradicted = Of<"terminal.contradicted" | "terminal.contradiction-acknowledged">;
/** What a terminal notes about one request. */
export type TerminalLine =
  | Of<
      | "terminal.received"
      | "terminal.accepted"
      | "terminal.started"
      | "terminal.refused"
      | "terminal.reported"
      | "terminal.acknowledged"
    >
  | TerminalEnded
  | TerminalContradicted;
