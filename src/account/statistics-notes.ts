/** Sends an account's hours to D1 from time to time while something happens (`statistics/limits.ts`). */
import { NoteWriter } from "../objects/note-writer.ts";
import type { Turns } from "../objects/turns.ts";
import { SEND_EVERY } from "../statistics/limits.ts";
import { writeHours } from "../storage/statistics.ts";
import type { HoursNews, StatisticsBook } from "./statistics-book.ts";
import type { AccountRecordStore } from "./storage/record.ts";

export interface StatisticsNotesParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  records: AccountRecordStore;
  book: StatisticsBook;
  turns: Turns;
}

/**
 * The numbers are computed when they are written, not when they become due, because every turn asks whether they are
 * due.
 */
interface Telling {
  at: number;
  news: HoursNews | null;
}

export class StatisticsNotes {
  readonly #book: StatisticsBook;
  readonly #writer: NoteWriter<Telling>;

  constructor({ context, database, records, book, turns }: StatisticsNotesParts) {
    this.#book = book;
    this.#writer = new NoteWriter<Telling>({
      context,
      turns,
      due: (now) => {
        const due = book.due(now);
        return due === null || due.at > now ? null : { at: now, news: null };
      },
      since: ({ at }) => at - SEND_EVERY,
      write: async (telling) => {
        telling.news = book.news(telling.at);
        const { hours } = telling.news;
        const notes = [...hours].map(([hour, counted]) => ({ hour, ...counted }));
        await writeHours(database, records.posId, notes);
      },
      written: ({ at, news }) => {
        if (news !== null) book.told(news.upTo, at);
      },
      about: () => ({ account: records.posId }),
    });
  }

  /** Starts to send what is due; called at the end of every turn. */
  start(now: number): void {
    this.#writer.start(now);
  }

  /**
   * When D1 must be updated, epoch milliseconds; null: no alarm is needed. If the instance is reset before it sends,
   * the numbers are sent with the next transaction or when the day closes.
   */
  nextDeadline(now: number): number | null {
    const due = this.#book.due(now);
    return due !== null && due.at > now ? due.alarm : this.#writer.nextDeadline(now, false);
  }
}
