import { useId } from "preact/hooks";
import { fieldTime, isoTime } from "./time-field.ts";

export interface TimeFieldProps {
  label: string;
  /** ISO 8601, or empty. */
  value: string;
  onChoose: (iso: string) => void;
}

/** A field for a point in time in the browser's zone. */
export function TimeField({ label, value, onChoose }: TimeFieldProps) {
  const id = useId();
  return (
    <span class="row">
      <label for={id} class="soft small">
        {label}
      </label>
      <input
        id={id}
        class="input time-input"
        type="datetime-local"
        value={fieldTime(value)}
        onChange={({ currentTarget }) => onChoose(isoTime(currentTarget.value))}
      />
    </span>
  );
}
