/** What the simulated terminal does by the cents of an amount, asked of the simulator itself. */
import { type Behaviour, behaviourFor } from "../../simulator/behaviour.ts";
import { duration } from "../../time/duration.ts";
import { figure } from "./figures.ts";

interface Shown {
  happens: string;
  /** `statusCode responseCode` of the first answer, and of the last. */
  answers: string;
}

const APPROVED = "`00` `00`";
const TIMED_OUT = "`22` `TERMINAL_TIMEOUT`";

function show(behaviour: Behaviour): Shown {
  switch (behaviour.kind) {
    case "approve":
      return { happens: "Approved.", answers: APPROVED };
    case "decline":
      return { happens: behaviour.responseText, answers: `\`11\` \`${behaviour.responseCode}\`` };
    case "pending":
      return behaviour.outcome === "00"
        ? {
            happens: "The host has no answer yet. When it is asked again, it has approved.",
            answers: "`22` `09`, then " + APPROVED,
          }
        : {
            happens: "The host has no answer yet. When it is asked again, it does not know the payment.",
            answers: "`22` `09`, then `11` `25`",
          };
    case "customer-cancels":
      return { happens: "The customer cancels.", answers: "`11` `17`" };
    case "slow":
      return {
        happens: `Approved after the customer has taken ${duration(behaviour.milliseconds)}.`,
        answers: APPROVED,
      };
    case "refuse-busy":
      return { happens: "The terminal refuses it as busy.", answers: "`11` `TERMINAL_BUSY`" };
    case "fault":
      return showFault(behaviour.fault);
  }
}

function showFault(fault: Extract<Behaviour, { kind: "fault" }>["fault"]): Shown {
  switch (fault) {
    case "drop-before-result":
      return {
        happens:
          "Approved, but the connection drops before the result is sent. The result arrives when the terminal is back.",
        answers: APPROVED,
      };
    case "drop-before-accepted":
      return {
        happens:
          "The connection drops before the terminal accepts. It comes back without the request, and gets it again.",
        answers: APPROVED,
      };
    case "silent-until-asked":
      return {
        happens: "Approved, but the terminal is silent until the same request is sent again after the request's life.",
        answers: `${TIMED_OUT}, then ${APPROVED}`,
      };
    case "result-twice":
      return { happens: "Approved. The result is sent twice, which the till does not notice.", answers: APPROVED };
    case "result-late":
      return {
        happens: "Approved, but the result arrives after the request's life.",
        answers: `${TIMED_OUT}, then ${APPROVED}`,
      };
    case "wrong-signature-first":
      return {
        happens: `Approved. The first result has a wrong signature; it is signed again after ${figure("SIGNATURE_RETRY_WAIT")}.`,
        answers: APPROVED,
      };
  }
}

/** A Markdown table, in the order of the cents. */
export function testAmountsTable(): string {
  const rows: string[] = [];
  for (let cents = 0; cents < 100; cents++) {
    const written = String(cents).padStart(2, "0");
    const behaviour = behaviourFor(`10.${written}`);
    if (behaviour.kind === "approve") continue;
    const { happens, answers } = show(behaviour);
    rows.push(`| \`.${written}\` | ${happens} | ${answers} |`);
  }
  const other = show({ kind: "approve" });
  return [
    "| Cents | What happens | statusCode, responseCode |",
    "| --- | --- | --- |",
    ...rows,
    `| any other | ${other.happens} | ${other.answers} |`,
    "",
  ].join("\n");
}
