import { useId } from "preact/hooks";
import { Button } from "../page/button.tsx";
import { SelectField } from "../page/field.tsx";
import { possible } from "./gestures.ts";
import type { TerminalState } from "./model.ts";
import type { VirtualTerminalSession } from "./session.ts";
import { BANK_ANSWERS } from "./settings.ts";

/** The terminal's environment: the bank's answer, and the line to the gateway. */
export function Environment({ state, session }: { state: TerminalState; session: VirtualTerminalSession }) {
  const { bank, late, automatic } = state.settings;
  const cut = state.line === "cut";
  const choose = (name: string): void => {
    const chosen = BANK_ANSWERS.find((answer) => answer.name === name);
    if (chosen !== undefined) session.set({ bank: chosen.name });
  };
  return (
    <section class="panel vt-panel" aria-labelledby="vt-environment">
      <h3 id="vt-environment">Environment</h3>
      <SelectField
        label="Bank"
        value={bank}
        options={BANK_ANSWERS.map(({ name, label }) => ({ value: name, label }))}
        onInput={choose}
      />
      <div class="vt-setting">
        <Check label="Delay the answer" checked={late} onChange={(checked) => session.set({ late: checked })} />
        <Button disabled={!possible(state).has("let-through")} onClick={() => session.gesture("let-through")}>
          Release the answer
        </Button>
      </div>
      <div class="vt-setting">
        <p>Connection: {cut ? "lost" : "up"}</p>
        <Button
          disabled={state.access.kind !== "signed-in"}
          onClick={() => (cut ? session.restoreLine() : session.cutLine())}
        >
          {cut ? "Reconnect" : "Disconnect"}
        </Button>
      </div>
      <Check
        label="Automatic: the cents of the amount decide"
        checked={automatic}
        onChange={(checked) => session.set({ automatic: checked })}
      />
    </section>
  );
}

function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <span class="vt-check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </span>
  );
}
