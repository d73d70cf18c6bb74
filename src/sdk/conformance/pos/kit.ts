import { newReferenceId, PosClient, PosError } from "../../client/pos.ts";
import { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import { runKit, type KitRunOptions, type StepOutcome, type KitStep } from "../step.ts";
import { CONNECT_WITHIN, DRIVE_WITHIN, DRIVE_WITHIN_BY_PEOPLE, SETTLE_WITHIN, orTimeout } from "../times.ts";
import type { Driver } from "./drive.ts";
import { APPROVES } from "./faults.ts";
import type { KitAccount } from "./judge.ts";
import { FaultProxy } from "./proxy.ts";
import { PosScene } from "./scene.ts";
import { ANSWERS } from "./steps/answers.ts";
import { RECOVERY } from "./steps/recovery.ts";
import { OTHER_ACTIONS, SESSION } from "./steps/session.ts";
import { POS_WHOLE_STEPS } from "./steps/whole.ts";

/** In the order in which they run. */
export const POS_STEPS: readonly KitStep<PosScene>[] = [
  ...SESSION,
  ...RECOVERY,
  ...ANSWERS,
  ...OTHER_ACTIONS,
  ...POS_WHOLE_STEPS,
];

export interface PosKitOptions extends KitRunOptions {
  /** The URL of the gateway that the POS reaches through the kit. */
  gateway: string;
  /** The POS's account at the gateway, and the secret of its device, which the kit simulates. */
  account: KitAccount;
  terminalSecret: string;
  driver: Driver;
  within?: number;
}

/** The gateway cannot be used. The message is for the user. */
export class CannotTest extends Error {
  override readonly name = "CannotTest";
}

/**
 * Resolves when every step has a verdict. Rejects with `CannotListen` if it cannot listen at its address, with
 * `CannotTest` or `PosError` if the gateway, the account or the terminal cannot be used.
 */
export async function runPosKit(options: PosKitOptions): Promise<StepOutcome[]> {
  const { address, gateway, account, terminalSecret, driver, tester, patient } = options;
  const { deviceId, ...credentials } = account;
  const pos = new PosClient({ baseUrl: gateway, ...credentials });
  const proxy = new FaultProxy(address, gateway, account);
  const terminal = new SimulatedTerminal({
    baseUrl: gateway,
    terminalId: deviceId,
    secret: terminalSecret,
    behaviourOf: ({ referenceId }) => proxy.scriptFor(referenceId)?.customer ?? APPROVES,
  });
  const settle = async (referenceId: string): Promise<void> => {
    const question = { deviceId, referenceId: newReferenceId(), about: { referenceId } };
    await pos.inquiry(question, { within: SETTLE_WITHIN }).catch((error: unknown) => {
      if (!(error instanceof PosError)) throw error;
    });
  };
  const within = options.within ?? (tester.present ? DRIVE_WITHIN_BY_PEOPLE : DRIVE_WITHIN);
  const scene = new PosScene({ proxy, terminal, settle, driver, patient, within });
  try {
    await connect(terminal, pos, account);
    return await runKit(proxy, scene, POS_STEPS, options);
  } finally {
    await terminal.stop();
  }
}

async function connect(terminal: SimulatedTerminal, pos: PosClient, { posId, deviceId }: KitAccount): Promise<void> {
  if ((await orTimeout(terminal.start(), CONNECT_WITHIN)) === "late") {
    throw new CannotTest(`The simulated terminal ${deviceId} cannot connect to the gateway with this TERMINAL_SECRET.`);
  }
  if (terminal.client.binding.posId === posId) return;
  const bound = await terminal.bind((await pos.bindKey()).key);
  if (!bound.ok) throw new CannotTest(`The simulated terminal ${deviceId} cannot be bound to ${posId}.`);
}
