import { fullTime, time } from "../words.ts";
import { stepsOf } from "./time-line.ts";

/** The stages of a payment, each with its time, its duration, and a bar of that length. */
export function TimeLine({ stages }: { stages: readonly { stage: string; at: string }[] }) {
  return (
    <ol class="time-line" aria-label="Timeline">
      {stepsOf(stages).map(({ stage, label, part, at, offset, took, begin, length }, index) => (
        <li key={`${stage} ${at} ${index}`} data-part={part}>
          <span class="time-line-offset mono" title={fullTime(at)}>
            +{time(offset)}
          </span>
          <span class="time-line-label">{label}</span>
          <span class="time-line-took soft small">{took === null ? "" : time(took)}</span>
          <svg class="time-line-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
            <rect x={begin} width={Math.max(length, 0.6)} y="0" height="2" />
          </svg>
        </li>
      ))}
    </ol>
  );
}
