import type { Percentiles } from "../answers.ts";
import { Table } from "../part/table.tsx";
import { time } from "../words.ts";
import { TIME_WORDS } from "./time-words.ts";
import type { Timed } from "./time-words.ts";

const COLUMNS = ["p50", "p95", "p99"] as const satisfies (keyof Percentiles)[];

export interface TimesProps {
  label: string;
  times: Timed;
  /** Where each number leads, if anywhere. */
  href?: string;
}

/** The parts of a payment's time with their percentiles. */
export function TimesTable({ label, times, href }: TimesProps) {
  return (
    <Table
      label={label}
      compact
      rows={TIME_WORDS}
      keyOf={({ name }) => name}
      columns={[
        { head: "Part", cell: ({ words }) => words },
        ...COLUMNS.map((column) => ({
          head: column,
          number: true,
          cell: ({ name }: (typeof TIME_WORDS)[number]) => time(times[name]?.[column]),
          href: () => href,
        })),
      ]}
    />
  );
}
