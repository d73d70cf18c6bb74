/** Everybody who takes part in a run. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Door } from "./gateway/door.ts";
import { Gateway } from "./gateway/gateway.ts";
import type { JournalFile } from "./journal-file.ts";
import { Needles } from "./needles.ts";
import { Operator, type OperatorReply } from "./operator/operator.ts";
import type { Random } from "./random.ts";
import { Account } from "./shop/account.ts";
import { Calls } from "./shop/asking.ts";
import { bind } from "./shop/binding.ts";
import { DeviceClock, hoursNearMidnight, zoneAhead } from "./shop/clock.ts";
import { Shop } from "./shop/shop.ts";
import { Host } from "./terminal/host.ts";
import { Terminal } from "./terminal/terminal.ts";
import { Turns, until } from "./turns.ts";

/** What a call of the operator may take, with everything that may happen meanwhile. */
const PATIENCE = 300_000;

export class World {
  readonly gateway: Gateway;
  readonly journal: JournalFile;
  readonly random: Random;
  readonly operator: Operator;
  readonly needles: Needles;
  readonly host = new Host();
  readonly shops: Shop[] = [];
  /** All that ever were, also deleted ones. */
  readonly terminals: Terminal[] = [];
  readonly retired = new Set<Terminal>();
  /** Only one thing at a time happens to the gateway as a whole. */
  readonly gatewayTurns = new Turns();
  readonly closing = new AbortController();
  readonly #calls = new Calls();
  readonly #numbers = { shops: 0, terminals: 0 };
  readonly #operatorToken: string;
  #masterKeys: string[];

  private constructor(details: WorldDetails) {
    this.gateway = details.gateway;
    this.journal = details.journal;
    this.random = details.random;
    this.needles = details.needles;
    this.#operatorToken = details.operatorToken;
    this.#masterKeys = details.masterKeys;
    this.operator = new Operator(this.gateway.port, details.operatorToken, this.journal);
  }

  /** Starts a gateway with nothing in it, from the project in `root`. */
  static async begin(folder: string, root: string, journal: JournalFile, random: Random): Promise<World> {
    const needles = new Needles();
    const operatorToken = randomBytes(24).toString("base64url");
    needles.add("operator token", operatorToken);
    const masterKeys = [newMasterKey(1, needles)];
    const variables = variablesOf(masterKeys, operatorToken);
    const gateway = await Gateway.start(join(folder, "gateway"), variables, root);
    return new World({ gateway, journal, random, needles, operatorToken, masterKeys });
  }

  /** Terminals that are in use. */
  get working(): Terminal[] {
    return this.terminals.filter((terminal) => !this.retired.has(terminal));
  }

  /** Shops whose account is not deleted. */
  get open(): Shop[] {
    return this.shops.filter(({ account }) => account.state !== "deleted");
  }

  /** Opens the first shops and their terminals, all at the same time. Names and order are the same in each run. */
  async openAll(accounts: number, terminals: number): Promise<void> {
    this.#numbers.shops = accounts;
    this.#numbers.terminals = terminals;
    const opened = await Promise.all(
      Array.from({ length: accounts }, async (_, at) => {
        const numbers = Array.from({ length: terminals }, (__, one) => one + 1).filter((one) => one % accounts === at);
        const shop = await this.openShop(numbers.length, at + 1);
        const all: Terminal[] = [];
        for (const number of numbers) all.push(await this.openTerminal(shop, number));
        return { shop, all };
      }),
    );
    this.shops.splice(0, accounts, ...opened.map(({ shop }) => shop));
    this.terminals.splice(0, terminals, ...opened.flatMap(({ all }) => all));
  }

  shopOf({ account }: Terminal): Shop | null {
    return this.shops.find((shop) => shop.account === account) ?? null;
  }

  async openShop(tills: number, number = (this.#numbers.shops += 1)): Promise<Shop> {
    const merchantId = `M-${number}`;
    const hoursAhead = hoursNearMidnight(Date.now());
    let tries = 0;
    const { body } = await until(`account ${number}`, PATIENCE, async () => {
      // After an answer that was lost, nobody knows the account's key: the next one has another id. The gateway draws its
      // password: checking one that people choose takes a fifth of a second of CPU.
      const posId = `POS-${number}${"x".repeat(tries++)}`;
      // Where midnight comes soon, sessions end within a long run; and two hours further east, the day is over.
      const terms = { merchantId, currency: "MYR", timezone: zoneAhead(hoursAhead) };
      return createdOrNull(await this.operator.call("POST", "/accounts", { posId, ...terms }));
    });
    const key = String(body["signingKey"]);
    const password = String(body["password"]);
    this.needles.add("password", password);
    this.needles.add("signing key", key);
    const door = await Door.open(this.gateway.port);
    const account = new Account({ posId: String(body["posId"]), merchantId, door, password, key, hoursAhead });
    const { journal, needles } = this;
    const random = this.random.of(account.posId);
    const shop = await Shop.open({ account, tills, journal, needles, random, calls: this.#calls });
    this.shops.push(shop);
    return shop;
  }

  /** Enrols a terminal, binds it and switches it on. */
  async openTerminal(shop: Shop, number = (this.#numbers.terminals += 1)): Promise<Terminal> {
    let tries = 0;
    const { body } = await until(`terminal ${number}`, PATIENCE, async () => {
      const terminalId = `T-${number}${"x".repeat(tries++)}`;
      return createdOrNull(await this.operator.call("POST", "/terminals", { terminalId, isVT: 0 }));
    });
    const secret = String(body["secret"]);
    const terminalId = String(body["terminalId"]);
    this.needles.add("terminal secret", secret);
    const { journal, host, needles } = this;
    const door = await Door.open(this.gateway.port);
    const identity = { terminalId, secret, door, clock: new DeviceClock(), needles };
    const random = this.random.of(terminalId);
    const terminal = new Terminal({ identity, account: shop.account, journal, host, random });
    this.terminals.push(terminal);
    terminal.switchOn();
    await until(`${terminalId} is bound`, PATIENCE, async () => {
      const reply = await bind(terminal, shop.account, shop.session);
      return reply?.status === 200 ? true : null;
    });
    shop.account.devices.add(terminalId);
    return terminal;
  }

  /** Puts a new master key first, as docs/maintenance says. The next start of the gateway uses it. */
  async newMasterKey(): Promise<void> {
    this.#masterKeys = [newMasterKey(this.#masterKeys.length + 1, this.needles), ...this.#masterKeys];
    await this.gateway.configure(variablesOf(this.#masterKeys, this.#operatorToken));
  }
}

interface WorldDetails {
  gateway: Gateway;
  journal: JournalFile;
  random: Random;
  needles: Needles;
  operatorToken: string;
  masterKeys: string[];
}

function newMasterKey(number: number, needles: Needles): string {
  const key = randomBytes(32).toString("base64");
  needles.add("master key", key);
  return `k${number}:${key}`;
}

function variablesOf(masterKeys: readonly string[], operatorToken: string): Record<string, string> {
  return { MASTER_KEYS: masterKeys.join(","), OPERATOR_TOKENS: `operator:${operatorToken}` };
}

function createdOrNull(reply: OperatorReply | null): OperatorReply | null {
  return reply?.status === 201 ? reply : null;
}
