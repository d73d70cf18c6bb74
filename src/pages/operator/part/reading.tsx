import { createContext, type ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { OperatorRole } from "../../../protocol/operator-roles.ts";
import { Notice } from "../../page/shown.tsx";
import { usePolling, type Polled } from "../../page/use-polling.ts";
import { Calls, isCallError, NONE, problemOf, type Query } from "../calls.ts";
import { linkTo, SECTIONS, type SectionName } from "../route.ts";

export const CallsContext = createContext(new Calls(null));

/** The page offers only what this role may do. */
export const RoleContext = createContext<OperatorRole>("viewer");

export function useCalls(): Calls {
  return useContext(CallsContext);
}

/** Every `every` milliseconds while the page is visible; 0: once. */
export function useReading<Value>(
  read: (calls: Calls) => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
): Polled<Value> {
  const calls = useCalls();
  return usePolling(() => read(calls), every, [calls, ...inputs], isCallError);
}

interface FoundProps<Value> {
  reading: Polled<Value | typeof NONE>;
  /** Of the link back. */
  section: SectionName;
  /** For a thing that does not exist. */
  none: string;
  children: (value: Value) => ComponentChildren;
}

export function Found<Value>({ reading: { value, problem }, section, none, children }: FoundProps<Value>) {
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  if (value === NONE) return <Notice tone="bad">{none}</Notice>;
  return (
    <>
      <p>
        <a href={linkTo(section)}>{SECTIONS.find(({ name }) => name === section)?.label}</a>
      </p>
      {problem !== null && <Notice tone="pending">Not up to date. {problem}</Notice>}
      {children(value)}
    </>
  );
}

export interface ListPage<Row> {
  data: Row[];
  /** Missing if the list has only one page. */
  next?: string | null;
}

export interface List<Row, Page extends ListPage<Row> = ListPage<Row>> {
  path: string;
  query: Query;
  /** With the page's other members; null: not read yet. */
  first: Page | null;
  /** null: not read yet. */
  rows: Row[] | null;
  problem: string | null;
  busy: boolean;
  more: boolean;
  readMore: () => void;
  /** From the beginning. */
  again: () => void;
}

/** A page may be empty and still have a next one. Reads at most this many before the user must ask for more. */
const PAGES_AT_ONCE = 5;
/** Rows that are enough to show without another click. */
const ENOUGH = 25;

const NOTHING = { first: null, rows: null, next: null, problem: null, busy: true };

interface ListOptions<Row> {
  /**
   * Milliseconds after which the first rows are read again while the page is visible, unless the user has read more; 0:
   * never.
   */
  every?: number;
  /** Keeps only rows that fit, and reads until there are enough. Another `by` starts the list again. */
  keep?: { by: string; fits: (row: Row) => boolean };
}

export function useList<Row, Page extends ListPage<Row> = ListPage<Row>>(
  path: string,
  query: Query,
  { every = 0, keep }: ListOptions<Row> = {},
): List<Row, Page> {
  type Known = Pick<List<Row, Page>, "first" | "rows" | "problem" | "busy"> & { next: string | null };
  const calls = useCalls();
  const [state, setState] = useState<Known>(NOTHING);
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
        const readPage = (cursor: string | null) => calls.get<Page>(path, { ...query, cursor: cursor ?? undefined });
        const { first, rows, next } = await readRows(readPage, from, keep?.fits);
        set((known) => ({
          first: from === null ? first : known.first,
          rows: [...before, ...rows],
          next,
          problem: null,
          busy: false,
        }));
      } catch (error) {
        const problem = problemOf(error);
        set((known) => ({ ...known, problem, busy: false }));
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
  const { next, ...shown } = state;
  const readMore = (): void => {
    hasMore.current = true;
    void read(state.rows ?? [], next);
  };
  return { path, query, ...shown, more: next !== null, readMore, again: () => void read([], null) };
}

/** Stops when there are enough rows that fit. */
async function readRows<Row, Page extends ListPage<Row>>(
  readPage: (cursor: string | null) => Promise<Page>,
  from: string | null,
  fits: (row: Row) => boolean = () => true,
) {
  const first = await readPage(from);
  const rows = first.data.filter(fits);
  let { next = null } = first;
  for (let pages = 1; next !== null && pages < PAGES_AT_ONCE && rows.length < ENOUGH; pages++) {
    const page = await readPage(next);
    rows.push(...page.data.filter(fits));
    next = page.next ?? null;
  }
  return { first, rows, next };
}
