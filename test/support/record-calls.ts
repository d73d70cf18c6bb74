/** What accounts' objects are asked to record: watched, and disturbed if a test wants it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import type { RecordAnswer, RecordEntry } from "../../src/gateway/account/rpc.ts";
import { isAboutTransaction } from "../../src/protocol/events.ts";
import { Account } from "../../src/gateway/index.ts";
import type { Failure } from "./database.ts";
import { eventsIn } from "./stored-rows.ts";
import { eventually } from "./patience.ts";

interface RecordCall {
  posId: string;
  at: number;
  entries: RecordEntry[];
}

export class RecordCalls {
  readonly calls: RecordCall[] = [];
  /** Entries that this says yes to are left out, as if they could not be recorded. */
  refuses: (entry: RecordEntry) => boolean = () => false;
  /** How the objects fail; null: they work. `hang`: until that changes. */
  #failure: Failure | null;
  #changed = Promise.withResolvers<void>();

  /** Watches until the test ends. */
  constructor(failure: Failure | null = null) {
    this.#failure = failure;
    // The method of the prototype, to be called on the object that is meant.
    const record = Reflect.get<Account, "record">(Account.prototype, "record");
    const watch = this.#record.bind(this);
    const spy = vi.spyOn(Account.prototype, "record").mockImplementation(async function watched(
      this: Account,
      entries,
    ) {
      return watch(this.ctx.id.name ?? "", entries, (some) => record.call(this, some));
    });
    onTestFinished(() => {
      this.become(null);
      spy.mockRestore();
    });
  }

  become(failure: Failure | null): void {
    this.#failure = failure;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Every entry so far, as `number revision status`, the numbers counted from `first`. */
  told(first = 0): string[] {
    return this.calls.flatMap(({ entries }) =>
      entries.map(
        ({ requestId, revision, transaction }) => `${requestId - first} ${revision} ${transaction.statusCode}`,
      ),
    );
  }

  async until(calls: number): Promise<void> {
    await eventually(() => {
      if (this.calls.length < calls) throw new Error(`${this.calls.length} calls, not ${calls}`);
    });
    // The answer is taken in a separate turn.
    await scheduler.wait(20);
  }

  async #record(
    posId: string,
    entries: RecordEntry[],
    record: (entries: RecordEntry[]) => Promise<RecordAnswer>,
  ): Promise<RecordAnswer> {
    this.calls.push({ posId, at: Date.now(), entries });
    if (this.#failure === "hang") await this.#changed.promise;
    if (this.#failure === "fail") throw new Error("the account's object is not there");
    const answer = await record(entries.filter((entry) => !this.refuses(entry)));
    if (this.#failure === "lose") throw new Error("the answer is lost");
    return answer;
  }
}

/** What an account has recorded: `number status` of each event, in their order. */
export function recordedBy(posId: string): Promise<string[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) =>
    eventsIn(storage)
      .filter(isAboutTransaction)
      .map(({ data }) => `${data.requestId} ${data.statusCode}`),
  );
}
