import type { EnrolmentAnswer, EnrolmentCalls } from "../../../enrolment/enrol.ts";
import type { TerminalSecret } from "../answers.ts";
import { isCallError, problemOf } from "../calls.ts";
import type { Calls } from "../calls.ts";

/** The call of an enrolment, made by the signed-in operator. */
export function enrolmentCalls(calls: Calls): EnrolmentCalls {
  return {
    enrol: (terminal) => answerOf(() => calls.send<TerminalSecret>("POST", "/terminals", terminal)),
  };
}

async function answerOf(call: () => Promise<TerminalSecret>): Promise<EnrolmentAnswer> {
  try {
    return { kind: "enrolled", secret: (await call()).secret };
  } catch (error) {
    if (!isCallError(error)) throw error;
    if (error.status === 400) return { kind: "refused", problem: problemOf(error) };
    if (error.status === 409) return { kind: "taken" };
    throw error;
  }
}
