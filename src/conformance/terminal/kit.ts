import type { Address } from "../listen.ts";
import { runSteps } from "../run.ts";
import type { Outcome } from "../step.ts";
import type { Tester } from "../tester.ts";
import { KIT_AHEAD, PATIENCE_WITH_PEOPLE, PATIENCE_WITH_PROGRAMS } from "../times.ts";
import { KitClock } from "./clock.ts";
import { Counterpart, type KitBinding } from "./counterpart.ts";
import { TerminalScene, type Patience, type Wish } from "./scene.ts";
import { TERMINAL_STEPS } from "./steps.ts";

export interface TerminalKitOptions {
  address: Address;
  /** The secret of the terminal under test. */
  secret: string;
  /** Its id; null accepts any. */
  terminalId: string | null;
  tester: Tester;
  /** Steps to run; null for all. */
  only: readonly string[] | null;
  patient: boolean;
  /** Amounts at which a terminal without a person behaves as a step needs. */
  amounts?: Partial<Record<Wish, string>>;
  bindKey?: string;
  /** Restarts the terminal's process; null if that is not possible. */
  restart: (() => Promise<void>) | null;
  /** Waits that override the defaults. */
  patience?: Partial<Patience>;
  /** Called when the kit listens, with its URL. */
  onOpen?: (url: string) => void;
  onOutcome?: (outcome: Outcome) => void;
}

/** The amounts that `npm run terminal` reacts to. */
const AMOUNTS: Record<Wish, string> = { approve: "10.00", wait: "10.89", pending: "10.22" };

const ACCOUNT: KitBinding = { posId: "KIT-POS", merchantId: "KIT-M", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/** A key that every terminal can enter. */
export const BIND_KEY = "TESTKEYS";

/** Runs the kit until every step has a verdict. Rejects if it cannot listen at its address. */
export async function runTerminalKit(options: TerminalKitOptions): Promise<Outcome[]> {
  const { address, secret, terminalId, tester, only, patient, restart, bindKey = BIND_KEY } = options;
  const clock = new KitClock(KIT_AHEAD);
  const counterpart = new Counterpart({ address, secret, clock, bindKey, account: ACCOUNT });
  const url = await counterpart.open();
  try {
    options.onOpen?.(url);
    const scene = new TerminalScene({
      counterpart,
      clock,
      secret,
      tester,
      patience: { ...(tester.present ? PATIENCE_WITH_PEOPLE : PATIENCE_WITH_PROGRAMS), ...options.patience },
      amounts: { ...AMOUNTS, ...options.amounts },
      account: ACCOUNT,
      bindKey,
      terminalId,
      restart,
      patient,
    });
    return await runSteps(scene, {
      steps: TERMINAL_STEPS,
      only,
      hopeless: () => scene.hopeless,
      tidy: () => scene.tidy(),
      onOutcome: options.onOutcome ?? (() => undefined),
    });
  } finally {
    await counterpart.close();
  }
}
