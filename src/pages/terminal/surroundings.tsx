import { useId } from "preact/hooks";
import type { HeldRequest } from "../../sdk/client/terminal.ts";
import { isCard } from "../../sdk/simulator/payment-means.ts";
import { Button, SelectField, TextField } from "../page/controls.tsx";
import { clockTime } from "../page/signals.ts";
import { possible, type Gesture } from "./gestures.ts";
import { BindForm, type PartProps } from "./screen.tsx";
import { BANK_ANSWERS, CARDS, WALLETS } from "./settings.ts";

const GESTURES: { gesture: Gesture; label: string }[] = [
  { gesture: "tap", label: "Tap" },
  { gesture: "insert", label: "Insert" },
  { gesture: "swipe", label: "Swipe" },
  { gesture: "key-in", label: "Key in" },
  { gesture: "scan", label: "Scan" },
  { gesture: "wrong-pin", label: "Wrong PIN" },
];

export function CustomerView({ state, session }: PartProps) {
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
          options={CARDS}
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

export function Environment({ state, session }: PartProps) {
  const { bank, late, automatic } = state.settings;
  const cut = state.line === "cut";
  return (
    <section class="panel vt-panel" aria-labelledby="vt-environment">
      <h3 id="vt-environment">Environment</h3>
      <SelectField
        label="Bank"
        value={bank}
        options={BANK_ANSWERS}
        onInput={(answer) => session.set({ bank: answer })}
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

function Check(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  const { label, checked, onChange } = props;
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

export function Recollection({ state, session }: PartProps) {
  const { access, binding, held, log, foreignMemory } = state;
  return (
    <details class="panel vt-panel vt-recollection" open={foreignMemory ? true : undefined}>
      <summary>Memory, log, sign out</summary>
      {foreignMemory && (
        <p class="notice" data-tone="pending">
          The terminal refuses requests whose numbers are lower than one that it has accepted before. This gateway is
          probably not the one whose requests it remembers: start with an empty memory.
        </p>
      )}
      {held.length === 0 ? (
        <p class="soft small">The gateway has acknowledged every result.</p>
      ) : (
        <ul class="vt-held">
          {held.map((one) => (
            <li key={one.request.requestId}>
              <span class="mono">{one.request.requestId}</span> {heldWords(one)}
            </li>
          ))}
        </ul>
      )}
      <ol class="vt-log" aria-label="Log, newest first" tabindex={0}>
        {log.map(({ number, at, text }) => (
          <li key={number}>
            <time>{clockTime(at)}</time> {text}
          </li>
        ))}
      </ol>
      {access.kind === "signed-in" && binding.posId !== null && (
        <BindForm session={session} state={state} heading="Bind to another account" />
      )}
      <div class="row">
        <Button disabled={access.kind === "signed-out"} onClick={() => void session.signOut()}>
          Sign out
        </Button>
        <Button look="danger" disabled={access.kind !== "signed-in"} onClick={() => void session.clearMemory()}>
          Start with an empty memory
        </Button>
      </div>
    </details>
  );
}

function heldWords({ stage, result, acknowledged }: HeldRequest): string {
  if (result === null) return stage === "at-host" ? "was sent to the bank" : "is accepted";
  const outcome = `ended as ${result.statusCode} ${result.responseCode}`;
  return acknowledged ? `${outcome}; outcome not known yet` : `${outcome}; not acknowledged yet`;
}
