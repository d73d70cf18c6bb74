/** What the parts of the desk share that show what a call returns. */
import type { ComponentChildren } from "preact";
import { PosError, type CallOptions } from "../../client/pos.ts";
import { CopyButton } from "../page/copy.tsx";
import { Notice } from "../page/status.tsx";
import type { Tone } from "../page/tone.ts";
import { usePolling as usePollingOf, type Polled } from "../page/use-polling.ts";
import { curlOf } from "./curl.ts";
import type { Till } from "./till.ts";

export type { Polled };

/** Milliseconds after which a reading has failed: the earlier values are then no longer shown as current. */
const LOOK_WITHIN = 5_000;

/** Reads again and again with a till's client. */
export function usePolling<Value>(
  read: (options: CallOptions) => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
): Polled<Value> {
  return usePollingOf(
    () => read({ within: LOOK_WITHIN }),
    every,
    inputs,
    (error) => error instanceof PosError,
  );
}

export interface PanelProps {
  till: Till;
  /** Of the heading. */
  id: string;
  title: string;
  /** Of the GET whose answer it shows. */
  path: string;
  prefer?: string;
}

/** A part with its heading, and its call as a shell command. */
export function Panel({ children, ...head }: PanelProps & { children: ComponentChildren }) {
  return (
    <section class="panel" aria-labelledby={head.id}>
      <PanelHead {...head} />
      {children}
    </section>
  );
}

export function PanelHead({ till: { baseUrl }, id, title, path, prefer }: PanelProps) {
  return (
    <div class="row spread">
      <h3 id={id} tabindex={-1}>
        {title}
      </h3>
      <CopyButton text={curlOf({ baseUrl, method: "GET", path, prefer: prefer ?? null })} label="Copy as curl" />
    </div>
  );
}

/** Whether what a part shows is there and current. */
export function ReadingState({ value, problem }: { value: unknown; problem: string | null }) {
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  return problem === null ? null : <Notice tone="pending">Not up to date. {problem}</Notice>;
}

export interface RowsProps<Item> {
  /** Null until they are known. */
  items: readonly Item[] | null | undefined;
  /** What is said if there are none. */
  empty: string;
  labelledBy?: string;
  row: (item: Item) => ComponentChildren;
}

export function Rows<Item>({ items, empty, labelledBy, row }: RowsProps<Item>) {
  if (items === null || items === undefined) return null;
  if (items.length === 0) return <p class="soft">{empty}</p>;
  return (
    <ul class="list" aria-labelledby={labelledBy}>
      {items.map(row)}
    </ul>
  );
}

/** What became of a call, in words. */
export interface Said {
  tone: Tone;
  words: string;
}

/** Makes a call whose success is told in the sentence that it returns. */
export async function outcomeOf(call: () => Promise<string>): Promise<Said> {
  try {
    return { tone: "good", words: await call() };
  } catch (error) {
    return { tone: "bad", words: problemOf(error) };
  }
}

/** What the gateway says is wrong: at the field if it names one. Throws a fault of the page. */
export function problemOf(error: unknown): string {
  if (!(error instanceof PosError)) throw error;
  return error.problem.details?.[0]?.message ?? error.message;
}

export function SaidNotice({ said, look = "" }: { said: Said | null; look?: string }) {
  return (
    <div class={said === null ? "" : look} role="status">
      {said !== null && <Notice tone={said.tone}>{said.words}</Notice>}
    </div>
  );
}
