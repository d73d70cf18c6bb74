import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isCallError, problemOf } from "../calls.ts";
import type { Query } from "../calls.ts";
import { useCalls } from "./use-calls.ts";

export interface ListPage<Row> {
  data: Row[];
  next: string | null;
}

export interface List<Row, Page extends ListPage<Row> = ListPage<Row>> {
  /** The first page with its other members; null: not read yet. */
  first: Page | null;
  /** null: not read yet. */
  rows: Row[] | null;
  problem: string | null;
  busy: boolean;
  more: boolean;
  readMore: () => void;
  /** Reads the list again from the beginning. */
  again: () => void;
}

/** A page may be empty and still have a next one. This many are read before the user must ask for more. */
const PAGES_AT_ONCE = 5;
/** This many rows are enough to show without another click. */
const ENOUGH = 25;

interface Known<Row, Page> {
  first: Page | null;
  rows: Row[] | null;
  next: string | null;
  problem: string | null;
  busy: boolean;
}

const NOTHING = { first: null, rows: null, next: null, problem: null, busy: true };

export interface ListOptions<Row> {
  /**
   * Milliseconds after which the first rows are read again while the page is visible, unless the user has read more; 0:
   * never.
   */
  every?: number;
  /** Keeps some rows only, by `by`: the list is read until there are enough of them. */
  keep?: { by: string; fits: (row: Row) => boolean };
}

/** A list with pages: the first rows, and more on demand. */
export function useList<Row, Page extends ListPage<Row> = ListPage<Row>>(
  path: string,
  query: Query,
  { every = 0, keep }: ListOptions<Row> = {},
): List<Row, Page> {
  const calls = useCalls();
  const [state, setState] = useState<Known<Row, Page>>(NOTHING);
  const round = useRef(0);
  const hasMore = useRef(false);
  const key = JSON.stringify([path, query, keep?.by]);
  const read = useCallback(
    async (before: Row[], from: string | null): Promise<void> => {
      const own = ++round.current;
      const set: typeof setState = (change) => {
        if (own === round.current) setState(change);
      };
      set((known) => ({ ...known, busy: true }));
      try {
        const rows = [...before];
        let next = from;
        let first: Page | null = null;
        for (let pages = 0; pages < PAGES_AT_ONCE && rows.length < before.length + ENOUGH; pages++) {
          const page = await calls.get<Page>(path, { ...query, cursor: next ?? undefined });
          first ??= page;
          rows.push(...(keep === undefined ? page.data : page.data.filter(keep.fits)));
          next = page.next;
          if (next === null) break;
        }
        set((known) => ({ first: from === null ? first : known.first, rows, next, problem: null, busy: false }));
      } catch (error) {
        if (!isCallError(error)) throw error;
        set((known) => ({ ...known, problem: problemOf(error), busy: false }));
      }
    },
    [calls, key],
  );
  useEffect(() => {
    hasMore.current = false;
    void read([], null);
    return () => void round.current++;
  }, [read]);
  useEffect(() => {
    if (every === 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !hasMore.current) void read([], null);
    }, every);
    return () => clearInterval(timer);
  }, [read, every]);
  return {
    first: state.first,
    rows: state.rows,
    problem: state.problem,
    busy: state.busy,
    more: state.next !== null,
    readMore: () => {
      hasMore.current = true;
      void read(state.rows ?? [], state.next);
    },
    again: () => void read([], null),
  };
}
