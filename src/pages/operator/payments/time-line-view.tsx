import { fullTime, timeText } from "../words.ts";
import { listSteps, type Part } from "./time-line.ts";

/** Who works while a bar of this colour grows. */
const LEGEND: [Part, string][] = [
  ["gateway", "gateway"],
  ["delivery", "network and queue"],
  ["customer", "customer and bank"],
  ["waiting", "nobody knows"],
];

export function TimeLine({ stages, zone }: { stages: readonly { stage: string; at: string }[]; zone: string }) {
  return (
    <>
      <ol class="time-line" aria-label="Timeline">
        {listSteps(stages).map(({ stage, label, part, at, offset, took, begin, length }, index) => (
          <li key={`${stage} ${at} ${index}`} data-part={part}>
            <span class="time-line-offset mono" title={fullTime(at, zone)}>
              +{timeText(offset)}
            </span>
            <span class="time-line-label">{label}</span>
            <span class="time-line-took soft small">{took === null ? "" : timeText(took)}</span>
            <svg class="time-line-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
              <rect x={begin} width={Math.max(length, 0.6)} y="0" height="2" />
            </svg>
          </li>
        ))}
      </ol>
      <p class="row small" aria-label="Legend">
        {LEGEND.map(([part, words]) => (
          <span key={part} class="chart-key" data-part={part}>
            {words}
          </span>
        ))}
      </p>
    </>
  );
}
