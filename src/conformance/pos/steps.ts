import type { Step } from "../step.ts";
import type { PosScene } from "./scene.ts";
import { ANSWERS } from "./steps/answers.ts";
import { RECOVERY } from "./steps/recovery.ts";
import { OTHER_ACTIONS, SESSION } from "./steps/session.ts";
import { WHOLE } from "./steps/whole.ts";

/** Every duty of a POS, in the order in which they are tried. */
export const POS_STEPS: readonly Step<PosScene>[] = [...SESSION, ...RECOVERY, ...ANSWERS, ...OTHER_ACTIONS, ...WHOLE];
