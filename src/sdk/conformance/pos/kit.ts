import { runKit, type KitOptions, type Outcome, type Step } from "../step.ts";
import { DRIVE_WITHIN, DRIVE_WITHIN_BY_PEOPLE } from "../times.ts";
import { PosCounterpart } from "./counterpart.ts";
import type { Driver } from "./drive.ts";
import type { KitAccount } from "./ledger.ts";
import { PosScene } from "./scene.ts";
import { ANSWERS, RECOVERY } from "./steps/recovery.ts";
import { OTHER_ACTIONS, SESSION } from "./steps/session.ts";
import { WHOLE } from "./steps/whole.ts";

/** In the order in which they run. */
export const POS_STEPS: readonly Step<PosScene>[] = [...SESSION, ...RECOVERY, ...ANSWERS, ...OTHER_ACTIONS, ...WHOLE];

interface PosKitOptions extends KitOptions {
  account: KitAccount;
  driver: Driver;
  within?: number;
}

/** Resolves when every step has a verdict. Rejects if it cannot listen at its address. */
export async function runPosKit(options: PosKitOptions): Promise<Outcome[]> {
  const { address, account, driver, tester, patient } = options;
  const counterpart = new PosCounterpart(address, account);
  const within = options.within ?? (tester.present ? DRIVE_WITHIN_BY_PEOPLE : DRIVE_WITHIN);
  return runKit(counterpart, new PosScene({ counterpart, driver, patient, within }), POS_STEPS, options);
}
