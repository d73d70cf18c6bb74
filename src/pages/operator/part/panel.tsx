import { useId } from "preact/hooks";
import type { ComponentChildren, RenderableProps } from "preact";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import type { TimeName } from "../../../protocol/statistics.ts";
import type { Histogram } from "../answers.ts";
import { useNow } from "../../page/clock.tsx";
import { ToneTag } from "../../page/shown.tsx";
import { STATUS_TONES, STATUS_WORDS } from "../payments/standing.ts";
import { ago, elapsedText, fullTime, rateText, shareWithin, shortTime, bucketBoundText, countText } from "../words.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export function Panel({ title, aside, children }: RenderableProps<{ title: string; aside?: ComponentChildren }>) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="row spread">
        <h2 id={id} tabindex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Named({ id, name, link }: { id: string; name: string | null; link: string }) {
  return (
    <>
      <a href={link} class="mono">
        {id}
      </a>{" "}
      {name !== null && <span class="soft">{name}</span>}
    </>
  );
}

/** `zone`: of the account whose payment it is; without one, the browser's. A table says it once. */
export function When({ at, zone }: { at: string | null; zone?: string | undefined }) {
  if (at === null) return <span class="soft">–</span>;
  return <Time at={at} words={shortTime(at, zone)} zone={zone} />;
}

/** The outcome in words, with its reason unless it is approved. */
export function OutcomeCell({ statusCode, responseCode }: { statusCode: StatusCode; responseCode: string | null }) {
  return (
    <>
      <ToneTag tone={STATUS_TONES[statusCode]}>{STATUS_WORDS[statusCode]}</ToneTag>{" "}
      {statusCode !== "00" && responseCode !== null && <span class="small">{codeWithWords(responseCode)}</span>}
    </>
  );
}

/** `4 s ago`, and ticks. */
export function Since({ at }: { at: string | null }) {
  const now = useNow();
  return at === null ? <span class="soft">never</span> : <Time at={at} words={ago(at, now)} />;
}

/** `4 min`, and ticks. */
export function Elapsed({ since }: { since: string }) {
  return <Time at={since} words={elapsedText(since, useNow())} />;
}

export function Updated({ at, changed = 0, zone }: { at: EpochMs; changed?: number; zone?: string | undefined }) {
  const age = ago(new Date(at).toISOString(), useNow());
  return (
    <span class="soft small">
      Updated {age}
      {changed > 0 && `, ${countText(changed, "row")} changed`}
      {zone !== undefined && `. Times in ${zone}`}
    </span>
  );
}

function Time({ at, words, zone }: { at: string; words: string; zone?: string | undefined }) {
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {words}
    </time>
  );
}

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  href?: ((row: Row) => string | undefined) | undefined;
  number?: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** For a few short columns: they fit on a narrow page as a table. */
  compact?: boolean;
  /** Of the times in the rows; the browser's by default. */
  zone?: string | undefined;
}

type TableRows<Row> = TableProps<Row> & {
  rows: Row[];
  /** The keys of the rows that the last refresh has changed. */
  changed?: ReadonlySet<string>;
};

/** Where it does not fit, each row is a card, with its column's name before each value. */
export function PanelTable<Row>({ label, columns, rows, keyOf, compact = false, changed }: TableRows<Row>) {
  return (
    <div class="table" data-columns={columnsName(columns.length, compact)} role="group" aria-label={label} tabindex={0}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, number }) => (
              <th key={head} scope="col" role="columnheader" class={number === true ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" data-changed={changed?.has(keyOf(row)) === true}>
              {columns.map(({ head, cell, number, href }) => (
                <td key={head} role="cell" data-label={head} class={number === true ? "number" : undefined}>
                  <span>{linked(cell(row), href?.(row))}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Decides from which width on a table is one. */
function columnsName(count: number, isCompact: boolean): string {
  if (isCompact) return "compact";
  return count > 4 ? "many" : "few";
}

function linked(content: ComponentChildren, href: string | undefined): ComponentChildren {
  return href === undefined ? content : <a href={href}>{content}</a>;
}

const PARTS: { name: TimeName; words: string }[] = [
  { name: "gateway", words: "Gateway" },
  { name: "delivery", words: "Delivery to the terminal" },
  { name: "customer", words: "Customer and host" },
];

interface TimesProps {
  label: string;
  times: Record<TimeName, Histogram | null>;
  href?: string;
}

/** For each part of the payments' time, the share that took at most so long. */
export function TimesTable({ label, times, href }: TimesProps) {
  return (
    <PanelTable
      label={label}
      compact
      rows={PARTS}
      keyOf={({ name }) => name}
      columns={[
        { head: "Part", cell: ({ words }) => words },
        { head: "Share", number: true, cell: ({ name }) => rateText(shareWithin(name, times[name])), href: () => href },
        { head: "Within", cell: ({ name }) => bucketBoundText(name) },
        { head: "Payments", number: true, cell: ({ name }) => (times[name]?.count ?? 0).toLocaleString("en") },
      ]}
    />
  );
}
