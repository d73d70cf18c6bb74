import type { StatusCode } from "../../../protocol/status-codes.ts";
import { service } from "../overview/service.ts";
import { Tabs, type Tab } from "../part/list.tsx";
import { linkTo, type PlaceQuery } from "../route.ts";
import { STATUS_WORDS } from "./standing.ts";

/** `pending`: the list of what is pending or conflicting, of any time. */
export type PaymentsTab = "" | "00" | "11" | "pending";

interface Props {
  present: PaymentsTab;
  /** The other names of the address, which a tab keeps. */
  query?: PlaceQuery;
  /** Of the rows that were found. */
  counts?: Partial<Record<"" | StatusCode, number>>;
}

export function PaymentsTabs({ present, query = {}, counts = {} }: Props) {
  const { pending, conflict } = service.value ?? {};
  const open = pending === undefined ? undefined : pending.count + (conflict?.count ?? 0);
  const outcomes = [
    ["", "All"],
    ["00", STATUS_WORDS["00"]],
    ["11", STATUS_WORDS["11"]],
  ] as const;
  const tabs: Tab[] = [
    ...outcomes.map(([outcome, words]) => ({
      words,
      href: linkTo("payments", [], { ...query, outcome }),
      isPresent: present === outcome,
      count: counts[outcome],
    })),
    { words: "Needs you", href: linkTo("pending"), isPresent: present === "pending", count: open, tone: "pending" },
  ];
  return <Tabs label="Payments by outcome" tabs={tabs} />;
}
