/**
 * A run that was stopped anywhere can be repeated: no secret is lost, and no terminal that somebody else has enrolled
 * gets a new one.
 */
import { inParallel } from "../bounds/parallel.ts";
import type { WantedTerminal } from "./csv.ts";

/** Other operators call the gateway too. */
const AT_ONCE = 5;

export interface Enrolled {
  terminalId: string;
  /** `taken`: the terminal already existed and was not changed. `refused`: the gateway does not accept the line. */
  outcome: "enrolled" | "enrolled before" | "taken" | "refused";
  detail: string | null;
}

export type EnrolmentAnswer =
  { kind: "enrolled"; secret: string } | { kind: "taken" } | { kind: "refused"; problem: string };

/** Throws if the run cannot continue. */
export type Enrol = (terminal: WantedTerminal & { enrolmentId: string }) => Promise<EnrolmentAnswer>;

/** Survives a run that is stopped. Each note is durable when its promise resolves. */
export interface EnrolmentMemory {
  /** Whether a run has the terminal's secret. */
  isDone: (terminalId: string) => boolean;
  /** Returns the id that an earlier run began the enrolment with, or a new one. */
  begin: (terminalId: string) => Promise<string>;
  noteSecret: (terminalId: string, secret: string) => Promise<void>;
}

/** In parallel. Rejects with the first failed call when the others have ended. */
export async function enrolAll(
  wanted: readonly WantedTerminal[],
  enrol: Enrol,
  memory: EnrolmentMemory,
  onOutcome: (enrolled: Enrolled) => void,
): Promise<Enrolled[]> {
  const failures: unknown[] = [];
  const enrolled = await inParallel(wanted, AT_ONCE, async (terminal) => {
    if (failures.length > 0) return null;
    try {
      const one = await enrolOne(terminal, enrol, memory);
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

/** The merchants for which `hasAccount` finds no account: nobody can bind their terminals. */
export async function merchantsWithout(
  wanted: readonly WantedTerminal[],
  hasAccount: (merchantId: string) => Promise<boolean>,
): Promise<string[]> {
  const merchants = [...new Set(wanted.flatMap(({ merchantId }) => merchantId ?? []))];
  const known = await inParallel(merchants, AT_ONCE, hasAccount);
  return merchants.filter((_, index) => known[index] !== true);
}

async function enrolOne(terminal: WantedTerminal, enrol: Enrol, memory: EnrolmentMemory): Promise<Enrolled> {
  const { terminalId } = terminal;
  if (memory.isDone(terminalId)) return { terminalId, outcome: "enrolled before", detail: null };
  // If a run was stopped before it had the secret, the same enrolment gets another one.
  const answer = await enrol({ ...terminal, enrolmentId: await memory.begin(terminalId) });
  switch (answer.kind) {
    case "enrolled":
      await memory.noteSecret(terminalId, answer.secret);
      return { terminalId, outcome: "enrolled", detail: null };
    case "taken":
      return { terminalId, outcome: "taken", detail: null };
    case "refused":
      return { terminalId, outcome: "refused", detail: answer.problem };
  }
}
