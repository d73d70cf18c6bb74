/** Histories against the real object: the same chance, the same world, the same oracle. */
import { requestLife } from "../../src/protocol/limits/transfers.ts";
import type { Faults } from "./faults.ts";
import type { Reach } from "./generator.ts";
import { asViolation, byChance, drawSetting, type Told } from "./history.ts";
import { Tills } from "./messages.ts";
import { ObjectGateway } from "./object-gateway.ts";
import { Violation } from "./oracle.ts";
import { randomOf } from "./random.ts";
import { judgeRecorded } from "./recorded.ts";
import type { Shop } from "./shop.ts";
import type { Action, Call } from "./vocabulary.ts";
import { World } from "./world.ts";

/** Over HTTP there is only the shop's own account. */
const OVER_HTTP: Reach = { waits: false, rebinds: false, holdsUp: false, hibernates: 0.2, crashes: 2, scripted: 0.6 };
const AT_THE_OBJECT: Reach = { ...OVER_HTTP, rebinds: true, holdsUp: true };

export interface ToldOfObject extends Told {
  /** What the model plays against the pure gateway instead: the same actions, with that one's numbers. */
  retold: Action[];
}

/**
 * Plays the history of a seed.
 *
 * @param shop whose `number`-th terminal nobody has used yet
 * @param most random steps
 */
export async function playAgainstObject(
  shop: Shop,
  number: number,
  seed: number,
  most: number,
  notice: (what: string) => void,
  faults: Faults,
): Promise<ToldOfObject> {
  faults.begin(seed);
  const random = randomOf(seed);
  const overHttp = random.chance(0.15);
  const gateway = new ObjectGateway(shop, number, overHttp);
  const setting = drawSetting(random, [requestLife("90")]);
  const world = new World(setting, Date.now());
  const tills = new Tills(`${number}.`);
  const actions: Action[] = [];
  try {
    for (const action of byChance(world, random, overHttp ? OVER_HTTP : AT_THE_OBJECT, tills, most)) {
      actions.push(action);
      const call = world.apply(action);
      if (call !== null) await perform(call, gateway, world, faults);
    }
    faults.end();
    await judgeRecorded(gateway.terminalId);
    for (const what of world.seen) notice(what);
    for (const { answer } of world.askers) {
      if (answer?.kind === "status") notice(`shown: ${answer.statusCode} ${answer.responseCode}`);
      else notice(`shown: refused ${answer?.code ?? "nothing"}`);
    }
    return { violation: null, setting, actions, retold: [] };
  } catch (error) {
    const first = await gateway.firstNumber();
    return { violation: asViolation(error), setting, actions, retold: actions.map((one) => renumber(one, first)) };
  } finally {
    await gateway.close();
  }
}

async function perform(call: Call, gateway: ObjectGateway, world: World, faults: Faults): Promise<void> {
  const { outputs, alarmAt } = await faults.during(call, () => gateway.perform(call));
  if (call.kind === "alarm" && alarmAt !== null && alarmAt <= Date.now()) {
    throw new Violation("alarm", `the alarm has gone off, and is set to ${Date.now() - alarmAt} ms ago`);
  }
  world.alarmAt = alarmAt;
  for (const output of outputs) world.receive(output);
}

/** The pure gateway's numbers begin at the lowest of ten digits. */
function renumber(action: Action, first: number): Action {
  const text = JSON.stringify(action, (_name, value: unknown) =>
    typeof value === "number" && value >= first && value < first + 1_000 ? value - first + 1_000_000_000 : value,
  );
  return JSON.parse(text) as Action;
}
