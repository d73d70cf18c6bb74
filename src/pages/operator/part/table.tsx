import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TimeName } from "../../../protocol/statistics.ts";
import type { Histogram } from "../answers.ts";
import { bucketBoundText, rateText, shareWithin } from "../words.ts";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  href?: ((row: Row) => string | undefined) | undefined;
  number?: boolean;
  /**
   * Where the table does not fit: `first` puts the cell on the first line of its row; `plain` shows it below without its
   * column's name, because its value says what it is.
   */
  place?: "first" | "plain";
}

export interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** The zone of the times in the rows; the browser's by default. */
  zone?: string | undefined;
}

type TableRows<Row> = TableProps<Row> & {
  rows: Row[];
  /** The keys of the rows that the last refresh has changed. */
  changed?: ReadonlySet<string>;
};

/** Where its words do not fit side by side, each row is lines: what identifies it, and below the rest. */
export function PanelTable<Row>({ label, columns, rows, keyOf, changed }: TableRows<Row>) {
  const box = useFit();
  return (
    <div ref={box} class="table" role="group" aria-label={label} tabindex={0}>
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
              {columns.map(({ head, cell, number, href, place }, index) => (
                <td
                  key={head}
                  role="cell"
                  data-label={head}
                  data-place={place ?? (index === 0 ? "first" : undefined)}
                  class={number === true ? "number" : undefined}
                >
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

/**
 * Marks the box whose table is wider, `data-fits="false"`, whatever its rows contain: no width of the page is known at
 * which they would fit.
 */
function useFit() {
  const box = useRef<HTMLDivElement>(null);
  const fit = (): void => {
    const { current } = box;
    if (current === null) return;
    current.dataset["fits"] = "true";
    current.dataset["fits"] = String(current.scrollWidth <= current.clientWidth);
  };
  useLayoutEffect(fit);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(fit);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return box;
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

/** Shows for each part of the payments' time the share that took at most so long. */
export function TimesTable({ label, times, href }: TimesProps) {
  return (
    <PanelTable
      label={label}
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
