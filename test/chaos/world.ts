/** Everybody who takes part in a run. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Random } from "../../src/sdk/simulator/random.ts";
import { Door } from "./door.ts";
import { Gateway } from "./gateway.ts";
import { type Journal, streamOf, Turns, until } from "./journal.ts";
import { hoursNearMidnight, PatientOperator, zoneAhead } from "./operator.ts";
import { type Account, Shop } from "./shop.ts";
import { Terminal } from "./terminal.ts";

/** Milliseconds that one thing may take, with everything that may happen meanwhile. */
const PATIENCE = 300_000;

export class World {
  readonly gateway: Gateway;
  readonly journal: Journal;
  readonly operator: PatientOperator;
  readonly shops: Shop[] = [];
  /** All that ever were, also deleted ones. */
  readonly terminals: Terminal[] = [];
  readonly retired = new Set<Terminal>();
  /** Only one thing at a time happens to the gateway as a whole. */
  readonly gatewayTurns = new Turns();
  readonly #seed: number;

  private constructor(gateway: Gateway, operator: PatientOperator, journal: Journal, seed: number) {
    this.gateway = gateway;
    this.operator = operator;
    this.journal = journal;
    this.#seed = seed;
  }

  /** Starts a gateway with nothing in it, from the project in `root`. */
  static async begin(folder: string, root: string, journal: Journal, seed: number): Promise<World> {
    const token = randomBytes(24).toString("base64url");
    journal.addNeedle("operator token", token);
    const variables = { MASTER_KEYS: newMasterKey("k1", journal), OPERATOR_TOKENS: `operator:${token}` };
    const gateway = await Gateway.start(join(folder, "gateway"), variables, root);
    return new World(gateway, new PatientOperator(gateway.url, token, journal), journal, seed);
  }

  get working(): Terminal[] {
    return this.terminals.filter((terminal) => !this.retired.has(terminal));
  }

  get open(): Shop[] {
    return this.shops.filter(({ account }) => account.state !== "deleted");
  }

  random(...names: readonly (string | number)[]): Random {
    return streamOf(this.#seed, ...names);
  }

  /** Opens the shops and their terminals, when nothing disturbs yet. */
  async openAll(accounts: number, terminals: number): Promise<void> {
    for (let number = 1; number <= accounts; number++) {
      const own = Math.ceil((terminals + 1 - number) / accounts);
      // More POSes than terminals, so that some wait for their turn.
      const shop = await this.#openShop(number, 2 * own);
      for (let index = 0; index < own; index++) await this.#openTerminal(shop);
    }
  }

  async #openShop(number: number, poses: number): Promise<Shop> {
    const [posId, merchantId] = [`POS-${number}`, `M-${number}`];
    // Where midnight comes soon: two hours further east, the day is over.
    const hoursAhead = hoursNearMidnight();
    const terms = { posId, merchantId, currency: "MYR", timezone: zoneAhead(hoursAhead) };
    const { password, signingKey } = (await this.operator.insist("POST", "/accounts", terms)) ?? {};
    const account: Account = {
      posId,
      merchantId,
      door: await Door.open(this.gateway.port),
      password: String(password),
      signingKey: String(signingKey),
      devices: new Set(),
      hoursAhead,
      hoursNow: hoursAhead,
      state: "active",
      doubles: 0,
    };
    const shop = new Shop(account, this.journal, poses, (name) => this.random(posId, name));
    await shop.openWebhook();
    this.shops.push(shop);
    return shop;
  }

  async #openTerminal(shop: Shop): Promise<void> {
    const terminalId = `T-${this.terminals.length + 1}`;
    const enrolled = await this.operator.insist("POST", "/terminals", { terminalId, isVT: 0 });
    const door = await Door.open(this.gateway.port);
    const secret = String(enrolled?.["secret"]);
    const terminal = new Terminal(terminalId, secret, door, this.journal, this.random(terminalId));
    this.terminals.push(terminal);
    await terminal.switchOn();
    await until(`${terminalId} is bound`, PATIENCE, () => shop.bind(terminal));
    shop.account.devices.add(terminalId);
  }

  /** Binds a terminal to another account, if that succeeds. */
  async move(terminal: Terminal, to: Shop): Promise<void> {
    await terminal.turns.take(async () => {
      if (this.retired.has(terminal) || to.account.state !== "active" || !(await to.bind(terminal))) return;
      for (const { account } of this.shops) account.devices.delete(terminal.terminalId);
      to.account.devices.add(terminal.terminalId);
    });
  }

  async deleteTerminal(terminal: Terminal): Promise<void> {
    await terminal.turns.take(async () => {
      if (this.working.length <= this.shops.length) return;
      if ((await this.operator.insist("DELETE", `/terminals/${terminal.terminalId}`)) === null) return;
      this.retired.add(terminal);
      for (const { account } of this.shops) account.devices.delete(terminal.terminalId);
    });
  }

  /** Its terminals go to another shop. */
  async deleteShop({ account }: Shop): Promise<void> {
    if (this.open.length < 2 || account.state !== "active") return;
    account.state = "deleted";
    const { posId, devices } = account;
    this.journal.write("deleted", { posId });
    await this.operator.insist("DELETE", `/accounts/${posId}?force=true`);
    const orphans = this.working.filter(({ terminalId }) => devices.has(terminalId));
    for (const terminal of orphans) {
      await until(`${terminal.terminalId} has another account`, PATIENCE, async () => {
        await this.move(terminal, this.random(posId, terminal.terminalId).pick(this.open));
        return this.retired.has(terminal) || !devices.has(terminal.terminalId);
      });
    }
  }

  /** Puts a new master key first, as docs/maintenance says. The next start of the gateway uses it. */
  addMasterKey(): void {
    const { MASTER_KEYS: keys = "", ...others } = this.gateway.variables;
    const key = newMasterKey(`k${keys.split(",").length + 1}`, this.journal);
    this.gateway.variables = { ...others, MASTER_KEYS: `${key},${keys}` };
  }
}

function newMasterKey(name: string, journal: Journal): string {
  const key = randomBytes(32).toString("base64");
  journal.addNeedle("master key", key);
  return `${name}:${key}`;
}
