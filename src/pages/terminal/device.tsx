import { useEffect, useRef } from "preact/hooks";
import { moveTo } from "../page/browser.ts";
import { possible, type Gesture } from "./gestures.ts";
import type { DeviceState } from "./model.ts";
import { SCREEN_ID, Screen, type PartProps } from "./screen.tsx";
import type { Credentials } from "./session.ts";

/** While the screen or a key has the focus, the computer's keyboard works as well. */
export function DeviceView({ state, session, demo }: PartProps & { demo: Credentials | null }) {
  const screen = useScreenFocus(state);
  const asksSomebody = state.payment !== null && !state.payment.automatic;
  useEffect(() => void (asksSomebody && moveTo(SCREEN_ID)), [asksSomebody, state.payment?.request.requestId]);
  const typed = (event: KeyboardEvent): void => {
    const gesture = readGesture(event.key, event.target === screen.current);
    if (gesture === undefined || !possible(state).has(gesture)) return;
    event.preventDefault();
    session.gesture(gesture);
  };
  return (
    <div class="vt-device" onKeyDown={typed}>
      <Screen screenRef={screen} state={state} session={session} demo={demo} />
      <Keypad state={state} session={session} />
    </div>
  );
}

const BY_KEY: Record<string, Gesture> = { Backspace: "clear", Delete: "clear", Escape: "cancel", Enter: "ok" };

/** On a button, Enter presses that button, as on every page. */
function readGesture(key: string, isOnScreen: boolean): Gesture | undefined {
  if (/^[0-9]$/.test(key)) return "digit";
  return key === "Enter" && !isOnScreen ? undefined : BY_KEY[key];
}

/**
 * Gives the screen the focus when a finished form would lose it, and when a PIN must be typed. Never takes the focus
 * from another part of the page.
 */
function useScreenFocus(state: DeviceState) {
  const screen = useRef<HTMLElement>(null);
  const wasInside = useRef(false);
  useEffect(() => {
    const noted = ({ target }: FocusEvent): void => {
      const half = screen.current?.closest(".vt");
      wasInside.current = target instanceof Node && half?.contains(target) === true;
    };
    document.addEventListener("focusin", noted);
    return () => document.removeEventListener("focusin", noted);
  }, []);
  const asksForPin = state.payment?.prompt.kind === "pin";
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (wasInside.current && (isLost || asksForPin)) screen.current?.focus({ preventScroll: true });
  }, [state.access.kind, state.binding.posId, asksForPin]);
  return screen;
}

interface Key {
  label: string;
  gesture: Gesture;
  look?: "cancel" | "clear" | "ok";
}

/** Row by row. The digits themselves are not stored. */
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

function Keypad({ state, session }: PartProps) {
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
