/** An account and everybody who works for it: tills, a reader of its feed, and a server with its webhook. */
import { setTimeout as delay } from "node:timers/promises";
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { login } from "../terminal/link.ts";
import { until } from "../turns.ts";
import { call, noReply, type Reply } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";
import { datetimeOf } from "./clock.ts";
import { Receiver } from "./receiver.ts";
import { type Account, type Books, Session } from "./session.ts";
import { Till } from "./till.ts";

/** Seconds that a read of the feed waits for an event. */
const WAIT = 15;

export class Shop {
  readonly account: Account;
  readonly tills: readonly Till[];
  readonly receiver: Receiver;
  /** Of its back office. */
  readonly #session: Session;
  readonly #books: Books;
  /** The number of the last event that its reader has. */
  #last = 0;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(account: Account, books: Books, receiver: Receiver, tills: Till[]) {
    this.account = account;
    this.receiver = receiver;
    this.tills = tills;
    this.#books = books;
    this.#session = new Session(account, books, false);
  }

  static async open(account: Account, books: Books, tills: number, random: Random): Promise<Shop> {
    const { needles, journal } = books;
    const receiver = await Receiver.start(account.posId, journal);
    // Two shops may use the same references: they are the account's own.
    const all = Array.from({ length: tills }, (_, index) => {
      const name = `R${index + 1}`;
      return new Till(name, new Session(account, books, index % 2 === 1), random.of(name));
    });
    const shop = new Shop(account, books, receiver, all);
    await until(`${account.posId} has a webhook`, 120_000, async () => {
      // After a lost answer the account may have one more than its shop knows.
      const { path, url } = receiver.newAddress();
      needles.add("webhook address", path);
      const { status, body } = await shop.#session.signedCall("POST", "/api/webhooks", { url });
      if (status !== 201) return null;
      const [id, secret] = [String(body["id"]), String(body["secret"])];
      needles.add("webhook secret", secret.replace("whsec_", ""));
      receiver.trusts(id, secret);
      return true;
    });
    return shop;
  }

  /** Works until the signal says that the shops close. */
  work(closing: AbortSignal): void {
    this.#work = Promise.all([...this.tills.map(async (till) => till.work(closing)), this.#follow(closing)]);
  }

  async worked(): Promise<void> {
    await this.#work;
  }

  async readAgain(): Promise<void> {
    this.#last = 0;
    while ((await this.#read(0)) > 0);
  }

  /** Has its webhook deliver at once, whatever failed before. Resolves to whether nothing is left. */
  async isDelivered(): Promise<boolean> {
    const path = `/api/webhooks/${this.receiver.webhookId}`;
    const { body } = await this.#session.call({ method: "GET", path });
    if (body["behind"] === 0) return true;
    await this.#session.signedCall("PATCH", path, { enabled: true });
    return false;
  }

  /** A terminal comes to the account: the till shows a key, and somebody types it in at the terminal. */
  async bind({ identity }: Terminal): Promise<Reply> {
    const { body } = await this.#session.call({ method: "GET", path: "/api/bind-terminal-key" });
    const { key } = body;
    if (typeof key !== "string") return noReply("no key can be had");
    this.#books.needles.add("bind key", key);
    const token = await login(identity);
    if (token === null) return noReply("the terminal cannot log in");
    const message = signed({ key, datetime: datetimeOf(identity.clock.now()) }, identity.secret);
    return call(identity.door.port, { method: "POST", path: "/terminal/bind", token, body: message });
  }

  async #follow(closing: AbortSignal): Promise<void> {
    while (!closing.aborted && this.account.state !== "deleted") {
      if ((await this.#read(WAIT)) < 0) await delay(500);
    }
  }

  /** Resolves to how many events there were; -1: the call failed. */
  async #read(wait: number): Promise<number> {
    const after = this.#last;
    const { status, body } = await this.#session.call({
      method: "GET",
      path: `/api/events?after=${after}`,
      headers: wait === 0 ? {} : { Prefer: `wait=${wait}` },
      within: (wait + 15) * 1_000,
    });
    if (status !== 200) return -1;
    const { data, next } = body as { data: Wire[]; next: number };
    this.#last = next;
    const { posId } = this.account;
    if (data.length > 0) this.#books.journal.write({ kind: "feed.read", posId, after, events: data });
    return data.length;
  }
}
