/** A run's journal, arranged for the checks. It judges nothing. */
import type { Entry, Kind, Wire } from "../journal.ts";
import { type Call, isFinal, keyOf, newCall, statusAnswer } from "./calls.ts";
import { Faults } from "./faults.ts";
import { Reference, type Shown } from "./references.ts";
import { numberAt, objectAt, textAt } from "./wire.ts";

/** An entry of the journal with the number of its line, counted from 1, which orders them and finds them again. */
export type Line<Of extends Kind = Kind> = Entry<Of> & { readonly line: number };

/** What a terminal notes about one request. */
export type TerminalLine = Extract<Line, { requestId: string; terminalId: string }>;

/** An event as its first reader saw it. */
export interface SeenEvent {
  posId: string;
  number: number;
  type: string;
  data: Wire;
  text: string;
  line: Line<"feed.read" | "webhook.received">;
}

export class History {
  readonly lines: readonly Line[];
  readonly run: Line<"run.started"> | null;
  readonly quiet: Line<"quiet.began"> | null;
  /** Whether the journal goes to the run's end: the faults were over, and log and storage were searched. */
  readonly isComplete: boolean;
  readonly end: number;
  readonly faults: Faults;
  readonly calls: readonly Call[];
  readonly references = new Map<string, Reference>();
  /** The lines of each terminal, in order: requests, losses of memory and of power. */
  readonly terminals: ReadonlyMap<string, Line[]>;
  readonly feeds: ReadonlyMap<string, Line<"feed.read">[]>;
  /** Each account's events by number, as they were seen first. */
  readonly events = new Map<string, Map<number, SeenEvent>>();
  /** Transactions of terminals' journals by requestId, as an operator's call shows them. */
  readonly rows = new Map<string, { row: Wire; line: Line<"operator.journal"> }>();
  /** Terminals whose journal was read when all was quiet. */
  readonly journals: ReadonlySet<string>;
  readonly operator: readonly { asked: Line<"operator.asked">; answered: Line<"operator.answered"> | null }[];
  /** `posId/referenceId` by requestId. */
  readonly #keys = new Map<string, string>();

  constructor(entries: Iterable<Entry>) {
    this.lines = [...entries].map((entry, index) => ({ ...entry, line: index + 1 }));
    this.run = this.of("run.started")[0] ?? null;
    this.quiet = this.of("quiet.began")[0] ?? null;
    this.isComplete = this.of("searched").some((line) => this.isAfterQuiet(line));
    this.end = this.lines.at(-1)?.at ?? 0;
    this.faults = new Faults(this.lines);
    const ends = firstByCall(this.of("till.answered", "till.unanswered"));
    this.calls = this.of("till.asked").map((asked) => newCall(asked, ends.get(asked.call) ?? null));
    const answers = firstByCall(this.of("operator.answered"));
    this.operator = this.of("operator.asked").map((asked) => ({ asked, answered: answers.get(asked.call) ?? null }));
    this.terminals = Map.groupBy(this.lines.filter(isOfTerminal), (line) =>
      "terminalId" in line ? line.terminalId : (line.target ?? ""),
    );
    this.feeds = Map.groupBy(this.of("feed.read"), ({ posId }) => posId);
    const journals = this.of("operator.journal");
    this.journals = new Set(journals.filter((line) => this.isAfterQuiet(line)).map(({ terminalId }) => terminalId));

    for (const line of this.of("feed.read", "webhook.received")) {
      for (const event of "events" in line ? line.events : [line.event]) this.#event(line, event);
    }
    for (const line of this.lines) {
      if ("requestId" in line && "terminalId" in line) this.#named(line, line.requestId).terminal.push(line);
    }
    for (const call of this.calls) this.#call(call);
    for (const line of journals) {
      for (const row of line.rows) this.rows.set(textAt(row, "requestId") ?? "", { row, line });
    }
    for (const [requestId, { row, line }] of this.rows) this.#row(requestId, row, line);
    for (const { asked, answered } of this.operator) {
      const { action, requestId, statusCode: status } = asked;
      if (action !== "resolve" || requestId === undefined || status === undefined) continue;
      this.byRequestId(requestId)?.decisions.push({ asked, answered, status });
    }
    const forgotten = this.of("terminal.forgot");
    for (const reference of this.references.values()) {
      const terminals = new Set(reference.calls.map(({ asked }) => asked.request["deviceId"]));
      reference.forgot.push(...forgotten.filter(({ terminalId }) => terminals.has(terminalId)));
      reference.shown.sort((a, b) => a.line.line - b.line.line);
    }
  }

