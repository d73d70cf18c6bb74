/** Entries of the journal with the number of their line, which orders them and finds them again. */
import type { Entry, Kind } from "../journal.ts";

/** @property line counted from 1 */
export type Line<Of extends Kind = Kind> = Entry<Of> & { readonly line: number };

export type TerminalEnded = Line<"terminal.ended">;
export type TerminalContradicted = Line<"terminal.contradicted" | "terminal.contradiction-acknowledged">;
/** What a terminal notes about one request. */
export type TerminalLine =
  | Line<"terminal.received" | "terminal.accepted" | "terminal.started" | "terminal.refused">
  | Line<"terminal.reported" | "terminal.acknowledged">
  | TerminalEnded
  | TerminalContradicted;
