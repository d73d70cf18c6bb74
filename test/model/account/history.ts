/** A random history of two accounts' objects, which its judges follow. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { KID, sealedPassword } from "../../support/gateway/account/books.ts";
import { signedMessage } from "../../support/gateway/account/samples.ts";
import { CarriedOut, Days, decimal, feedOf, judgeFeed, judgeHours, judgeRest, judgePending } from "./judges.ts";
import type { Faults } from "./faults.ts";
import { type Entry, Ledger, type Payment, voidOf } from "./ledger.ts";
import { Violation } from "../oracle.ts";
import type { Random } from "../../../src/sdk/simulator/random.ts";
import { type Errand, Shop } from "./shop.ts";
import { Terminal } from "../../../src/gateway/index.ts";
import { auditOf } from "../../support/audit.ts";
import { uniqueId } from "../../support/gateway.ts";
import { eventually } from "../../support/patience.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** East and west of each other, by most of a day. */
const ZONES = ["UTC", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kuala_Lumpur"];

const CURRENCIES = ["MYR", "SGD", "JPY"];

const CHANNELS = ["VISA", "Touch 'n Go", null];

/** References that POS programs choose from: few, so that they clash. */
const REFERENCES = Array.from({ length: 12 }, (_, index) => `r${index}`);

/** The most rounds in which everything must come to rest once nothing is disturbed any more. */
const ROUNDS = 60;

/**
 * One history: two accounts, two terminals, and everything that can go wrong between them. POS programs are admitted,
 * terminals carry out and tell, the operator changes and rebinds; answers are lost, calls repeated, entries come late
 * and in another order; the object is reset, its storage breaks in the middle of a turn, D1 refuses; the clock jumps a
 * year.
 */
export class History {
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #notice: (what: string) => void;
  readonly #shops: Shop[];
  readonly #ledgers: Ledger[];
  readonly #errands: Errand[] = [];
  readonly #done = new CarriedOut();
  readonly #days: Days[];

  constructor(random: Random, faults: Faults, notice: (what: string) => void) {
    this.#random = random;
    this.#faults = faults;
    this.#notice = notice;
    this.#shops = ["a", "b"].map((name) => new Shop(uniqueId(name)));
    this.#days = this.#shops.map((shop) => new Days(shop));
    this.#ledgers = [1, 2].map((number) => new Ledger(uniqueId(`t${number}`), number * 1_000_000_000));
  }

  async play(steps: number): Promise<void> {
    vi.spyOn(Terminal.prototype, "applyAccountUpdate").mockImplementation(this.#applyAccountUpdate(this.#ledgers));
    for (const shop of this.#shops) await shop.open();
    for (const ledger of this.#ledgers) ledger.bind(this.#random.pick(this.#shops).posId);
    for (const ledger of this.#ledgers) await this.#tellBinding(ledger);
    for (let step = 0; step < steps; step++) await this.#step();
    await this.#rest();
  }

  #applyAccountUpdate(ledgers: readonly Ledger[]): Terminal["applyAccountUpdate"] {
    const isAway = () => this.#random.chance(0.2) && this.#faults.areOn;
    return async function applyAccountUpdate(this: Terminal, posId, update) {
      const { id } = Reflect.get(this, "ctx") as DurableObjectState;
      if (isAway()) throw new Error("the terminal's object is away");
      ledgers.find(({ terminalId }) => terminalId === id.name)?.hear(posId, update);
      return { kind: "done" };
    };
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const steps: [weight: number, step: () => Promise<void> | void][] = [
      [10, () => this.#ask()],
      [12, () => this.#deliver()],
      [10, () => this.#outcome()],
      [8, () => this.#record(random.pick(this.#ledgers))],
      [2, () => this.#tellBinding(random.pick(this.#ledgers))],
      [1, () => this.#rebind()],
      [2, () => this.#operate()],
      [1, () => this.#login()],
      [1, () => abortAllDurableObjects()],
      [1, () => this.#alarm(random.pick(this.#shops))],
      [1, () => void (this.#faults.refuses = random.chance(0.5))],
      [2, () => this.#passTime()],
      [1, () => this.#lookAtDays()],
    ];
    let drawn = random.below(steps.reduce((sum, [weight]) => sum + weight, 0));
    const [, step] = steps.find(([weight]) => (drawn -= weight) < 0) ?? [];
    await step?.();
  }

  /** A POS sends a message; the answer to the call may be lost, and the call is repeated. */
  async #ask(): Promise<void> {
    const random = this.#random;
    const shop = random.pick(this.#shops);
    const [sessionId, session] = random.chance(0.8) ? await shop.session() : random.pick([...shop.sessions]);
    const bound = this.#ledgers.filter(({ posId }) => posId === shop.posId);
    const { terminalId: deviceId } = random.pick(bound.length > 0 && random.chance(0.8) ? bound : this.#ledgers);
    const reference = random.pick(REFERENCES);
    const kind = random.chance(0.8) ? "submit" : "cancel";
    const { key } = random.pick(shop.validKeys);
    const { posId } = shop;
    const message = signedMessage(key, { kind, posId, sessionId, deviceId, referenceId: reference });
    const admission = await this.#faults.call(() => shop.object.admit(message), "admit");
    if (admission === null) return;
    this.#notice(`admission: ${admission.kind}`);
    if (admission.kind === "wrong-signature") throw new Violation("keys", "a valid key is refused");
    if (admission.kind !== "admitted") {
      const isValid = !session.isEnded && Date.now() < session.until;
      if (isValid && admission.kind === "session-ended") throw new Violation("session", "a valid session has ended");
      return;
    }
    if (session.isEnded) throw new Violation("session", "a message of an ended session is admitted");
    if (shop.status !== "active") throw new Violation("terms", `a message to a ${shop.status} account is admitted`);
    if (kind === "submit") this.#errands.push({ shop, deviceId, reference, admission });
  }

  /** What was admitted reaches its terminal, perhaps after others, perhaps twice. */
  #deliver(): void {
    const errand = this.#errands[this.#random.below(this.#errands.length)];
    if (errand === undefined) return;
    if (this.#random.chance(0.8)) this.#errands.splice(this.#errands.indexOf(errand), 1);
    const { shop, deviceId, reference, admission } = errand;
    const ledger = this.#ledgers.find(({ terminalId }) => terminalId === deviceId);
    if (ledger === undefined || ledger.find(shop.posId, reference) !== undefined) return;
    // The terminal has forgotten what the account has on record: nothing may be promised.
    if (admission.recorded || !ledger.mayStart(shop.posId, admission.terms)) return;
    const voids = this.#random.chance(0.3) ? this.#voidable(ledger, shop.posId) : null;
    const payment = voids === null ? this.#payment(admission.terms.currency) : voidOf(voids);
    const entry = ledger.start(shop.posId, reference, Date.now(), payment, voids);
    this.#done.started(deviceId, entry, Date.now());
    this.#notice(`carried out: ${entry.type}`);
  }

  #payment(currency: string): Payment {
    const random = this.#random;
    const amount = () => decimal(1 + random.below(random.pick([50, 5_000, 99_999_999_999])));
    const isCashOut = random.chance(0.2);
    return {
      type: isCashOut ? "cashOut" : "sale",
      transAmt: amount(),
      cashAmt: isCashOut ? amount() : null,
      currency,
      paymentChannel: random.pick(CHANNELS),
    };
  }

  #voidable({ entries }: Ledger, posId: string): Entry | null {
    const isFree = (sale: Entry): boolean =>
      entries.every((other) => other.voids !== sale || other.statusCode === "11");
    const sales = entries.filter(
      (entry) => entry.posId === posId && entry.type !== "void" && entry.statusCode === "00" && isFree(entry),
    );
    return sales.length === 0 ? null : this.#random.pick(sales);
  }

  #outcome(): void {
    const ledger = this.#random.pick(this.#ledgers);
    const open = ledger.entries.filter(({ completedAt }) => completedAt === null);
    if (open.length === 0) return;
    const statusCode = this.#random.pick(["00", "00", "11", "22"] as const);
    ledger.becomes(this.#random.pick(open), statusCode, Date.now());
    this.#notice(`outcome: ${statusCode}`);
  }

  /** A terminal's object delivers its pending entries, in any order, with copies of what it delivered before. */
  async #record(ledger: Ledger): Promise<void> {
    const creditors = this.#shops.filter(({ posId }) => ledger.owed(posId).length > 0);
    const shop = this.#random.pick(creditors.length > 0 ? creditors : this.#shops);
    const owed = ledger.owed(shop.posId).filter(() => this.#random.chance(0.7));
    const late = ledger.entries.filter(({ posId, reported }) => posId === shop.posId && reported.length > 0);
    const copies = this.#random.chance(0.5) && late.length > 0 ? this.#random.pick(late).reported : [];
    const newest = owed.flatMap(({ reported }) => reported.slice(-1));
    const entries = [...newest, ...copies].toSorted(() => this.#random.next() - 0.5);
    if (entries.length === 0) return;
    const answer = await this.#faults.call(() => shop.object.record(entries), "record");
    for (const { requestId, revision } of answer?.recorded ?? []) this.#acknowledged(ledger, requestId, revision);
  }

  #acknowledged(ledger: Ledger, requestId: number, revision: number): void {
    const entry = ledger.entries.find((one) => one.requestId === requestId);
    if (entry === undefined || revision <= entry.acknowledged) return;
    entry.acknowledged = revision;
    entry.acknowledgedAt = Date.now();
  }

  async #tellBinding(ledger: Ledger): Promise<void> {
    for (const [posId, update] of ledger.update) {
      const shop = this.#shops.find((one) => one.posId === posId);
      const reported = { terminalId: ledger.terminalId, ...update };
      const answer = await this.#faults.call(async () => shop?.object.deviceChanged(reported), "deviceChanged");
      if (answer === null || answer === undefined) continue;
      if (ledger.update.get(posId)?.bindingVersion === update.bindingVersion) ledger.update.delete(posId);
      if (ledger.posId === posId) ledger.hear(posId, answer);
    }
  }

  #rebind(): void {
    const ledger = this.#random.pick(this.#ledgers);
    const active = this.#shops.filter(({ status }) => status !== "deleted");
    ledger.bind(active.length === 0 || this.#random.chance(0.2) ? null : this.#random.pick(active).posId);
    this.#notice("rebound");
  }

  async #operate(): Promise<void> {
    const shop = this.#random.pick(this.#shops);
    if (shop.status === "deleted") return;
    const what = this.#random.pick([
      "suspend",
      "activate",
      "password",
      "zone",
      "currency",
      "key",
      "delete",
      "name",
    ] as const);
    if (what === "delete" && this.#random.chance(0.7)) return;
    this.#notice(`operator: ${what}`);
    switch (what) {
      case "suspend":
        await shop.change({ status: "suspended" });
        shop.status = "suspended";
        shop.endSessions();
        break;
      case "activate":
        await shop.change({ status: "active" });
        shop.status = "active";
        break;
      case "password":
        shop.password = `${shop.password}+`;
        await shop.change({ sealedPassword: sealedPassword(shop.posId, shop.password) });
        shop.endSessions();
        break;
      case "zone":
        await shop.change({ timezone: this.#random.pick(ZONES) });
        break;
      case "currency":
        await shop.change({ currency: this.#random.pick(CURRENCIES) });
        break;
      case "name":
        await shop.change({ name: "Counter" });
        break;
      case "key":
        if (await shop.rotate(this.#random.chance(0.5))) shop.actions.push("account.signing-key");
        break;
      case "delete":
        await shop.object.remove("tester");
        shop.actions.push("account.delete");
        shop.status = "deleted";
        shop.endSessions();
        break;
    }
  }

  async #login(): Promise<void> {
    const shop = this.#random.pick(this.#shops);
    const wrong = await shop.object.openSession(shop.password.slice(0, -1), KID);
    if (wrong.kind === "opened") throw new Violation("session", "opened with the password before");
    await shop.login();
  }

  async #alarm(shop: Shop): Promise<void> {
    const stub = env.ACCOUNT.getByName(shop.posId);
    const alarmAt = () => runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
    const set = await alarmAt();
    if (set === null) return;
    if (set - Date.now() > DAY) await this.#tellAll();
    const due = (await alarmAt()) ?? set;
    vi.setSystemTime(Math.max(Date.now(), due));
    await runDurableObjectAlarm(stub);
    const next = await alarmAt();
    if (next !== null && next <= Date.now()) throw new Violation("alarm", "fires without end");
  }

  /** Seconds, hours, a day, or more than a year. */
  async #passTime(): Promise<void> {
    const span = this.#random.pick([SECOND, 600 * SECOND, 7 * HOUR, DAY, 401 * DAY]);
    if (span > DAY) await this.#tellAll();
    vi.setSystemTime(Date.now() + span);
    if (span <= DAY) return;
    this.#notice("a year has passed");
    this.#errands.splice(0);
    for (const ledger of this.#ledgers) ledger.forget(Date.now());
    for (const shop of this.#shops) {
      shop.endSessions();
      await shop.login();
      for (let step = 0; step < 4; step++) await this.#alarm(shop);
    }
  }

  /**
   * What must have happened before more than a day has passed: every transaction passes its end within minutes, and an
   * alarm reports what is owed again every few minutes.
   */
  async #tellAll(): Promise<void> {
    for (const ledger of this.#ledgers) {
      for (const entry of ledger.entries) if (entry.revision === 0) ledger.becomes(entry, "22", Date.now());
    }
    await this.#completedebts();
  }

  async #lookAtDays(): Promise<void> {
    for (const days of this.#days) if ((await days.judge()) > 0) this.#notice("a day was closed");
  }

  /** Nothing is disturbed any more, and every outbox is delivered. */
  async #completedebts(): Promise<void> {
    const wasOn = this.#faults.areOn;
    this.#faults.areOn = false;
    for (let round = 0; round < ROUNDS; round++) {
      for (const ledger of this.#ledgers) {
        await this.#tellBinding(ledger);
        for (const shop of this.#shops) {
          const owed = ledger.owed(shop.posId).flatMap(({ reported }) => reported.slice(-1));
          const { recorded } = await shop.object.record(owed);
          for (const { requestId, revision } of recorded) this.#acknowledged(ledger, requestId, revision);
        }
      }
      if (this.#shops.every(({ posId }) => this.#ledgers.every((ledger) => ledger.owed(posId).length === 0))) break;
    }
    for (const { posId } of this.#shops) judgeRest(this.#ledgers, posId);
    this.#faults.areOn = wasOn;
  }

  async #rest(): Promise<void> {
    await this.#completedebts();
    await this.#lookAtDays();
    this.#faults.areOn = false;
    for (const shop of this.#shops) {
      await eventually(async () => {
        await this.#alarm(shop);
        await this.#judgeCopy(shop);
        this.#judgeTerms(shop);
        await judgePending(shop.posId);
        if ((await judgeHours(shop.posId, Date.now())) > 0) this.#notice("hours were reported");
      });
      judgeFeed(shop.posId, await feedOf(shop.posId), this.#done.entries, Date.now());
    }
  }

  /** A terminal that is bound to the account has its current terms. */
  #judgeTerms(shop: Shop): void {
    for (const { terms, posId } of this.#ledgers) {
      const known = terms.get(shop.posId);
      const isCurrent = shop.status === "deleted" ? posId !== shop.posId : known?.kind === "terms";
      if (posId === shop.posId && !isCurrent) throw new Violation("terms", "a terminal does not know its account");
      if (posId === shop.posId && known?.kind === "terms" && known.status !== shop.status) {
        throw new Violation("terms", `a terminal takes its account for ${known.status}`);
      }
    }
  }

  /** D1 has the account as it stands, and each audit row once, in order. */
  async #judgeCopy({ posId, status, actions }: Shop): Promise<void> {
    const copy = await env.DATABASE.prepare("SELECT status FROM accounts WHERE pos_id = ?").bind(posId).first("status");
    const audit = (await auditOf(posId)).map(({ action }) => action);
    if (copy !== status) throw new Violation("D1", `${posId} is ${status}, and listed as ${String(copy)}`);
    if (audit.join() !== actions.join()) throw new Violation("D1", `audit log: ${audit.join()}, not ${actions.join()}`);
  }
}
