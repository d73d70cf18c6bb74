/** A run's journal, arranged for the rules. It judges nothing, and shares no code with the run or the gateway. */

export type Wire = Readonly<Record<string, unknown>>;

/**
 * One entry of the journal; `line` counts from 1, `at` is in milliseconds. Which members it has depends on its kind:
 * - `run`, `quiet` (the faults are over), `fault` and `fault.over`, `searched` (for secrets);
 * - `asked`, `answered`, `unanswered`: the messages of POSes, paired by `call`;
 * - `terminal`: what passed a terminal's wire, or what it did; `money`: what the acquirer's host did, which is the truth;
 * - `read`, `delivered`: what an account received; `rows`: what the operator read at the end;
 * - `deciding`, `decided` (paired by `call`; status 0: no answer came) and `deleted`: what the operator did.
 */
export type Line = Readonly<
  Record<"line" | "at" | "call" | "status" | "bytes" | "needles", number> &
    Record<"kind" | "posId" | "referenceId" | "requestId" | "transType" | "statusCode" | "terminalId", string> &
    Record<"event" | "path" | "id" | "place" | "fault", string> &
    Record<"isSigned" | "hungUp", boolean> &
    Record<"message" | "entry" | "query" | "body", Wire> & {
      answer: Wire | null;
      rows: readonly Wire[];
      found: readonly string[];
    }
>;

/** What is found at a path of members: a text or a number written out; null without one. */
export function text(wire: unknown, ...path: readonly string[]): string | null {
  const found = path.reduce<unknown>((value, name) => (value as Wire | undefined)?.[name], wire ?? undefined);
  if (typeof found === "number") return String(found);
  return typeof found === "string" && found !== "" ? found : null;
}

export function list(wire: unknown, name: string): readonly Wire[] {
  const found = (wire as Wire | null | undefined)?.[name];
  return Array.isArray(found) ? (found as Wire[]) : [];
}

/** Hundredths of `transAmt`, and of the cash that is paid out with it. */
export function hundredths(wire: unknown): number {
  return Math.round((Number(text(wire, "transAmt")) + Number(text(wire, "cashAmt"))) * 100);
}

/** A message of a POS and what came of it; `end` is null if the run ended before. */
export interface Call {
  readonly asked: Line;
  readonly end: Line | null;
  /** `cancel`, or the type of a transfer. */
  readonly type: string;
  readonly isTransfer: boolean;
  /** An answer 200 with a status. */
  readonly answer: Wire | null;
  /** 400 to 499: the gateway has not taken this message. */
  readonly isRefused: boolean;
}

function newCall(asked: Line, end: Line | null): Call {
  const type = asked.path === "/api/transfer/cancel" ? "cancel" : String(asked.message["transType"]);
  const { status = 0, answer = null } = end ?? {};
  const isTransfer = type === "sale" || type === "cashOut" || type === "void";
  const isRefused = status >= 400 && status < 500;
  return { asked, end, type, isTransfer, isRefused, answer: status === 200 ? answer : null };
}

/** A status that somebody received, with the line of the question; `call` is null for an event or the operator's rows. */
export interface Shown {
  readonly status: string;
  readonly code: string | null;
  readonly line: Line;
  readonly asked: number;
  readonly call: Call | null;
}

/** What an operator decided; `taken` is the line of the answer. `unknown`: it was lost, and the decision may stand. */
interface Decision {
  readonly asked: Line;
  readonly status: string;
  readonly taken: number | "unknown" | "no";
}

/** Everything that the journal has about one reference of one account. `moved` is in hundredths; negative: paid back. */
export class Reference {
  readonly calls: Call[] = [];
  readonly terminal: Line[] = [];
  readonly moved: { line: Line; amount: number }[] = [];
  readonly shown: Shown[] = [];
  readonly decisions: Decision[] = [];
  readonly requestIds = new Set<string>();
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  get transfers(): Call[] {
    return this.calls.filter(({ isTransfer }) => isTransfer);
  }

  of(...events: string[]): Line[] {
    return this.terminal.filter(({ event }) => events.includes(event));
  }

  /** The first 00 or 11 that somebody received. */
  get final(): Shown | null {
    return this.shown.find(({ status }) => status !== "22") ?? null;
  }

  /** The first 00 or 11 of its terminal that the gateway has acknowledged, if no operator may have decided before. */
  get acknowledged(): Line | null {
    const line = this.of("acknowledged").find(({ statusCode }) => statusCode !== "22");
    if (line === undefined) return null;
    return this.decisions.some(({ asked, taken }) => taken !== "no" && asked.line < line.line) ? null : line;
  }

  /** Whether an operator may have made this status so before a line: it is then not the terminal's word. */
  mayBeDecided(status: string, before: number): boolean {
    return this.decisions.some((one) => one.status === status && one.asked.line < before && one.taken !== "no");
  }

  /** Cancelled or asked about before its request came: 11 CANCELLED, and no transaction. */
  get mayBeTombstone(): boolean {
    const isAsked = this.calls.some(({ isTransfer }) => !isTransfer);
    return this.terminal.length === 0 && isAsked && this.final?.code === "CANCELLED";
  }
}

/** An event as its first reader saw it. */
export interface Seen {
  readonly number: number;
  readonly type: string;
  readonly data: Wire;
  readonly text: string;
  readonly line: Line;
}

