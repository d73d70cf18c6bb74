import { createContext, type ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { OperatorRole } from "../../../protocol/operator-roles.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../../protocol/time/units.ts";
import { Button } from "../../page/controls.tsx";
import { Notice } from "../../page/shown.tsx";
import { usePolling, whileVisible, type Polled } from "../../page/use-polling.ts";
import { OperatorCalls, isCallError, NONE, callProblem, type CallQuery } from "../operator-calls.ts";
import { linkTo, SECTIONS, type SectionName } from "../route.ts";
import { Updated } from "./panel.tsx";

export const CallsContext = createContext(new OperatorCalls(null));

/** The page offers only what this role may do. */
export const RoleContext = createContext<OperatorRole>("viewer");

export function useCalls(): OperatorCalls {
  return useContext(CallsContext);
}

/** Everything on the page is read again so often while somebody looks at it. */
const REFRESH_EVERY: Milliseconds = 10 * SECOND;

/** @param every 0 reads once */
export function useReading<Value>(
  read: (calls: OperatorCalls) => Promise<Value>,
  inputs: readonly unknown[],
  every = REFRESH_EVERY,
): Polled<Value> {
  const calls = useCalls();
  return usePolling(() => read(calls), every, [calls, ...inputs], isCallError);
}

/** In place of what is not read yet, or could not be read. */
export function Waiting({ problem, again }: { problem: string | null; again: () => void }) {
  if (problem === null) return <p class="soft">Loading…</p>;
  return (
    <div class="row" role="status">
      <Notice tone="bad">{problem}</Notice>
      <Button onClick={again}>Retry</Button>
    </div>
  );
}

interface ReadingProps<Value> {
  reading: Polled<Value>;
  children: (value: Value) => ComponentChildren;
}

export function Reading<Value>({ reading: { value, problem, again }, children }: ReadingProps<Value>) {
  return value === null ? <Waiting problem={problem} again={again} /> : <>{children(value)}</>;
}

interface FoundProps<Value> {
  reading: Polled<Value | typeof NONE>;
  /** The section that the link back leads to. */
  section: SectionName;
  /** For a thing that does not exist. */
  none: string;
  children: (value: Value) => ComponentChildren;
}

export function Loaded<Value>({ reading, section, none, children }: FoundProps<Value>) {
  const { value, readAt, problem, again } = reading;
  if (value === null) return <Waiting problem={problem} again={again} />;
  if (value === NONE) return <Notice tone="bad">{none}</Notice>;
  return (
    <>
      <p class="row spread">
        <a href={linkTo(section)}>{SECTIONS.find(({ name }) => name === section)?.label}</a>
        <Updated at={readAt} />
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
  query: CallQuery;
  /** What the query has in addition when the first page is read, by its time. */
  timed: (now: EpochMs) => CallQuery;
  /** The first page, for its other members. It is null until it is read. */
  first: Page | null;
  /** It is null until they are read. */
  rows: Row[] | null;
  /** The rows that a refresh has replaced; null unless the rows are from a refresh. */
  previous: Row[] | null;
  /** When the first page was read; 0 before the first time. */
  readAt: EpochMs;
  /** Whether the user has read further, so that the list is not refreshed. */
  isPaged: boolean;
  problem: string | null;
  busy: boolean;
  more: boolean;
  readMore: () => void;
  /** Reads from the beginning. */
  again: () => void;
}

/** A page may be empty and still have a next one. Reads at most this many before the user must ask for more. */
const PAGES_AT_ONCE = 5;
/** Rows that are enough to show without another click. */
const ENOUGH = 25;

interface ListOptions<Row, Page> {
  /** Reads a page in place of the path. */
  get?: (calls: OperatorCalls) => Promise<Page>;
  /** See `List.timed`: a time relative to the present. */
  timed?: (now: EpochMs) => CallQuery;
  /** Keeps only rows that fit, and reads until there are enough. Another `by` starts the list again. */
  keep?: { by: string; fits: (row: Row) => boolean };
}

const NO_TIMES = (): CallQuery => ({});

type Why = "first" | "more" | "refresh";

type ListState<Row, Page extends ListPage<Row>> = Pick<
  List<Row, Page>,
  "first" | "rows" | "previous" | "readAt" | "isPaged" | "problem" | "busy"
> & { next: string | null };

const UNREAD = {
  first: null,
  rows: null,
  previous: null,
  readAt: 0,
  isPaged: false,
  problem: null,
  busy: true,
  next: null,
};

/** A refresh changes nothing until it has its answer, so that nothing flickers. */
function stateDuring<State extends { isPaged: boolean }>(known: State, why: Why): State {
  return why === "refresh" ? known : { ...known, busy: true, isPaged: why === "more" && known.isPaged };
}

function stateAfter<Row, Page extends ListPage<Row>>(
  known: ListState<Row, Page>,
  why: Why,
  { first, rows, next }: { first: Page; rows: Row[]; next: string | null },
): ListState<Row, Page> {
  const ended = { next, problem: null, busy: false };
  if (why === "more")
    return { ...known, ...ended, rows: [...(known.rows ?? []), ...rows], previous: null, isPaged: true };
  return { ...ended, first, rows, previous: why === "refresh" ? known.rows : null, readAt: Date.now(), isPaged: false };
}

/** A list whose first page is read again all the time while somebody looks at it, until the user reads further. */
export function useList<Row, Page extends ListPage<Row> = ListPage<Row>>(
  path: string,
  query: CallQuery,
  { get, timed = NO_TIMES, keep }: ListOptions<Row, Page> = {},
): List<Row, Page> {
  const calls = useCalls();
  const [state, setState] = useState<ListState<Row, Page>>(UNREAD);
  const round = useRef(0);
  const reading = useRef({ isBusy: false, isPaged: false, query });
  reading.current.isPaged = state.isPaged;
  const key = JSON.stringify([path, query, timed(0), keep?.by]);
  const read = useCallback(
    async (why: Why, from: string | null = null): Promise<void> => {
      const own = ++round.current;
      const set: typeof setState = (change) => {
        if (own === round.current) setState(change);
      };
      if (why !== "more") reading.current.query = { ...query, ...timed(Date.now()) };
      reading.current.isBusy = true;
      set((known) => stateDuring(known, why));
      try {
        const readPage = (cursor: string | null) =>
          get?.(calls) ?? calls.get<Page>(path, { ...reading.current.query, cursor: cursor ?? undefined });
        const page = await readRows(readPage, from, keep?.fits);
        set((known) => stateAfter(known, why, page));
      } catch (error) {
        const problem = callProblem(error);
        set((known) => ({ ...known, problem, busy: false }));
      } finally {
        if (own === round.current) reading.current.isBusy = false;
      }
    },
    [calls, key],
  );
  const readFirst = (): void => void read("first");
  useEffect(() => {
    readFirst();
    const refresh = (): void => {
      if (!reading.current.isBusy && !reading.current.isPaged) void read("refresh");
    };
    const stop = whileVisible(refresh, REFRESH_EVERY);
    return () => {
      stop();
      round.current++;
    };
  }, [read]);
  const { next, ...shown } = state;
  return {
    path,
    query,
    timed,
    ...shown,
    more: next !== null,
    readMore: () => void read("more", next),
    again: readFirst,
  };
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
