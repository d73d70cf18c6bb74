import { Button } from "../page/button.tsx";
import { SelectField, TextField } from "../page/field.tsx";
import { isCard } from "../../simulator/payment-means.ts";
import { possible } from "./gestures.ts";
import type { Gesture } from "./gestures.ts";
import type { TerminalState } from "./model.ts";
import type { VirtualTerminalSession } from "./session.ts";
import { CARDS, WALLETS } from "./settings.ts";

const GESTURES: { gesture: Gesture; label: string }[] = [
  { gesture: "tap", label: "Tap" },
  { gesture: "insert", label: "Insert" },
  { gesture: "swipe", label: "Swipe" },
  { gesture: "key-in", label: "Key in" },
  { gesture: "scan", label: "Scan" },
  { gesture: "wrong-pin", label: "Wrong PIN" },
];

/** What the customer carries and does. */
export function Customer({ state, session }: { state: TerminalState; session: VirtualTerminalSession }) {
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
