/** A run's journal, arranged for the checks. It judges nothing. */
import type { Entry, Wire } from "../journal.ts";
import { type Call, keyOf, newCall, statusAnswer } from "./calls.ts";
import { Faults } from "./faults.ts";
import type { Line, TerminalLine } from "./lines.ts";
import { type Decision, Reference } from "./references.ts";
import { numberAt, objectAt, textAt } from "./wire.ts";

/** An event under its number, as the first reader saw it. */
export interface SeenEvent {
  event: Wire;
  text: string;
  line: Line<"feed.read"> | Line<"webhook.received">;
}

/** A transaction of a terminal's journal, as an operator's call shows it. */
export interface JournalRow {
  terminalId: string;
  row: Wire;
  line: Line<"operator.journal">;
}

export class History {
  readonly run: Line<"run.started"> | null = null;
  /** Where the faults ended. */
  readonly quiet: Line<"quiet.began"> | null = null;
  /** Number of lines. */
  readonly length: number;
  /** Milliseconds from the first line to the last. */
  readonly lasted: number;
  /** `at` of the last line. */
  readonly end: number;
  readonly faults = new Faults();
  readonly calls: Call[] = [];
  readonly references = new Map<string, Reference>();
  /** The lines of each terminal, in order: requests, losses of memory and of power. */
  readonly terminals = new Map<string, Line[]>();
  /** The reads of each account's feed, in order. */
  readonly feeds = new Map<string, Line<"feed.read">[]>();
  /** Deliveries to each account's receiver, in order. */
  readonly webhooks = new Map<string, Line<"webhook.received">[]>();
  /** Each account's events by number, as they were seen first. */
  readonly events = new Map<string, Map<number, SeenEvent>>();
  readonly rows = new Map<string, JournalRow>();
  /** Terminals whose journal was read when all was quiet. */
  readonly journals = new Set<string>();
  readonly operator: { asked: Line<"operator.asked">; answered: Line<"operator.answered"> | null }[] = [];
  readonly searches: Line<"searched">[] = [];
  /** `posId/referenceId` by requestId. */
  readonly keys = new Map<string, string>();

  constructor(entries: Iterable<Entry>) {
    const byCall = new Map<number, Call>();
    const byOperatorCall = new Map<number, (typeof this.operator)[number]>();
    const forgotten: Line<"terminal.forgot">[] = [];
    const reports: TerminalLine[] = [];
    let number = 0;
    let first: number | null = null;
    let last = 0;
    for (const entry of entries) {
      const line: Line = { ...entry, line: ++number };
      first ??= line.at;
      last = line.at;
      this.faults.passes(line);
      switch (line.kind) {
        case "run.started":
          this.run ??= line;
          break;
        case "quiet.began":
          this.quiet ??= line;
          break;
        case "fault.began":
        case "fault.ended":
          this.faults.changes(line);
          if (line.fault === "power") this.#powerLine(line);
          break;
        case "till.asked": {
          const call = newCall(line);
          byCall.set(line.call, call);
          this.calls.push(call);
          break;
        }
        case "till.answered":
        case "till.unanswered": {
          const call = byCall.get(line.call);
          if (call !== undefined) call.end ??= line;
          break;
        }
        case "terminal.forgot":
          push(this.terminals, line.terminalId, line);
          forgotten.push(line);
          break;
        case "feed.read":
          push(this.feeds, line.posId, line);
          for (const event of line.events) this.#event(line, event);
          break;
        case "webhook.received":
          push(this.webhooks, line.posId, line);
          this.#event(line, line.event);
          break;
        case "operator.asked": {
          const asked = { asked: line, answered: null };
          byOperatorCall.set(line.call, asked);
          this.operator.push(asked);
          break;
        }
        case "operator.answered": {
          const asked = byOperatorCall.get(line.call);
          if (asked !== undefined) asked.answered ??= line;
          break;
        }
        case "operator.journal":
          this.#journal(line);
          break;
        case "searched":
          this.searches.push(line);
          break;
        default:
          push(this.terminals, line.terminalId, line);
          reports.push(line);
      }
    }
    this.length = number;
    this.end = last;
    this.lasted = last - (first ?? 0);
    for (const line of reports) this.#report(line);
    this.#answers();
    this.#rows();
    this.#decisions();
    this.#forgot(forgotten);
    for (const { shown } of this.references.values()) shown.sort((a, b) => a.line.line - b.line.line);
  }

  reference(posId: string, referenceId: string): Reference {
    const key = keyOf(posId, referenceId);
    let found = this.references.get(key);
    if (found === undefined) this.references.set(key, (found = new Reference(posId, referenceId, key)));
    return found;
  }

  /** The transaction with a number, if anything told whose it is. */
  byRequestId(requestId: string | null): Reference | null {
    const key = requestId === null ? undefined : this.keys.get(requestId);
    return key === undefined ? null : (this.references.get(key) ?? null);
  }

