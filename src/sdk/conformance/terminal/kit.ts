import { runKit, type KitRunOptions, type StepOutcome, type KitStep } from "../step.ts";
import { PATIENCE_WITH_PEOPLE, PATIENCE_WITH_PROGRAMS, type Patience } from "../times.ts";
import type { RunningCommand } from "../tester.ts";
import type { CountCharges } from "./charges.ts";
import { Counterpart } from "./counterpart.ts";
import { TerminalScene, type Wish } from "./scene.ts";
import { ASKING } from "./steps/asking.ts";
import { CONNECTING } from "./steps/connecting.ts";
import { MACHINE } from "./steps/machine.ts";
import { MEMORY, RESTARTING } from "./steps/memory.ts";
import { PAYMENTS, REFUSAL_STEPS } from "./steps/payments.ts";
import { HEARTBEAT_STEPS, LAST, STAYING } from "./steps/staying.ts";
import { BY_EYE, TERMINAL_WHOLE_STEPS } from "./steps/whole.ts";

export const TERMINAL_STEPS: readonly KitStep<TerminalScene>[] = [
  ...CONNECTING,
  ...HEARTBEAT_STEPS,
  ...PAYMENTS,
  ...REFUSAL_STEPS,
  ...ASKING,
  ...MEMORY,
  ...STAYING,
  ...RESTARTING,
  ...MACHINE,
  ...BY_EYE,
  ...TERMINAL_WHOLE_STEPS,
  ...LAST,
];

export interface TerminalKitOptions extends KitRunOptions {
  secret: string;
  /** Null accepts any terminal. */
  terminalId: string | null;
  /** Amounts at which a terminal without a person behaves as a step needs. */
  amounts?: { [Name in Wish]?: string | undefined };
  bindKey?: string;
  restart: (() => Promise<void>) | null;
  /** Starts a second process on the terminal's store. Without it and without a person, that step counts as not seen. */
  second?: (() => RunningCommand) | null;
  /** Without it, no step that depends on the host counts as kept. */
  countCharges?: CountCharges | undefined;
  patience?: Partial<Patience>;
}

/** The amounts that `npm run terminal` reacts to. */
export const AMOUNTS: Record<Wish, string> = { approve: "10.00", wait: "10.89", pending: "10.22" };

/** A key that every terminal can enter. */
export const BIND_KEY = "TESTKEYS";

/** Resolves when every step has a verdict. Rejects if it cannot listen at its address. */
export async function runTerminalKit(options: TerminalKitOptions): Promise<StepOutcome[]> {
  const { address, secret, tester, bindKey = BIND_KEY } = options;
  const patience = { ...(tester.present ? PATIENCE_WITH_PEOPLE : PATIENCE_WITH_PROGRAMS), ...options.patience };
  const { approve = AMOUNTS.approve, wait = AMOUNTS.wait, pending = AMOUNTS.pending } = options.amounts ?? {};
  const counterpart = new Counterpart(address, secret, bindKey);
  const amounts = { approve, wait, pending };
  const scene = new TerminalScene({
    ...options,
    second: options.second ?? null,
    counterpart,
    patience,
    amounts,
    bindKey,
  });
  return runKit(counterpart, scene, TERMINAL_STEPS, options);
}
