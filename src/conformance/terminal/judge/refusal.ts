import { broken, keptUnless, type Verdict } from "../../step.ts";
import { listed, textOf, type Heard } from "../heard.ts";

/** The verdict on the answer to a frame that must be refused; `attempt` is the frame's. */
export function refusedAs(reason: string, answer: Heard | null, attempt = 1): Verdict {
  const frame = answer?.frame;
  if (textOf(frame, "type") !== "refused") return broken(`refused ${reason}`, listed(answer));
  const problems = [
    ...(textOf(frame, "reason") === reason ? [] : [`refused ${textOf(frame, "reason")}`]),
    ...(frame?.["attempt"] === attempt ? [] : [`attempt ${JSON.stringify(frame?.["attempt"] ?? null)}`]),
  ];
  return keptUnless(problems, `refused ${reason}, attempt ${attempt}`);
}