  /** Whether a line came when nothing disturbed any more. */
  isAfterQuiet({ line }: { line: number }): boolean {
    return this.quiet !== null && line > this.quiet.line;
  }

  /** Whether the journal goes to the run's end: the faults were over, and log and storage were searched. */
  get isComplete(): boolean {
    return this.searches.some((line) => this.isAfterQuiet(line));
  }

  /** Whether an account may have been deleted: it is told nothing any more. */
  isDeleted(posId: string): boolean {
    return this.operator.some(
      ({ asked, answered }) => asked.action === "delete" && asked.target === posId && (answered?.status ?? 200) < 400,
    );
  }

  #powerLine(line: Line & { target?: string }): void {
    const { target } = line;
    for (const terminalId of target === undefined ? (this.run?.terminals ?? []) : [target]) {
      push(this.terminals, terminalId, line);
    }
  }

  #report(line: TerminalLine): void {
    const reference = this.reference(line.posId, line.referenceId);
    reference.terminal.push(line);
    reference.requestIds.add(line.requestId);
    if (!this.keys.has(line.requestId)) this.keys.set(line.requestId, reference.key);
  }

  #event(line: Line<"feed.read"> | Line<"webhook.received">, event: Wire): void {
    const number = numberAt(event, "number");
    if (number === null) return;
    let events = this.events.get(line.posId);
    if (events === undefined) this.events.set(line.posId, (events = new Map()));
    // What others read under a known number must be the same; the feed's checks see to that.
    if (events.has(number)) return;
    events.set(number, { event, text: JSON.stringify(event), line });
    const data = objectAt(event, "data");
    const referenceId = textAt(data, "referenceId");
    const requestId = textAt(data, "requestId");
    const status = textAt(data, "statusCode");
    if (referenceId === null || requestId === null) return;
    const reference = this.reference(line.posId, referenceId);
    reference.requestIds.add(requestId);
    if (!this.keys.has(requestId)) this.keys.set(requestId, reference.key);
    // An event with 22 tells the past: it may be read after the 00 or 11.
    if (status !== "00" && status !== "11") return;
    reference.shown.push({
      status,
      responseCode: textAt(data, "responseCode"),
      askedLine: line.line,
      line,
      answer: null,
      where: line.kind === "feed.read" ? "feed" : "webhook",
    });
  }

  #journal(line: Line<"operator.journal">): void {
    if (this.isAfterQuiet(line)) this.journals.add(line.terminalId);
    for (const row of line.rows) {
      const requestId = textAt(row, "requestId");
      if (requestId !== null) this.rows.set(requestId, { terminalId: line.terminalId, row, line });
    }
  }

  #answers(): void {
    for (const call of this.calls) {
      const found = statusAnswer(call);
      if (call.sort === "question" && found !== null) {
        const original = textAt(found.answer, "originalReferenceId");
        if (original !== null) call.about = keyOf(call.asked.posId, original);
      }
      if (call.about === null) continue;
      const reference = this.reference(call.asked.posId, call.about.slice(call.asked.posId.length + 1));
      reference.calls.push(call);
      if (found === null) continue;
      const { status, answer, line } = found;
      reference.shown.push({
        status,
        responseCode: textAt(answer, "responseCode"),
        askedLine: call.asked.line,
        line,
        answer: found,
        where: "answer",
      });
    }
  }

  #rows(): void {
    for (const [requestId, { row, line }] of this.rows) {
      const posId = textAt(row, "posId");
      const referenceId = textAt(row, "referenceId");
      if (posId === null || referenceId === null) continue;
      const reference = this.reference(posId, referenceId);
      reference.requestIds.add(requestId);
      if (!this.keys.has(requestId)) this.keys.set(requestId, reference.key);
      const outcome = objectAt(row, "outcome");
      const status = textAt(outcome, "statusCode");
      if (row["state"] !== "completed" || (status !== "00" && status !== "11")) continue;
      const responseCode = textAt(outcome, "responseCode");
      reference.shown.push({ status, responseCode, askedLine: line.line, line, answer: null, where: "journal" });
    }
  }

  #decisions(): void {
    for (const { asked, answered } of this.operator) {
      const { requestId, statusCode } = asked;
      if (asked.action !== "resolve" || requestId === undefined || statusCode === undefined) continue;
      const decision: Decision = { asked, answered, requestId, status: statusCode };
      this.byRequestId(requestId)?.decisions.push(decision);
    }
  }

  #forgot(forgotten: readonly Line<"terminal.forgot">[]): void {
    for (const reference of this.references.values()) {
      const terminals = new Set(reference.calls.map(({ asked }) => textAt(asked.request, "deviceId")));
      reference.forgot.push(...forgotten.filter(({ terminalId }) => terminals.has(terminalId)));
    }
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
