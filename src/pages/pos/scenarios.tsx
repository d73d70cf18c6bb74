import { newReferenceId } from "../../sdk/client/pos.ts";
import { Button } from "../page/controls.tsx";
import { staged } from "../page/signals.ts";
import type { Scenario } from "./call.ts";
import type { PosModel } from "./pos-model.ts";

const SCENARIOS: Scenario[] = [
  {
    label: "Declined",
    transAmt: "10.05",
    watch: "The bank refuses, the status is 11: no money moved, and none will. Only now may you charge again.",
  },
  {
    label: "No answer from the bank",
    transAmt: "10.22",
    watch: "The status is 22 and amber until the bank decides. The POS asks with the same reference, then gets 00.",
  },
  {
    label: "Wi-Fi lost after the tap",
    transAmt: "10.81",
    watch: "The terminal has the result but no network. It reports when it is back: one charge, and the POS gets 00.",
  },
  {
    label: "The POS loses the answer",
    transAmt: "10.00",
    watch: "The first message has no answer. The same message again gets it, marked as replayed: one charge.",
    losesAnswer: true,
  },
];

/** Only for a terminal without real cards. */
export function Scenarios({ pos, deviceId, onSent }: { pos: PosModel; deviceId: string; onSent: () => void }) {
  const run = (scenario: Scenario): void => {
    const request = { deviceId, referenceId: newReferenceId(), transAmt: scenario.transAmt };
    staged.add(request.referenceId);
    pos.send({ transType: "sale", request: { ...request, paymentMethod: "bankCard" } }, undefined, scenario);
    onSent();
  };
  return (
    <section class="stack scenarios" aria-labelledby="scenarios-title">
      <p id="scenarios-title">Or watch what happens when something goes wrong:</p>
      <ul>
        {SCENARIOS.map((scenario) => (
          <li key={scenario.label}>
            <Button onClick={() => run(scenario)}>{scenario.label}</Button>
            <span class="soft small">{scenario.watch}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