  of<Of extends Kind>(...kinds: readonly Of[]): Line<Of>[] {
    return this.lines.filter(({ kind }) => (kinds as readonly Kind[]).includes(kind)) as unknown as Line<Of>[];
  }

  reference(posId: string, referenceId: string): Reference {
    const key = keyOf(posId, referenceId);
    let found = this.references.get(key);
    if (found === undefined) this.references.set(key, (found = new Reference(posId, key)));
    return found;
  }

  /** The transaction with a number, if anything told whose it is. */
  byRequestId(requestId: string | null): Reference | null {
    return this.references.get(this.#keys.get(requestId ?? "") ?? "") ?? null;
  }

  isAfterQuiet({ line }: { line: number }): boolean {
    return this.quiet !== null && line > this.quiet.line;
  }

  /**
   * Whether this is a 22 that only says that the gateway cannot reach its own record at the moment: the one 22 that may follow a
   * 00 or 11 while something disturbs. A void's answers never have `transData`.
   */
  mayBeOutOfReach({ status, responseCode, answer, askedLine }: Shown): boolean {
    if (answer === null || status !== "22" || responseCode !== "IN_PROGRESS") return false;
    return answer.answer["transData"] === undefined && !this.isAfterQuiet({ line: askedLine });
  }

  /** Whether an account may have been deleted: it is told nothing any more. */
  isDeleted(posId: string): boolean {
    return this.operator.some(
      ({ asked, answered }) => asked.action === "delete" && asked.target === posId && (answered?.status ?? 200) < 400,
    );
  }

  #named({ posId, referenceId }: { posId: string; referenceId: string }, requestId: string): Reference {
    const reference = this.reference(posId, referenceId);
    reference.requestIds.add(requestId);
    if (!this.#keys.has(requestId)) this.#keys.set(requestId, reference.key);
    return reference;
  }

  #event(line: SeenEvent["line"], event: Wire): void {
    const { posId } = line;
    const number = numberAt(event, "number");
    if (number === null) return;
    const events = this.events.get(posId) ?? new Map<number, SeenEvent>();
    this.events.set(posId, events);
    // What others read under a known number must be the same; the feed's checks see to that.
    if (events.has(number)) return;
    const data = objectAt(event, "data") ?? {};
    const type = textAt(event, "type") ?? "";
    events.set(number, { posId, number, type, data, text: JSON.stringify(event), line });
    const referenceId = textAt(data, "referenceId");
    const requestId = textAt(data, "requestId");
    if (referenceId === null || requestId === null) return;
    const { shown } = this.#named({ posId, referenceId }, requestId);
    // An event with 22 tells the past: it may be read after the 00 or 11.
    shown.push(...finalIn(data, line, line.kind === "feed.read" ? "feed" : "webhook"));
  }

  #call(call: Call): void {
    const answer = statusAnswer(call);
    const { posId } = call.asked;
    if (call.sort === "question" && answer !== null) {
      call.about = textAt(answer.answer, "originalReferenceId") ?? call.about;
    }
    if (call.about === null) return;
    const reference = this.reference(posId, call.about);
    reference.calls.push(call);
    if (answer === null) return;
    const { status, line } = answer;
    const responseCode = textAt(answer.answer, "responseCode");
    reference.shown.push({ status, responseCode, askedLine: call.asked.line, line, answer, where: "answer" });
  }

  #row(requestId: string, row: Wire, line: Line): void {
    const [posId, referenceId] = [textAt(row, "posId"), textAt(row, "referenceId")];
    if (posId === null || referenceId === null) return;
    const { shown } = this.#named({ posId, referenceId }, requestId);
    if (row["state"] === "completed") shown.push(...finalIn(objectAt(row, "outcome"), line, "journal"));
  }
}

function firstByCall<Of extends { call: number }>(lines: readonly Of[]): ReadonlyMap<number, Of> {
  return new Map(lines.toReversed().map((line) => [line.call, line]));
}

function isOfTerminal(line: Line): line is TerminalLine | Line<"terminal.forgot" | "fault.began" | "fault.ended"> {
  return line.kind.startsWith("terminal.") || ("fault" in line && line.fault === "power");
}

/** A 00 or 11 that is not an answer. */
function finalIn(told: Wire | null, line: Line, where: Shown["where"]): Shown[] {
  const status = textAt(told, "statusCode");
  if (!isFinal(status)) return [];
  return [{ status, responseCode: textAt(told, "responseCode"), askedLine: line.line, line, answer: null, where }];
}
