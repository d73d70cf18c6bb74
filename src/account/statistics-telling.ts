/** When D1 is told an account's hours: from time to time while something happens (`statistics/limits.ts`). */
import type { Untold } from "../objects/storage/untold.ts";
import type { Paced, Telling } from "../objects/untold/database.ts";
import type { Waiting } from "../objects/untold/decisions.ts";
import { SEND_EVERY } from "../statistics/limits.ts";
import { statisticsStatements, toldUpTo } from "../storage/statistics.ts";
import type { StatisticsBook } from "./statistics-book.ts";
import type { AccountRecordStore } from "./storage/record.ts";

export interface StatisticsTellingParts {
  database: D1Database;
  records: AccountRecordStore;
  book: StatisticsBook;
  untold: Untold;
}

export class StatisticsTelling implements Paced {
  readonly #parts: StatisticsTellingParts;

  constructor(parts: StatisticsTellingParts) {
    this.#parts = parts;
  }

  waiting(now: number): Waiting | null {
    const due = this.#parts.book.due(now);
    return due === null ? null : { notBefore: due.at, wakeAt: due.alarm };
  }

  telling(now: number): Telling {
    const { database, records, book, untold } = this.#parts;
    const news = book.news(now);
    const since = now - SEND_EVERY;
    return {
      since,
      statements: statisticsStatements(database, records.posId, news),
      taken: (_after, results) => book.told(news.upTo, toldUpTo(results) ?? news.upTo, now),
      failed: (after) => untold.notTold(since, after),
    };
  }
}