export class History {
  readonly lines: readonly Line[];
  readonly calls: readonly Call[];
  readonly references = new Map<string, Reference>();
  /** Each account's events by number. */
  readonly events = new Map<string, Map<number, Seen>>();
  /** Transactions by requestId, as the operator is shown them at the end. */
  readonly rows = new Map<string, { row: Wire; line: Line }>();
  readonly quiet: number;
  /** Whether the journal goes to the run's end. */
  readonly isComplete: boolean;
  /** `posId/referenceId` by requestId. */
  readonly #keys = new Map<string, string>();

  constructor(journal: string) {
    this.lines = journal.split("\n").flatMap((one, index) => parsed(one, index + 1));
    this.quiet = this.of("quiet")[0]?.line ?? Infinity;
    this.isComplete = this.of("searched").length === 3;
    const received = this.of("terminal").filter(({ event }) => event === "received");
    for (const { posId, referenceId, requestId } of received) this.#name(posId, referenceId, requestId);
    for (const line of this.of("read", "delivered")) for (const event of eventsIn(line)) this.#event(line, event);
    for (const line of this.of("rows")) for (const row of line.rows) this.#row(line, row);
    for (const line of this.of("terminal")) this.byRequestId(line.requestId)?.terminal.push(line);
    for (const line of this.of("money")) this.#money(line);
    const ends = new Map(this.of("answered", "unanswered").map((line) => [line.call, line]));
    this.calls = this.of("asked").map((asked) => newCall(asked, ends.get(asked.call) ?? null));
    for (const call of this.calls) this.#call(call);
    const decided = new Map(this.of("decided").map((line) => [line.call, line]));
    for (const asked of this.of("deciding")) {
      const { status = 0, line = 0 } = decided.get(asked.call) ?? {};
      const taken = status === 0 || status >= 500 ? "unknown" : status < 300 ? line : "no";
      this.byRequestId(asked.requestId)?.decisions.push({ asked, status: asked.statusCode, taken });
    }
    for (const { shown } of this.references.values()) shown.sort((a, b) => a.line.line - b.line.line);
  }

  of(...kinds: readonly string[]): Line[] {
    return this.lines.filter(({ kind }) => kinds.includes(kind));
  }

  byRequestId(requestId: unknown): Reference | null {
    return this.references.get(this.#keys.get(String(requestId)) ?? "") ?? null;
  }

  reference(posId: unknown, referenceId: unknown): Reference {
    const key = `${String(posId)}/${String(referenceId)}`;
    const known = this.references.get(key) ?? new Reference(key);
    this.references.set(key, known);
    return known;
  }

  #name(posId: unknown, referenceId: unknown, requestId: string): Reference {
    const reference = this.reference(posId, referenceId);
    reference.requestIds.add(requestId);
    this.#keys.set(requestId, this.#keys.get(requestId) ?? reference.key);
    return reference;
  }

  #event(line: Line, event: Wire): void {
    const own = this.events.get(line.posId) ?? new Map<number, Seen>();
    this.events.set(line.posId, own);
    const [number, data] = [Number(event["number"]), event["data"] as Wire];
    // A ping is not an event.
    if (!Number.isInteger(number) || own.has(number)) return;
    own.set(number, { number, type: String(event["type"]), data, text: JSON.stringify(event), line });
    const requestId = text(data, "requestId");
    if (requestId !== null) show(this.#name(line.posId, data["referenceId"], requestId), data, line);
  }

  #row(line: Line, row: Wire): void {
    const requestId = String(row["requestId"]);
    this.rows.set(requestId, { row, line });
    show(this.#name(row["posId"], row["referenceId"], requestId), row["outcome"], line);
  }

  #money(line: Line): void {
    const { kind, requestId, transId } = line.entry;
    const moved = this.byRequestId(requestId)?.moved;
    if (kind === "charge") moved?.push({ line, amount: hundredths(line.entry) });
    if (kind === "void") moved?.push({ line, amount: -(this.byRequestId(transId)?.moved[0]?.amount ?? 0) });
  }

  #call(call: Call): void {
    const { asked, answer, end, type } = call;
    const named = text(asked.message, "transData", "referenceId");
    const own = type === "getLast" ? null : text(asked.message, "referenceId");
    const about = text(answer, "originalReferenceId") ?? named ?? own;
    if (about === null) return;
    const { calls, shown } = this.reference(asked.posId, about);
    calls.push(call);
    const status = text(answer, "statusCode");
    if (status === null || end === null) return;
    shown.push({ status, code: text(answer, "responseCode"), line: end, asked: asked.line, call });
  }
}

/** The events that an account received. */
export function eventsIn({ kind, path, answer, body }: Line): readonly Wire[] {
  if (kind === "delivered") return [body];
  return path === "/api/events" ? list(answer, "data") : [];
}

/** Notes a 00 or 11. An event with 22 is about the past: it may be read after the 00 or 11. */
function show({ shown }: Reference, reported: unknown, line: Line): void {
  const status = text(reported, "statusCode");
  if (status === null || status === "22") return;
  shown.push({ status, code: text(reported, "responseCode"), line, asked: line.line, call: null });
}

/** A last line that was cut off, because the run was killed while it wrote, is left out. */
function parsed(json: string, line: number): Line[] {
  try {
    return [{ ...(JSON.parse(json) as Line), line }];
  } catch {
    return [];
  }
}
