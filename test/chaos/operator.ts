/** The operator of the gateway, and what it does beside the shops. What it decides is in the journal. */
import { setTimeout as delay } from "node:timers/promises";
import {
  CommandError,
  OperatorClient,
  type OperatorAnswer,
  type OperatorRow,
} from "../../src/sdk/command-line/operator-client.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import { between, type Journal, until } from "./journal.ts";
import type { Shop } from "./shop.ts";
import type { Terminal } from "./terminal.ts";
import type { World } from "./world.ts";

export class PatientOperator extends OperatorClient {
  readonly #journal: Journal;

  constructor(url: string, token: string, journal: Journal) {
    super(url, token);
    this.#journal = journal;
  }

  /** With status 0 if no answer came: it is unknown whether the call was carried out. */
  override async call(method: string, path: string, body?: object): Promise<OperatorAnswer> {
    const answer = await super.call(method, path, body).catch((error: unknown) => {
      if (error instanceof CommandError) return { status: 0, body: {} };
      throw error;
    });
    this.#journal.addNeedlesIn(answer.body);
    return answer;
  }

  /** Calls until it succeeds, in good times and bad; a deletion also when it finds nothing more. Null: given up. */
  async insist(method: string, path: string, body?: object): Promise<OperatorRow | null> {
    for (let left = 40; left > 0; await delay(500)) {
      const { status, body: answer } = await this.call(method, path, body);
      if ((status >= 200 && status < 300) || (method === "DELETE" && status === 404)) return answer;
      // A start of the gateway takes many calls that nobody answers.
      left -= status === 0 ? 0.25 : 1;
    }
    return null;
  }

  /** A terminal's transactions, newest first; none if the gateway does not answer. */
  async transactions({ terminalId }: Terminal, most: number): Promise<OperatorRow[]> {
    return this.rows(`/terminals/${terminalId}/transactions`, {}, most).catch(() => []);
  }

  /** Resolves to the HTTP status. */
  async resolve({ terminalId }: Terminal, requestId: unknown, statusCode: "00" | "11"): Promise<number> {
    const path = `/terminals/${terminalId}/transactions/${String(requestId)}/resolve`;
    const call = this.#journal.writeCall("deciding", { requestId, statusCode });
    const { status } = await this.call("POST", path, { statusCode, reason: "The acquirer's list says so." });
    this.#journal.write("decided", { call, status });
    return status;
  }
}

/** What of a terminal's transactions an operator looks at. */
const LOOKED_AT = 50;

/** Resolves what no terminal can, or no POS asks about: by the terminal's ledger, as the acquirer's list has it. */
export async function resolveLost({ operator, terminals, retired, open }: World): Promise<void> {
  const accounts = new Set<unknown>(open.map(({ account }) => account.posId));
  for (const terminal of terminals) {
    for (const { requestId, posId, state } of await operator.transactions(terminal, LOOKED_AT)) {
      const isLost = terminal.hasForgotten && !terminal.held.includes(String(requestId));
      if (state === "completed" || !(isLost || retired.has(terminal) || !accounts.has(posId))) continue;
      const isMoved = terminal.ledger.moneyMoved(String(requestId)) !== undefined;
      // Whatever is still on its way to the host is refused there from now on.
      if (!isMoved) terminal.ledger.reverse(String(requestId));
      await operator.resolve(terminal, requestId, isMoved ? "00" : "11");
    }
  }
}

/** Decides without waiting for a terminal, or what is completed. Resolves to the status of the answer; 0: there was nothing. */
export async function resolveHastily({ operator, terminals }: World, isOpen: boolean, random: Random): Promise<number> {
  const terminal = random.pick(terminals);
  const rows = await operator.transactions(terminal, LOOKED_AT);
  const found = rows.filter(({ state }) => (state !== "completed") === isOpen);
  if (found.length === 0) return 0;
  return operator.resolve(terminal, random.pick(found)["requestId"], random.pick(["00", "11"]));
}

