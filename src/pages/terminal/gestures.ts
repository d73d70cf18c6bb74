import type { CardEntry } from "../../sdk/simulator/payment-means.ts";
import type { Prompt, DeviceState } from "./model.ts";
import { PIN_DIGITS } from "./model.ts";

export type Gesture =
  | "tap"
  | "insert"
  | "swipe"
  | "key-in"
  | "scan"
  | "wrong-pin"
  | "digit"
  | "clear"
  | "ok"
  | "cancel"
  /** The user releases the bank's late answer. */
  | "let-through";

export function possible(state: DeviceState): ReadonlySet<Gesture> {
  const atRest: Gesture[] = state.outcome === null ? [] : ["ok"];
  const gestures = new Set(state.payment === null ? atRest : during(state.payment.prompt));
  // An automatic payment asks nobody. A payment begun by hand ends by hand.
  if (state.payment?.automatic === true) gestures.clear();
  if (state.late.length > 0) gestures.add("let-through");
  return gestures;
}

/** The customer's next step; null if only buttons or keys decide. */
export function pressOnScreen(state: DeviceState): Gesture | null {
  const gestures = possible(state);
  return CUSTOMER_MOVES.find((gesture) => gestures.has(gesture)) ?? null;
}

/** The usual gesture comes first. After a tap that was not enough, the card is inserted. */
const CUSTOMER_MOVES: Gesture[] = ["tap", "insert", "scan"];

function during(prompt: Prompt): Gesture[] {
  switch (prompt.kind) {
    case "present":
      return ["insert", "swipe", "key-in", "cancel", ...only("tap", prompt.insert === null)];
    case "customer-scans":
    case "customer-shows":
      return ["scan", "cancel"];
    case "confirm":
      return ["ok", "cancel"];
    case "pin": {
      const { digits } = prompt;
      return [
        "wrong-pin",
        "cancel",
        ...only("digit", digits < PIN_DIGITS.most),
        ...only("clear", digits > 0),
        ...only("ok", digits >= PIN_DIGITS.fewest),
      ];
    }
    case "reading":
    case "authorising":
      return [];
  }
}

function only(gesture: Gesture, isPossible: boolean): Gesture[] {
  return isPossible ? [gesture] : [];
}

export type GestureAnswer =
  | { kind: "card"; entry: CardEntry }
  | { kind: "yes" }
  | { kind: "wrong-pin" }
  | { kind: "cancels" }
  | { kind: "switched-off" }
  /** The POS cancelled, or the time is up. */
  | { kind: "stopped" };

const ANSWERS: Partial<Record<Gesture, GestureAnswer>> = {
  tap: { kind: "card", entry: "contactless" },
  insert: { kind: "card", entry: "chip" },
  swipe: { kind: "card", entry: "swipe" },
  "key-in": { kind: "card", entry: "manual" },
  scan: { kind: "yes" },
  ok: { kind: "yes" },
  "wrong-pin": { kind: "wrong-pin" },
  cancel: { kind: "cancels" },
};

/** Null for a gesture that only changes the screen. */
export function answerBy(gesture: Gesture): GestureAnswer | null {
  return ANSWERS[gesture] ?? null;
}
