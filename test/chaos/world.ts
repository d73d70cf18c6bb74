/** Everybody who takes part in a run. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Door } from "./gateway/door.ts";
import { Gateway } from "./gateway/gateway.ts";
import { type JournalFile, Needles } from "./journal-file.ts";
import { Operator } from "./operator/operator.ts";
import type { Random } from "./random.ts";
import { DeviceClock, hoursNearMidnight, zoneAhead } from "./shop/clock.ts";
import type { Account } from "./shop/session.ts";
import { Shop } from "./shop/shop.ts";
import { Host } from "./terminal/book.ts";
import { Terminal } from "./terminal/terminal.ts";
import { Turns, until } from "./turns.ts";
import type { Reply } from "./wire/http.ts";

/** What a call of the operator may take, with everything that may happen meanwhile. */
const PATIENCE = 300_000;

export type Say = (sentence: string) => void;

export class World {
  readonly gateway: Gateway;
  readonly journal: JournalFile;
  readonly needles: Needles;
  readonly random: Random;
  readonly operator: Operator;
  readonly host = new Host();
  readonly shops: Shop[] = [];
  /** All that ever were, also deleted ones. */
  readonly terminals: Terminal[] = [];
  readonly retired = new Set<Terminal>();
  /** Only one thing at a time happens to the gateway as a whole. */
  readonly gatewayTurns = new Turns();
  readonly closing = new AbortController();
  readonly #numbers = { shops: 0, terminals: 0 };
  readonly #secrets: Secrets;

  private constructor(gateway: Gateway, secrets: Secrets, journal: JournalFile, random: Random) {
    this.gateway = gateway;
    this.journal = journal;
    this.random = random;
    this.needles = secrets.needles;
    this.#secrets = secrets;
    this.operator = new Operator(gateway.port, secrets.operatorToken, journal);
  }

  /** Starts a gateway with nothing in it, from the project in `root`. */
  static async begin(folder: string, root: string, journal: JournalFile, random: Random): Promise<World> {
    const secrets = new Secrets();
    const gateway = await Gateway.start(join(folder, "gateway"), secrets.variables(), root);
    return new World(gateway, secrets, journal, random);
  }

  get working(): Terminal[] {
    return this.terminals.filter((terminal) => !this.retired.has(terminal));
  }

  get open(): Shop[] {
    return this.shops.filter(({ account }) => account.state !== "deleted");
  }

  /** Opens the first shops and their terminals, all at the same time. Names and order are the same in each run. */
  async openAll(accounts: number, terminals: number): Promise<void> {
    Object.assign(this.#numbers, { shops: accounts, terminals });
    const opening = Array.from({ length: accounts }, async (_, at) => {
      const numbers = Array.from({ length: terminals }, (__, one) => one + 1).filter((one) => one % accounts === at);
      const shop = await this.openShop(numbers.length, at + 1);
      for (const number of numbers) await this.openTerminal(shop, number);
    });
    await Promise.all(opening);
    this.shops.sort((one, other) => byNumber(one.account.posId, other.account.posId));
    this.terminals.sort((one, other) => byNumber(one.terminalId, other.terminalId));
  }

  async openShop(tills: number, number = (this.#numbers.shops += 1)): Promise<Shop> {
    const merchantId = `M-${number}`;
    // Where midnight comes soon, sessions end within a long run; and two hours further east, the day is over.
    const hoursAhead = hoursNearMidnight(Date.now());
    const terms = { merchantId, currency: "MYR", timezone: zoneAhead(hoursAhead) };
    const body = await this.#created("/accounts", (tries) => ({ posId: `POS-${number}${tries}`, ...terms }));
    const account: Account = {
      posId: String(body["posId"]),
      merchantId,
      door: await Door.open(this.gateway.port),
      passwords: [String(body["password"])],
      key: String(body["signingKey"]),
      devices: new Set(),
      hoursAhead,
      isEast: false,
      state: "active",
    };
    this.needles.add("password", body["password"]);
    this.needles.add("signing key", account.key);
    const shop = await Shop.open(account, this, tills, this.random.of(account.posId));
    this.shops.push(shop);
    return shop;
  }

  /** Enrols a terminal, binds it and switches it on. */
  async openTerminal(shop: Shop, number = (this.#numbers.terminals += 1)): Promise<Terminal> {
    const body = await this.#created("/terminals", (tries) => ({ terminalId: `T-${number}${tries}`, isVT: 0 }));
    const [terminalId, secret] = [String(body["terminalId"]), String(body["secret"])];
    this.needles.add("terminal secret", secret);
    const { journal, needles } = this;
    const door = await Door.open(this.gateway.port);
    const identity = { terminalId, secret, door, clock: new DeviceClock(), needles, journal };
    const terminal = new Terminal(identity, shop.account, this.host, this.random.of(terminalId));
    this.terminals.push(terminal);
    terminal.switchOn();
    await until(`${terminalId} is bound`, PATIENCE, async () =>
      (await shop.bind(terminal)).status === 200 ? true : null,
    );
    shop.account.devices.add(terminalId);
    return terminal;
  }

  /** Puts a new master key first, as docs/maintenance says. The next start of the gateway uses it. */
  async newMasterKey(): Promise<void> {
    this.#secrets.newMasterKey();
    await this.gateway.configure(this.#secrets.variables());
  }

  /** Creates something. After an answer that was lost, nobody knows its secrets: the next one has another name. */
  async #created(path: string, body: (tries: string) => object): Promise<Reply["body"]> {
    let tries = "";
    return until(`${path} has one more`, PATIENCE, async () => {
      const reply = await this.operator.call("POST", path, body(tries));
      tries += "x";
      return reply.status === 201 ? reply.body : null;
    });
  }
}

function byNumber(name: string, other: string): number {
  return name.localeCompare(other, "en", { numeric: true });
}

class Secrets {
  readonly needles = new Needles();
  readonly operatorToken = randomBytes(24).toString("base64url");
  readonly #masterKeys: string[] = [];

  constructor() {
    this.needles.add("operator token", this.operatorToken);
    this.newMasterKey();
  }

  newMasterKey(): void {
    const key = randomBytes(32).toString("base64");
    this.needles.add("master key", key);
    this.#masterKeys.unshift(`k${this.#masterKeys.length + 1}:${key}`);
  }

  variables(): Record<string, string> {
    return { MASTER_KEYS: this.#masterKeys.join(","), OPERATOR_TOKENS: `operator:${this.operatorToken}` };
  }
}
