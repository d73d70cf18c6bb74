/** An account and everybody who works for it: tills, a reader of its feed, and a server with its webhook. */
import { randomBytes } from "node:crypto";
import type { JournalFile } from "../journal-file.ts";
import type { Needles } from "../needles.ts";
import type { Random } from "../random.ts";
import type { Account } from "./account.ts";
import { Asking, type Calls } from "./asking.ts";
import { DeviceClock } from "./clock.ts";
import { Reader } from "./reader.ts";
import { Receiver } from "./receiver.ts";
import { Session } from "./session.ts";
import { Till } from "./till.ts";
import { addWebhook } from "./webhooks.ts";
import { until } from "../turns.ts";

export class Shop {
  readonly account: Account;
  readonly tills: readonly Till[];
  readonly receiver: Receiver;
  /** Of its back office. */
  readonly session: Session;
  readonly #journal: JournalFile;
  readonly #needles: Needles;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(details: ShopDetails, receiver: Receiver) {
    const { account, journal, needles, random, calls } = details;
    this.account = account;
    this.receiver = receiver;
    this.#journal = journal;
    this.#needles = needles;
    this.session = this.#newSession(new DeviceClock(), false);
    this.tills = Array.from({ length: details.tills }, (_, index) => {
      const clock = new DeviceClock();
      const session = this.#newSession(clock, index % 2 === 1);
      const asking = new Asking({ account, session, journal, calls });
      // Two shops may use the same references: they are the account's own.
      const name = `R${index + 1}`;
      return new Till({ name, account, clock, asking, random: random.of(name), needles });
    });
  }

  static async open(details: ShopDetails): Promise<Shop> {
    const { account, journal, needles } = details;
    const receiver = await Receiver.start(account.posId, journal);
    const shop = new Shop(details, receiver);
    const { id, secret } = await until(`${account.posId} has a webhook`, 120_000, async () => {
      const { path, url } = receiver.newAddress();
      needles.add("webhook address", path);
      return addWebhook(account, shop.session, url);
    });
    needles.add("webhook secret", secret.replace("whsec_", ""));
    receiver.trusts(id, secret);
    return shop;
  }

  /** Works until the signal says that the shops close. */
  work(closing: AbortSignal): void {
    const reader = new Reader(this.account, this.session, this.#journal);
    this.#work = Promise.all([...this.tills.map(async (till) => till.work(closing)), reader.follow(closing)]);
  }

  /** Resolves when all have gone home. */
  async worked(): Promise<void> {
    await this.#work;
  }

  /** Reads its feed from the first event on. Resolves to the last number; null: a call failed. */
  async readAgain(): Promise<number | null> {
    return new Reader(this.account, this.session, this.#journal).toTheEnd();
  }

  #newSession(clock: DeviceClock, signs: boolean): Session {
    return new Session({ account: this.account, clock, needles: this.#needles, signs });
  }
}

export interface ShopDetails {
  account: Account;
  tills: number;
  journal: JournalFile;
  needles: Needles;
  random: Random;
  calls: Calls;
}

/** As people would not choose it. */
export function newPassword(): string {
  return `pw-${randomBytes(15).toString("base64url")}`;
}
