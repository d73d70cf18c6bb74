/** What the operator decided about transactions that no terminal could complete. */
import type { FinalStatus } from "./calls.ts";
import type { Line } from "./lines.ts";

export interface Decision {
  asked: Line<"operator.asked">;
  answered: Line<"operator.answered"> | null;
  requestId: string;
  status: FinalStatus;
}

/** `unknown`: the answer was lost, or was an error after which the decision may stand. */
export function takenState({ answered }: Decision): "yes" | "no" | "unknown" {
  const status = answered?.status ?? null;
  if (status === null || status >= 500) return "unknown";
  return status < 300 ? "yes" : "no";
}
