/** What was done in a run, in numbers. */
import type { Fault } from "../journal.ts";
import { type Call, typeOf } from "./calls.ts";
import type { History } from "./history.ts";
import { textAt } from "./wire.ts";
import { takenState } from "./references.ts";
import { waitOf } from "./asking-again.ts";

export interface FaultFigures {
  fault: Fault;
  times: number;
  /** Together; several of a kind may be active at once. */
  seconds: number;
}

export interface WaitFigures {
  transType: string;
  calls: number;
  unanswered: number;
  /** Milliseconds; null without an answer. */
  median: number | null;
  p99: number | null;
  longest: number | null;
}

export interface Figures {
  seed: number | null;
  /** Seconds of faults that were asked for. */
  faultSeconds: number | null;
  seconds: number;
  entries: number;
  accounts: number;
  terminals: number;
  references: number;
  requests: number;
  /** `00`, `11`, `22`, an HTTP status or `no answer`, most frequent first. */
  answers: readonly { answer: string; times: number }[];
  waits: readonly WaitFigures[];
  faults: readonly FaultFigures[];
  omitted: readonly { fault: Fault; why: string }[];
  /** An operator's actions that were answered with success. */
  operator: readonly { action: string; times: number; done: number }[];
  /** What the terminals' books have. */
  terminal: {
    received: number;
    started: number;
    approved: number;
    notApproved: number;
    acknowledged: number;
    forgot: number;
  };
  events: number;
  deliveries: { made: number; taken: number };
  decisions: { taken: number; unknown: number };
  searches: readonly { place: string; bytes: number; needles: number }[];
}

export function figuresOf(history: History): Figures {
  const { run, calls, faults, operator } = history;
  const books = [...history.references.values()].flatMap(({ terminal }) => terminal);
  const count = (kind: string): number => books.filter((line) => line.kind === kind).length;
  const ended = books.filter((line) => line.kind === "terminal.ended");
  const deliveries = [...history.webhooks.values()].flat();
  const decisions = [...history.references.values()].flatMap((reference) => reference.decisions.map(takenState));
  return {
    seed: run?.seed ?? null,
    faultSeconds: run?.seconds ?? null,
    seconds: Math.round(history.lasted / 1000),
    entries: history.length,
    accounts: run?.accounts.length ?? 0,
    terminals: run?.terminals.length ?? 0,
    references: [...history.references.values()].filter(({ transfers }) => transfers.length > 0).length,
    requests: calls.length,
    answers: tally(calls.map(answerText)).map(([answer, times]) => ({ answer, times })),
    waits: tally(calls.map(({ asked }) => typeOf(asked))).map(([transType]) =>
      waitFigures(
        transType,
        calls.filter(({ asked }) => typeOf(asked) === transType),
      ),
    ),
    faults: tally(faults.all.map(({ fault }) => fault)).map(([fault, times]) => ({
      fault: fault as Fault,
      times,
      seconds: Math.round(
        faults.all
          .filter((one) => one.fault === fault)
          .reduce((sum, { began, ended: end }) => sum + (end?.at ?? history.end) - began.at, 0) / 1000,
      ),
    })),
    omitted: run?.omitted ?? [],
    operator: tally(operator.map(({ asked }) => asked.action)).map(([action, times]) => ({
      action,
      times,
      done: operator.filter(({ asked, answered }) => asked.action === action && (answered?.status ?? 500) < 300).length,
    })),
    terminal: {
      received: count("terminal.received"),
      started: count("terminal.started"),
      approved: ended.filter(({ statusCode }) => statusCode === "00").length,
      notApproved: ended.filter(({ statusCode }) => statusCode === "11").length,
      acknowledged: count("terminal.acknowledged"),
      forgot: [...history.terminals.values()].flat().filter(({ kind }) => kind === "terminal.forgot").length,
    },
    events: [...history.events.values()].reduce((sum, { size }) => sum + size, 0),
    deliveries: {
      made: deliveries.length,
      taken: deliveries.filter(({ status }) => status >= 200 && status < 300).length,
    },
    decisions: {
      taken: decisions.filter((one) => one === "yes").length,
      unknown: decisions.filter((one) => one === "unknown").length,
    },
    searches: history.searches.map(({ place, bytes, needles }) => ({ place, bytes, needles })),
  };
}

/** How a call ended, in a word or two. */
function answerText({ end }: Call): string {
  if (end?.kind !== "till.answered") return "no answer";
  if (end.status !== 200) return String(end.status);
  return [textAt(end.answer, "statusCode"), textAt(end.answer, "responseCode")].join(" ");
}

function waitFigures(transType: string, calls: readonly Call[]): WaitFigures {
  const waits = calls.flatMap((call) => waitOf(call) ?? []).toSorted((a, b) => a - b);
  const at = (share: number): number | null =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? null;
  return {
    transType,
    calls: calls.length,
    unanswered: calls.length - waits.length,
    median: at(0.5),
    p99: at(0.99),
    longest: waits.at(-1) ?? null,
  };
}

/** Each text with its number, most frequent first. */
function tally(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
