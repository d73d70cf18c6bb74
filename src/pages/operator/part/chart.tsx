import type { ComponentChildren } from "preact";
import { Disclosure } from "../../page/shown.tsx";
import { clock } from "../words.ts";

interface Series {
  label: string;
  /** The name of a colour in the style sheet. */
  colour: "good" | "bad" | "pending" | "accent";
  /** One for each time, null if unknown. */
  values: (number | null)[];
}

interface ChartProps {
  /** For people who cannot see the chart. */
  label: string;
  /** Seconds since 1970, an hour apart. */
  times: number[];
  series: Series[];
  /** The text of a value, for the axis and on hover. */
  words: (value: number) => string;
  /** The bars of a later series stand on those of an earlier one. */
  kind: "bars" | "lines";
  /** The table with the same values. */
  children: ComponentChildren;
}

/** In units of the picture, which is as wide as its place. */
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [360, 160, 60, 20];
const PLOT = { width: WIDTH - LEFT, height: HEIGHT - BOTTOM };
/** Marks on the time axis. */
const TIME_MARKS = 4;

export function Chart({ label, times, series, words, kind, children }: ChartProps) {
  const below = (position: number, index: number): number =>
    kind === "lines" ? 0 : series.slice(0, position).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  const tops = series.flatMap(({ values }, at) => values.map((value, index) => (value ?? 0) + below(at, index)));
  const most = chooseTop(tops);
  const width = PLOT.width / Math.max(times.length, 1);
  const x = (index: number): number => LEFT + index * width;
  const y = (value: number): number => PLOT.height * (1 - value / most);
  const every = Math.ceil(times.length / TIME_MARKS);
  return (
    <figure class="chart">
      <figcaption class="row">
        <span>{label}</span>
        {series.map(({ label: name, colour }) => (
          <span key={name} class="chart-key small" data-tone={colour}>
            {name}
          </span>
        ))}
      </figcaption>
      <svg class="chart-box" viewBox={`0 -8 ${WIDTH} ${HEIGHT + 8}`} aria-hidden="true">
        {[0, most / 2, most].map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} class="chart-line" />
            <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {words(value)}
            </text>
          </g>
        ))}
        {times.map((time, index) =>
          index % every === 0 ? (
            <text key={time} x={x(index) + width / 2} y={HEIGHT - 4} text-anchor="middle">
              {clock(new Date(time * 1_000).toISOString())}
            </text>
          ) : null,
        )}
        {series.map(({ label: name, colour, values }, position) => (
          <g key={name} data-tone={colour}>
            {kind === "bars"
              ? values.map((value, index) => (
                  <rect
                    key={times[index]}
                    x={x(index) + width * 0.15}
                    y={y((value ?? 0) + below(position, index))}
                    width={width * 0.7}
                    height={PLOT.height - y(value ?? 0)}
                  />
                ))
              : [<path key="line" d={drawLine(values, (index) => x(index) + width / 2, y)} />]}
            {kind === "lines" &&
              values.map((value, index) =>
                value === null ? null : <circle key={times[index]} cx={x(index) + width / 2} cy={y(value)} r={2.5} />,
              )}
          </g>
        ))}
        {times.map((time, index) => (
          <rect key={time} class="chart-hover" x={x(index)} y={0} width={width} height={PLOT.height}>
            <title>{hoverWords(time, index, series, words)}</title>
          </rect>
        ))}
      </svg>
      <Disclosure summary={`${label} as a table`}>{children}</Disclosure>
    </figure>
  );
}

/** The next number above all of 1, 2 or 5 times a power of ten, so that half of it is a plain number, too. */
function chooseTop(values: readonly number[]): number {
  const most = Math.max(2, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

/** A line that is interrupted where a value is unknown. */
function drawLine(values: Series["values"], x: (index: number) => number, y: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return "";
      return `${index === 0 || values[index - 1] === null ? "M" : "L"}${x(index)} ${y(value)}`;
    })
    .join("");
}

function hoverWords(time: number, index: number, series: readonly Series[], words: ChartProps["words"]): string {
  const values = series.map(({ label, values: all }) => `${label}: ${formatValue(all[index], words)}`);
  return [clock(new Date(time * 1_000).toISOString()), ...values].join("\n");
}

function formatValue(value: number | null | undefined, words: ChartProps["words"]): string {
  return value === null || value === undefined ? "unknown" : words(value);
}
