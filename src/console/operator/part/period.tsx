import { TimeField } from "./time-field.tsx";

/** ISO 8601, or empty. */
export interface Times {
  from: string;
  to: string;
}

export interface PeriodProps {
  times: Times;
  /** Gets the end that was chosen. */
  onChoose: (change: Partial<Times>) => void;
}

/** Fields for the two ends of a period. */
export function Period({ times, onChoose }: PeriodProps) {
  return (
    <div class="row">
      <TimeField label="From" value={times.from} onChoose={(from) => onChoose({ from })} />
      <TimeField label="To" value={times.to} onChoose={(to) => onChoose({ to })} />
    </div>
  );
}