/** Resolves one against its terminal's result, which will conflict. Throws if the resolution is refused. */
export async function resolveAgainst({ operator }: World, terminal: Terminal, requestId: string): Promise<void> {
  const statusCode = terminal.ledger.moneyMoved(requestId) === undefined ? "00" : "11";
  // It is not open before the request's end.
  const isDecided = async (): Promise<boolean> => (await operator.resolve(terminal, requestId, statusCode)) === 200;
  await until(`the decision about ${requestId} is taken`, 60_000, isDecided);
}

/**
 * Two hours further east, the first day of an account is over and closes at once. Back in the west it is that day again,
 * which stays closed.
 */
export async function moveZone({ operator }: World, { account }: Shop): Promise<void> {
  const { hoursAhead, hoursNow, posId } = account;
  const next = hoursNow === hoursAhead ? hoursAhead + 2 : hoursAhead;
  const moved = await operator.insist("PATCH", `/accounts/${posId}`, { timezone: zoneAhead(next) });
  if (moved !== null) account.hoursNow = next;
}

/** Hours that local time is ahead of UTC, from -12 to 11, where midnight comes in 20 to 80 minutes: after the run. */
export function hoursNearMidnight(): number {
  const hour = (new Date(Date.now() + 1_200_000).getUTCHours() + 1) % 24;
  return hour <= 12 ? -hour : 24 - hour;
}

/** The sign of these names is that of UTC minus local time. */
export function zoneAhead(hours: number): string {
  return hours <= 0 ? `Etc/GMT+${-hours}` : `Etc/GMT-${hours}`;
}

export const ACTIONS = {
  /** A suspended shop sells nothing. Afterwards it goes on. */
  async suspend({ operator, open }: World, random: Random) {
    const { account } = random.pick(open);
    account.state = "suspended";
    await operator.insist("PATCH", `/accounts/${account.posId}`, { status: "suspended" });
    await delay(between(random, 1_000, 10_000));
    await operator.insist("PATCH", `/accounts/${account.posId}`, { status: "active" });
    account.state = "active";
  },

  async rotate({ operator, open }: World, random: Random) {
    const { account } = random.pick(open);
    const body = { revokePrevious: random.chance(0.3) };
    const key = (await operator.insist("POST", `/accounts/${account.posId}/signing-key`, body))?.["signingKey"];
    if (typeof key === "string") account.signingKey = key;
  },

  async password({ operator, open }: World, random: Random) {
    const { account } = random.pick(open);
    const password = (await operator.insist("POST", `/accounts/${account.posId}/password`, {}))?.["password"];
    if (typeof password === "string") account.password = password;
  },

  async rebind(world: World, random: Random) {
    await world.move(random.pick(world.working), random.pick(world.open));
  },

  async zone(world: World, random: Random) {
    await moveZone(world, random.pick(world.open));
  },

  async resolve(world: World, random: Random) {
    await resolveLost(world);
    await resolveHastily(world, random.chance(0.5), random);
  },

  /** Deletes a terminal or an account permanently, while there are others. */
  async delete(world: World, random: Random) {
    if (random.chance(0.6)) await world.deleteTerminal(random.pick(world.working));
    else await world.deleteShop(random.pick(world.open));
  },

  /** A new master key: the gateway starts with it, and encrypts everything again. */
  async "master-keys"(world: World) {
    await world.gatewayTurns.take(async () => {
      world.addMasterKey();
      await world.journal.during("restart", "all", async () => {
        await world.gateway.end();
        await world.gateway.restart();
      });
    });
    await until("everything is sealed with the new master key", 120_000, async () => {
      const { status, body } = await world.operator.call("POST", "/master-keys/reseal");
      const left = (body["left"] ?? []) as { accounts: number; terminals: number }[];
      // Bind keys stay with the old one until they expire.
      return status === 200 && left.every(({ accounts, terminals }) => accounts === 0 && terminals === 0);
    });
  },
} as const satisfies Record<string, (world: World, random: Random) => Promise<void>>;

export type Action = keyof typeof ACTIONS;
