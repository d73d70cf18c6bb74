import { possible } from "./gestures.ts";
import type { Gesture } from "./gestures.ts";
import type { TerminalState } from "./model.ts";
import type { VirtualTerminalSession } from "./session.ts";

interface Key {
  label: string;
  gesture: Gesture;
  look?: "cancel" | "clear" | "ok";
}

/** Row by row, as on the device. The digits themselves are not stored. */
const KEYS: Key[] = [
  ...digits("123"),
  { label: "Cancel", gesture: "cancel", look: "cancel" },
  ...digits("456"),
  { label: "Clear", gesture: "clear", look: "clear" },
  ...digits("7890"),
  { label: "OK", gesture: "ok", look: "ok" },
];

function digits(text: string): Key[] {
  return [...text].map((label) => ({ label, gesture: "digit" }));
}

export function Keypad({ state, session }: { state: TerminalState; session: VirtualTerminalSession }) {
  const gestures = possible(state);
  return (
    <div class="vt-keys" role="group" aria-label="Keypad">
      {KEYS.map(({ label, gesture, look }) => (
        <button
          key={label}
          type="button"
          class="vt-key"
          data-key={look ?? label}
          aria-disabled={gestures.has(gesture) ? undefined : "true"}
          onClick={() => session.gesture(gesture)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
