import type { Percentiles } from "../answers.ts";
import type { TimeName } from "../../../protocol/statistics.ts";
import { time } from "../words.ts";
import { Table } from "./table.tsx";

/** The parts of a payment's time, in words. */
const PARTS: { name: TimeName; words: string }[] = [
  { name: "gateway", words: "Gateway" },
  { name: "queue", words: "Waiting for the terminal" },
  { name: "delivery", words: "Delivery to the terminal" },
  { name: "customer", words: "Customer and host" },
  { name: "recording", words: "Recording at the account" },
];

const COLUMNS = ["p50", "p95", "p99"] as const satisfies (keyof Percentiles)[];

export interface TimesProps {
  label: string;
  times: Record<TimeName, Percentiles | null>;
  /** Where each number leads, if anywhere. */
  href?: string;
}

/** The parts of a payment's time with their percentiles. */
export function TimesTable({ label, times, href }: TimesProps) {
  return (
    <Table
      label={label}
      compact
      rows={PARTS}
      keyOf={({ name }) => name}
      columns={[
        { head: "Part", cell: ({ words }) => words },
        ...COLUMNS.map((column) => ({
          head: column,
          number: true,
          cell: ({ name }: (typeof PARTS)[number]) => time(times[name]?.[column]),
          href: () => href,
        })),
      ]}
    />
  );
}
