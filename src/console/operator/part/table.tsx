import type { ComponentChildren } from "preact";
import { Button } from "../../page/button.tsx";
import { Notice } from "../../page/status.tsx";
import type { List } from "./use-list.ts";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** Where the cell leads, if anywhere. */
  href?: ((row: Row) => string | undefined) | undefined;
  /** Aligns the column as numbers. */
  number?: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  /** For a few short columns: they fit on a narrow page as a table. */
  compact?: boolean;
}

/** Rows in columns; on a narrow page each row is a card, with its column's name before each value. */
export function Table<Row>({ label, columns, rows, keyOf, compact = false }: TableProps<Row>) {
  return (
    <div class="table" data-compact={compact} role="group" aria-label={label} tabindex={0}>
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
            <tr key={keyOf(row)} role="row">
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

function linked(content: ComponentChildren, href: string | undefined): ComponentChildren {
  return href === undefined ? content : <a href={href}>{content}</a>;
}

/** What a table shows of a list, which may be all on one page. */
type ShownList<Row> = Pick<List<Row>, "rows" | "problem"> & Partial<Pick<List<Row>, "busy" | "more" | "readMore">>;

/** A list as a table. `none`: the text for an empty list. */
export function ListTable<Row>({
  list: { rows, problem, busy = false, more = false, readMore },
  none,
  ...table
}: Omit<TableProps<Row>, "rows"> & { list: ShownList<Row>; none: string }) {
  return (
    <div class="stack" aria-busy={busy}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {rows === null && problem === null && <p class="soft">Loading…</p>}
      {rows?.length === 0 && !more && !busy && <p class="soft">{none}</p>}
      {rows !== null && rows.length > 0 && <Table {...table} rows={rows} />}
      {more && (
        <div class="row">
          <Button disabled={busy} onClick={() => readMore?.()}>
            {busy ? "Loading…" : "More"}
          </Button>
        </div>
      )}
    </div>
  );
}
