/**
 * Tells the account's terminals about new terms, suspension and deletion. SQL stores which version each terminal knows, so
 * the duty to tell them is as durable as the change itself.
 */
import { applyPrebinding } from "../binding/prebinding.ts";
import { log, logError } from "../log.ts";
import type { Turns } from "../objects/turns.ts";
import { inParallel } from "../parallel.ts";
import { terminalStub } from "../terminal/stub.ts";
import { within } from "../within.ts";
import { termsOf } from "./admission.ts";
import type { TermsNews } from "./calls.ts";
import { CALL_WAIT, NEWS_AT_ONCE, NEWS_LONGEST_RETRY, NEWS_RETRY } from "./limits.ts";
import type { Devices } from "./storage/devices.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface NewsParts {
  context: Pick<DurableObjectState, "waitUntil">;
  env: Env;
  records: AccountRecordStore;
  devices: Devices;
  turns: Turns;
}

/** What a terminal of the account must know now. */
export function newsOf(record: AccountRecord | null): TermsNews {
  // No account: the data were lost. Version 1 is the lowest, so an account that is created later is newer.
  if (record === null) return { kind: "deleted", version: 1 };
  if (record.status === "deleted") return { kind: "deleted", version: record.newsVersion };
  return { kind: "terms", terms: termsOf(record), status: record.status };
}

export class News {
  readonly #parts: NewsParts;
  #telling: Promise<void> | null = null;
  #retryAt: number | null = null;
  #pause = NEWS_RETRY;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** Starts to tell the terminals that are behind. Called at the end of every turn. */
  start(now: number): void {
    const { record } = this.#parts.records;
    if (record === null || this.#telling !== null || record.newsTold >= record.newsVersion) return;
    if (this.#retryAt !== null && now < this.#retryAt) return;
    this.#telling = this.#tell(record);
    this.#parts.context.waitUntil(this.#telling);
  }

  /** Waits until all are told, up to this many milliseconds. The rest are told later. */
  async sendWithin(milliseconds: number): Promise<void> {
    const told = async (): Promise<void> => {
      while (this.#telling !== null) await this.#telling;
    };
    await within(milliseconds, told()).catch(() => undefined);
  }

  /** When to tell terminals, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    const { record } = this.#parts.records;
    if (record === null || record.newsTold >= record.newsVersion) return null;
    // An alarm in case the object is reset meanwhile.
    return this.#telling === null ? (this.#retryAt ?? now + NEWS_RETRY) : now + CALL_WAIT;
  }

  async #tell(record: AccountRecord): Promise<void> {
    const { posId, newsVersion, status } = record;
    const { env, devices, records, turns } = this.#parts;
    const terminalIds = devices.notTold(newsVersion, NEWS_AT_ONCE);
    const news = newsOf(record);
    const told: string[] = [];
    await inParallel(terminalIds, NEWS_AT_ONCE, async (terminalId) => {
      try {
        const answer = await within(CALL_WAIT, terminalStub(env, terminalId).accountNews(posId, news));
        if (answer.kind === "done") told.push(terminalId);
      } catch (error) {
        log("warning", "terminal-not-told", { account: posId, terminal: terminalId, detail: String(error) });
      }
    });
    // Another account's prebind list may be waiting for these terminals.
    if (status === "deleted") await applyPrebinding(env, told);
    this.#telling = null;
    try {
      turns.take((now) => {
        for (const terminalId of told) devices.told(terminalId, newsVersion);
        const all = told.length === terminalIds.length;
        if (devices.notTold(newsVersion, 1).length === 0) records.update({ newsTold: newsVersion });
        this.#retryAt = all ? null : now + this.#pause;
        this.#pause = all ? NEWS_RETRY : Math.min(this.#pause * 2, NEWS_LONGEST_RETRY);
      });
    } catch (error) {
      logError("news-not-kept", error, { account: posId });
    }
  }
}
