import type { Address } from "../listen.ts";
import { runSteps, type Outcome, type Step } from "../step.ts";
import type { Tester } from "../tester.ts";
import { DRIVE_WITHIN, DRIVE_WITHIN_BY_PEOPLE } from "../times.ts";
import type { KitAccount } from "./answer.ts";
import { PosCounterpart } from "./counterpart.ts";
import type { Driver } from "./drive.ts";
import { PosScene } from "./scene.ts";
import { ANSWERS, RECOVERY } from "./steps/recovery.ts";
import { OTHER_ACTIONS, SESSION } from "./steps/session.ts";
import { WHOLE } from "./steps/whole.ts";

/** Every duty of a POS, in the order in which they are tried. */
export const POS_STEPS: readonly Step<PosScene>[] = [...SESSION, ...RECOVERY, ...ANSWERS, ...OTHER_ACTIONS, ...WHOLE];

export interface PosKitOptions {
  address: Address;
  account: KitAccount;
  driver: Driver;
  tester: Tester;
  /** Steps to run; null for all. */
  only: readonly string[] | null;
  patient: boolean;
  /** Milliseconds allowed for one action of the till. */
  within?: number;
  onOpen?: (url: string) => void;
  onOutcome?: (outcome: Outcome) => void;
}

/** Runs the kit until every step has a verdict. Rejects if it cannot listen at its address. */
export async function runPosKit(options: PosKitOptions): Promise<Outcome[]> {
  const { address, account, driver, tester, only, patient } = options;
  const counterpart = new PosCounterpart(address, account);
  const url = await counterpart.open();
  try {
    options.onOpen?.(url);
    const within = options.within ?? (tester.present ? DRIVE_WITHIN_BY_PEOPLE : DRIVE_WITHIN);
    const scene = new PosScene({ counterpart, account, driver, tester, url, patient, within });
    return await runSteps(scene, {
      steps: POS_STEPS.map((step) => ({ ...step, run: () => scene.judge(step) })),
      only,
      hopeless: () => scene.hopeless,
      onOutcome: options.onOutcome,
    });
  } finally {
    await counterpart.close();
  }
}
