/** Everything that the journal has about one reference of one account. */
import { type Call, type FinalStatus, isFinal, type StatusAnswer, type StatusCode } from "./calls.ts";
import type { Line, TerminalLine } from "./history.ts";

export interface Shown {
  status: StatusCode;
  /** The gateway's reason, where it was shown. */
  responseCode: string | null;
  /** Line of the question; for what is read later, the line of the reading. */
  askedLine: number;
  line: Line;
  /** Null for the feed, a webhook or the operator's journal. */
  answer: StatusAnswer | null;
  where: "answer" | "feed" | "webhook" | "journal";
}

export class Reference {
  readonly key: string;
  readonly posId: string;
  /** Sales, cashOuts, voids and cancels with this reference, and questions about it. */
  readonly calls: Call[] = [];
  readonly terminal: TerminalLine[] = [];
  readonly shown: Shown[] = [];
  readonly decisions: Decision[] = [];
  /** When a terminal that was asked for it lost its memory. */
  readonly forgot: Line<"terminal.forgot">[] = [];
  /** Its numbers at terminals, in the feed and in the operator's journals. */
  readonly requestIds = new Set<string>();

  constructor(posId: string, key: string) {
    this.posId = posId;
    this.key = key;
  }

  /** The calls that may start something: sale, cashOut, void. */
  get transfers(): Call[] {
    return this.calls.filter(({ sort }) => sort === "payment" || sort === "void");
  }

  of<Of extends TerminalLine["kind"]>(kind: Of): (TerminalLine & { kind: Of })[] {
    return this.terminal.filter((line): line is TerminalLine & { kind: Of } => line.kind === kind);
  }

  /** The terminal's own account of money that moved. */
  get moved(): Line<"terminal.ended">[] {
    return this.of("terminal.ended").filter(({ statusCode }) => statusCode === "00");
  }

  get firstFinal(): Shown | null {
    return this.shown.find(({ status }) => status !== "22") ?? null;
  }

  /** Whether an operator may have made this status so before a line: it is then not the terminal's word. */
  mayBeDecided(status: StatusCode, before: number): boolean {
    return this.decisions.some((one) => one.status === status && one.asked.line < before && takenState(one) !== "no");
  }

  get acknowledged(): { line: TerminalLine; status: FinalStatus } | null {
    return (
      this.of("terminal.acknowledged")
        .flatMap((line) => (isFinal(line.statusCode) ? [{ line, status: line.statusCode }] : []))
        .at(0) ?? null
    );
  }

  /** Whether its terminal lost its memory before a 00 or 11 was acknowledged: then only the operator can resolve a 22. */
  get mayBeForgotten(): boolean {
    const end = this.acknowledged?.line.line ?? Infinity;
    const begin = this.calls[0]?.asked.line ?? 0;
    return this.forgot.some(({ line }) => line > begin && line < end);
  }

  /**
   * A reference that was asked about or cancelled before its request arrived ends as 11 CANCELLED: nothing with this
   * reference is ever sent to a terminal, and there is no transaction to record.
   */
  get mayBeTombstone(): boolean {
    return this.terminal.length === 0 && this.calls.some(({ sort }) => sort === "cancel" || sort === "question");
  }
}

export interface Decision {
  asked: Line<"operator.asked">;
  answered: Line<"operator.answered"> | null;
  status: FinalStatus;
}

/** `unknown`: the answer was lost, or was an error after which the decision may stand. */
export function takenState({ answered }: Decision): "yes" | "no" | "unknown" {
  const status = answered?.status ?? null;
  if (status === null || status >= 500) return "unknown";
  return status < 300 ? "yes" : "no";
}
