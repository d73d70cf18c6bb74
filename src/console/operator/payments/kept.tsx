import { JsonCode } from "../../page/code.tsx";
import { Notice } from "../../page/status.tsx";
import type { TransactionAnswer } from "../answers.ts";
import { fullTime } from "../words.ts";

interface KeptProps {
  title: string;
  meaning: string;
  reports: TransactionAnswer["evidence"];
}

/** Reports that contradict a payment and are stored beside it. */
export function Kept({ title, meaning, reports }: KeptProps) {
  if (reports.length === 0) return null;
  return (
    <div class="stack">
      <h3>{title}</h3>
      <Notice tone="pending">{meaning}</Notice>
      {reports.map(({ at, report }) => (
        <JsonCode key={at} value={report} label={`${title}, ${fullTime(at)}`} />
      ))}
    </div>
  );
}
