import type { BindingMembers } from "../../protocol/binding.ts";
import type { Address } from "../listen.ts";
import { runSteps, type Outcome, type Step } from "../step.ts";
import type { Tester } from "../tester.ts";
import { KIT_AHEAD, PATIENCE_WITH_PEOPLE, PATIENCE_WITH_PROGRAMS } from "../times.ts";
import { Counterpart } from "./counterpart.ts";
import { TerminalScene, type Patience, type Wish } from "./scene.ts";
import { ASKING } from "./steps/asking.ts";
import { CONNECTING } from "./steps/connecting.ts";
import { MEMORY } from "./steps/memory.ts";
import { PAYMENTS } from "./steps/payments.ts";
import { REFUSALS } from "./steps/refusals.ts";
import { RESTARTING } from "./steps/restarting.ts";
import { HEARTBEAT, LAST, STAYING } from "./steps/staying.ts";
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
  amounts?: { [Name in Wish]?: string | undefined };
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
export const AMOUNTS: Record<Wish, string> = { approve: "10.00", wait: "10.89", pending: "10.22" };

const ACCOUNT: BindingMembers = {
  posId: "KIT-POS",
  merchantId: "KIT-M",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
};

/** A key that every terminal can enter. */
export const BIND_KEY = "TESTKEYS";

/** A terminal that uses its own clock instead of the gateway's judges deadlines wrongly, and the kit finds it. */
function now(): number {
  return Date.now() + KIT_AHEAD;
}

/** Runs the kit until every step has a verdict. Rejects if it cannot listen at its address. */
export async function runTerminalKit(options: TerminalKitOptions): Promise<Outcome[]> {
  const { address, secret, terminalId, tester, patient, restart, bindKey = BIND_KEY } = options;
  const counterpart = new Counterpart({ address, secret, now, bindKey, account: ACCOUNT });
  const url = await counterpart.open();
  try {
    options.onOpen?.(url);
    const patience = { ...(tester.present ? PATIENCE_WITH_PEOPLE : PATIENCE_WITH_PROGRAMS), ...options.patience };
    const { approve = AMOUNTS.approve, wait = AMOUNTS.wait, pending = AMOUNTS.pending } = options.amounts ?? {};
    const amounts = { approve, wait, pending };
    const account = ACCOUNT;
    const given = {
      counterpart,
      now,
      secret,
      tester,
      patience,
      amounts,
      account,
      bindKey,
      terminalId,
      restart,
      patient,
    };
    const scene = new TerminalScene(given);
    return await runSteps(scene, {
      steps: TERMINAL_STEPS,
      only: options.only,
      hopeless: () => scene.hopeless,
      tidy: () => scene.tidy(),
      onOutcome: options.onOutcome,
    });
  } finally {
    await counterpart.close();
  }
}
