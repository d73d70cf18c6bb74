/** What is around the terminal: the customer, the bank, and the line to the gateway. */
import { useId } from "preact/hooks";
import { Button } from "../page/button.tsx";
import { SelectField, TextField } from "../page/field.tsx";
import { isCard } from "../../simulator/payment-means.ts";
import { possible, type Gesture } from "./gestures.ts";
import type { TerminalState } from "./model.ts";
import type { VirtualTerminalSession } from "./session.ts";
import { BANK_ANSWERS, CARDS, WALLETS } from "./settings.ts";

interface PartProps {
  state: TerminalState;
  session: VirtualTerminalSession;
}

const GESTURES: { gesture: Gesture; label: string }[] = [
  { gesture: "tap", label: "Tap" },
  { gesture: "insert", label: "Insert" },
  { gesture: "swipe", label: "Swipe" },
  { gesture: "key-in", label: "Key in" },
  { gesture: "scan", label: "Scan" },
  { gesture: "wrong-pin", label: "Wrong PIN" },
];

/** What the customer carries and does. */
export function Customer({ state, session }: PartProps) {
  const { card, wallet } = state.settings;
  const gestures = possible(state);
  return (
    <section class="panel vt-panel" aria-labelledby="vt-customer">
      <h3 id="vt-customer">Customer</h3>
      <div class="vt-gestures">
        {GESTURES.map(({ gesture, label }) => (
          <Button key={gesture} disabled={!gestures.has(gesture)} onClick={() => session.gesture(gesture)}>
            {label}
          </Button>
        ))}
      </div>
      <p class="small soft">You can also press the screen.</p>
      <div class="vt-pair">
        <SelectField
          label="Card"
          value={card}
          options={CARDS.map(({ name, label }) => ({ value: name, label }))}
          onInput={(name) => isCard(name) && session.set({ card: name })}
        />
        <TextField
          label="Wallet"
          value={wallet}
          suggestions={WALLETS}
          onInput={(name) => session.set({ wallet: name })}
        />
      </div>
    </section>
  );
}

/** The terminal's environment: the bank's answer, and the line to the gateway. */
export function Environment({ state, session }: PartProps) {
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
        <p>Connection</p>
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

interface CheckProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps) {
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
