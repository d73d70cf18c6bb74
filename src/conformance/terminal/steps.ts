import type { Step } from "../step.ts";
import type { TerminalScene } from "./scene.ts";
import { ASKING } from "./steps/asking.ts";
import { CONNECTING } from "./steps/connecting.ts";
import { HEARTBEAT } from "./steps/heartbeat.ts";
import { MEMORY } from "./steps/memory.ts";
import { PAYMENTS } from "./steps/payments.ts";
import { REFUSALS } from "./steps/refusals.ts";
import { RESTARTING } from "./steps/restarting.ts";
import { LAST, STAYING } from "./steps/staying.ts";
import { BY_EYE, WHOLE } from "./steps/whole.ts";

/** Every duty of a terminal, in test order. */
export const TERMINAL_STEPS: readonly Step<TerminalScene>[] = [
  ...CONNECTING,
  ...HEARTBEAT,
  ...PAYMENTS,
  ...REFUSALS,
  ...ASKING,
  ...MEMORY,
  ...STAYING,
  ...RESTARTING,
  ...BY_EYE,
  ...WHOLE,
  ...LAST,
];
