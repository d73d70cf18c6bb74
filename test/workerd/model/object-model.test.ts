/**
 * The same histories as in `lane-model.test.ts`, by the same chance and before the same oracle, against the real object
 * in workerd: its SQLite, its hibernating sockets, its alarm, its death and its coming back, storage that breaks in the
 * middle of a turn, and a D1 that refuses its notes (`faults.ts`). One in seven goes over
 * HTTP, from token to signature; in the others POS programs and devices speak with the object as the Worker does, past the D1
 * that takes most of the time.
 *
 * MODEL_SEED (default 1, or `random`), OBJECT_MODEL_HISTORIES and OBJECT_MODEL_FIRST choose the histories.
 *
 * What this does not prove, beside what is said there: when the Worker's own waits end (only `Date` is the model's, its
 * timers are real); what production's platform does otherwise than the local one.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { command, selection, historySeed } from "../../model/environment.ts";
import { Faults } from "../../model/faults.ts";
import { type Reach, PosPrograms } from "../../model/generator.ts";
import { type Told, asViolation, byChance, drawSetting, minimise, playActions, report } from "../../model/history.ts";
import { ObjectGateway } from "../../model/object-gateway.ts";
import { Violation } from "../../model/oracle.ts";
import { createRandom } from "../../../src/sdk/simulator/random.ts";
import { Shop } from "../../model/shop.ts";
import { type TransactionEvent, isAboutTransaction } from "../../../src/protocol/events.ts";
import { requestLife } from "../../../src/protocol/limits.ts";
import { TEST_PATIENCE } from "../../support/patience.ts";
import { eventsIn, journalIn } from "../../support/stored-rows.ts";
import type { Action, Call } from "../../model/vocabulary.ts";
import { World } from "../../model/world.ts";

/** Over HTTP there is only the shop's own account. */
const OVER_HTTP: Reach = { waits: false, rebinds: false, holdsUp: false, hibernates: 0.2, crashes: 2, scripted: 0.6 };
const AT_THE_OBJECT: Reach = { ...OVER_HTTP, rebinds: true, holdsUp: true };

interface ToldOfObject extends Told {
  /** What the model plays against the pure gateway instead: the same actions, with that one's numbers. */
  retold: Action[];
}

/**
 * Plays the history of a seed.
 *
 * @param shop whose `number`-th terminal nobody has used yet
 * @param most random steps
 */
async function playAgainstObject(
  shop: Shop,
  number: number,
  seed: number,
  most: number,
  notice: (what: string) => void,
  faults: Faults,
): Promise<ToldOfObject> {
  faults.begin(seed);
  const random = createRandom(seed);
  const overHttp = random.chance(0.15);
  const gateway = new ObjectGateway(shop, number, overHttp);
  const setting = drawSetting(random, [requestLife("90")]);
  const world = new World(setting, Date.now());
  const posPrograms = new PosPrograms(`${number}.`);
  const actions: Action[] = [];
  try {
    for (const action of byChance(world, random, overHttp ? OVER_HTTP : AT_THE_OBJECT, posPrograms, most)) {
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

/** Rounds in which everything must be reported once nothing fails anymore. In each some minutes pass. */
const ROUNDS = 40;
const MINUTES = 6 * 60_000;

interface Row {
  requestId: string;
  posId: string;
  statusCode: string;
}

/** Throws a Violation unless every status comes to be recorded, once and without a gap. */
async function judgeRecorded(terminalId: string): Promise<void> {
  for (let round = 0; ; round++) {
    const missing = await firstMissing(terminalId);
    if (missing === null) return;
    if (round === ROUNDS) throw new Violation("I7", missing);
    vi.setSystemTime(Date.now() + MINUTES);
    await runDurableObjectAlarm(env.TERMINAL.getByName(terminalId));
    await scheduler.wait(1);
  }
}

/** What is not recorded as it should be yet; null: everything is. */
async function firstMissing(terminalId: string): Promise<string | null> {
  const rows = await rowsOf(terminalId);
  for (const posId of new Set(rows.map((row) => row.posId))) {
    const told = await eventsOf(posId, terminalId);
    for (const { requestId, statusCode } of rows.filter((row) => row.posId === posId)) {
      const own = told.filter(({ data }) => data.requestId === requestId);
      if (own.filter(({ type }) => type === "transaction.completed").length > 1) {
        throw new Violation("I7", `${requestId} is completed twice`);
      }
      const newest = own.at(-1)?.data.statusCode ?? "nothing";
      if (newest !== statusCode) return `${requestId} is ${statusCode}, and recorded is ${newest}`;
    }
  }
  return null;
}

/** Transactions that have had a status to tell of. */
function rowsOf(terminalId: string): Promise<Row[]> {
  return runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, { storage }) =>
    journalIn(storage).flatMap(({ requestId, posId, transType, state, revision, outcome }) => {
      const statusCode = state === "completed" ? (outcome?.statusCode ?? "nothing") : "22";
      return transType === null || revision === 0 ? [] : [{ requestId: String(requestId), posId, statusCode }];
    }),
  );
}

/** The account's events of one terminal, in their order; the numbers of all its events have no gap. */
function eventsOf(posId: string, terminalId: string): Promise<TransactionEvent[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => {
    const { events, newest } = storage.sql
      .exec<{ events: number; newest: number | null }>("SELECT COUNT(*) AS events, MAX(number) AS newest FROM events")
      .one();
    if (events !== (newest ?? 0)) throw new Violation("I7", `${posId} has ${events} events, the newest is ${newest}`);
    return eventsIn(storage).filter(
      (event): event is TransactionEvent => isAboutTransaction(event) && event.data.deviceId === terminalId,
    );
  });
}

const { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES } = env;
const { seed, first, histories } = selection(
  { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES },
  "OBJECT_MODEL",
);

/** Terminals of one account: its requests stay below the rate limit of a minute. */
const TERMINALS = 300;

/** Random steps of one history, at most. */
const STEPS = 20;

/** The default seed reaches every expected state within 40 histories; another one may take longer. */
const ENOUGH_FOR_COVERAGE = seed === 1 ? 60 : 300;

/** All of this must have happened in a run of some size. */
const OBJECT_STATES: readonly string[] = [
  "22 cleared up as 00",
  "22 cleared up as 11",
  "closed with 4001",
  "closed with 4004",
  "closed with 1011",
  "frame of a connection that was left",
  "late 00 after 22",
  "sent again",
  "shown: 00 00",
  "shown: 11 05",
  "shown: 11 CANCELLED",
  "shown: 11 NOT_DELIVERED",
  "shown: 11 NOT_VOIDABLE",
  "shown: 11 TERMINAL_BUSY",
  "shown: 11 TERMINAL_OFFLINE",
  "shown: 11 TERMINAL_REFUSED",
  "shown: 22 09",
  "shown: 22 IN_PROGRESS",
  "shown: 22 UNCONFIRMED",
];

/** Later than any real clock: the platform never fires an alarm by itself, only the model does. */
const START = Date.UTC(2031, 0, 5, 8);

describe("the terminal's object", () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
    // A line per call is a hundred thousand lines that nobody reads.
    for (const method of ["log", "warn", "error"] as const)
      vi.spyOn(console, method).mockImplementation(() => undefined);
  });

  afterAll(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it(
    `keeps its promises in ${histories} histories of seed ${seed}`,
    { timeout: TEST_PATIENCE + histories * 5_000 },
    async ({ expect }) => {
      const seen = new Set<string>();
      const notice = (what: string): void => void seen.add(what);
      const faults = new Faults();
      let shop: Shop | null = null;
      for (let played = 0; played < histories; played++) {
        const number = played % TERMINALS;
        if (shop === null || number === 0) shop = await Shop.open(Math.min(TERMINALS, histories - played));
        const history = first + played;
        const told = await playAgainstObject(shop, number, historySeed(seed, history), STEPS, notice, faults);
        if (told.violation !== null) expect.fail(explain(told, history));
      }
      if (histories >= ENOUGH_FOR_COVERAGE) expect(OBJECT_STATES.filter((what) => !seen.has(what))).toEqual([]);
    },
  );
});

/** Where the lane alone fails in the same way, a short history of it says more. */
function explain(told: ToldOfObject, history: number): string {
  const { violation, setting, actions, retold } = told;
  if (violation === null) return "";
  const again = command("OBJECT_MODEL", seed, history);
  const pure = playActions(setting, retold);
  if (pure.violation === null) {
    return `${report({ violation, setting, actions, again })}\nThe lane alone keeps its promises in this history.`;
  }
  return report({ violation: pure.violation, setting, actions: minimise({ ...pure, actions: retold }), again });
}
