/**
 * Enrols many terminals. A run that was stopped anywhere can be repeated: no secret is lost, and no terminal that
 * somebody else has enrolled gets a new one.
 */
import { inParallel } from "../bounds/parallel.ts";
import type { WantedTerminal } from "./csv.ts";

/** Enrolments at the same time; other operators call the gateway as well. */
const AT_ONCE = 5;

export interface Enrolled {
  terminalId: string;
  /** `taken`: the terminal already existed and was not changed. `refused`: the gateway does not accept the line. */
  outcome: "enrolled" | "enrolled before" | "taken" | "refused";
  detail: string | null;
}

export type EnrolmentAnswer =
  { kind: "enrolled"; secret: string } | { kind: "taken" } | { kind: "refused"; problem: string };

/** The calls. Each throws if the run cannot continue. */
export interface EnrolmentCalls {
  /** null: there is no such terminal. */
  find: (terminalId: string) => Promise<{ status: string } | null>;
  enrol: (terminal: WantedTerminal) => Promise<EnrolmentAnswer>;
  newSecret: (terminalId: string) => Promise<EnrolmentAnswer>;
}

/** What survives a run that is stopped. Each note is durable when its promise resolves. */
export interface EnrolmentMemory {
  /** Whether a run has its secret. */
  isDone: (terminalId: string) => boolean;
  /** Whether a run has begun it and has not left it since. */
  isBegun: (terminalId: string) => boolean;
  begin: (terminalId: string) => Promise<void>;
  /** Notes that it does not belong to this run: somebody else has it, or the gateway does not accept it. */
  leave: (terminalId: string) => Promise<void>;
  noteSecret: (terminalId: string, secret: string) => Promise<void>;
}

/** Enrols what is not enrolled yet, in parallel. Rejects with the first failed call when the others have ended. */
export async function enrolAll(
  wanted: readonly WantedTerminal[],
  calls: EnrolmentCalls,
  memory: EnrolmentMemory,
  onOutcome: (enrolled: Enrolled) => void,
): Promise<Enrolled[]> {
  const failures: unknown[] = [];
  const enrolled = await inParallel(wanted, AT_ONCE, async (terminal) => {
    if (failures.length > 0) return null;
    try {
      const one = await enrolOne(terminal, calls, memory);
      onOutcome(one);
      return one;
    } catch (error) {
      failures.push(error);
      return null;
    }
  });
  if (failures.length > 0) throw failures[0];
  return enrolled.filter((one) => one !== null);
}

async function enrolOne(terminal: WantedTerminal, calls: EnrolmentCalls, memory: EnrolmentMemory): Promise<Enrolled> {
  const { terminalId } = terminal;
  if (memory.isDone(terminalId)) return { terminalId, outcome: "enrolled before", detail: null };
  const known = await calls.find(terminalId);
  if (known !== null && !memory.isBegun(terminalId)) {
    return { terminalId, outcome: "taken", detail: known.status === "retired" ? "It is retired." : null };
  }
  if (known === null) await memory.begin(terminalId);
  // A run that was stopped had begun it and never received the secret, so nobody has that secret.
  const answer = await (known === null ? calls.enrol(terminal) : calls.newSecret(terminalId));
  switch (answer.kind) {
    case "enrolled":
      await memory.noteSecret(terminalId, answer.secret);
      return { terminalId, outcome: "enrolled", detail: null };
    case "taken":
      await memory.leave(terminalId);
      return { terminalId, outcome: "taken", detail: null };
    case "refused":
      await memory.leave(terminalId);
      return { terminalId, outcome: "refused", detail: answer.problem };
  }
}
