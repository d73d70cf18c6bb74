/** Reads an account's feed to its end, and waits for what comes. It keeps the number that it has read last. */
import { setTimeout as delay } from "node:timers/promises";
import type { JournalFile } from "../journal-file.ts";
import type { Wire } from "../journal.ts";
import { call, NoReply, parsed } from "../wire/http.ts";
import type { Account } from "./account.ts";
import type { Session } from "./session.ts";

/** Seconds that a call waits for an event. */
const WAIT = 15;

export class Reader {
  readonly #account: Account;
  readonly #session: Session;
  readonly #journal: JournalFile;
  #last = 0;

  constructor(account: Account, session: Session, journal: JournalFile) {
    this.#account = account;
    this.#session = session;
    this.#journal = journal;
  }

  async follow(closing: AbortSignal): Promise<void> {
    while (!closing.aborted && this.#account.state !== "deleted") {
      const count = await this.#page(WAIT);
      if (count === null) await delay(500);
    }
  }

  /** Reads until nothing is left. Resolves to the last number, or null if a call fails. */
  async toTheEnd(): Promise<number | null> {
    for (;;) {
      const count = await this.#page(0);
      if (count === null) return null;
      if (count === 0) return this.#last;
    }
  }

  /** Resolves to how many events there were; null: the call failed. */
  async #page(wait: number): Promise<number | null> {
    const token = await this.#session.token();
    if (token === null) return null;
    const after = this.#last;
    try {
      const { status, text } = await call(this.#account.door.port, {
        method: "GET",
        path: `/api/events?after=${after}`,
        token,
        headers: wait === 0 ? {} : { Prefer: `wait=${wait}` },
        within: (wait + 15) * 1_000,
      });
      if (status === 401 || status === 403) this.#session.refused(token);
      if (status !== 200) return null;
      const { data, next } = parsed(text) as { data: Wire[]; next: number };
      this.#last = next;
      if (data.length > 0) this.#journal.write({ kind: "feed.read", posId: this.#account.posId, after, events: data });
      return data.length;
    } catch (error) {
      if (error instanceof NoReply) return null;
      throw error;
    }
  }
}
