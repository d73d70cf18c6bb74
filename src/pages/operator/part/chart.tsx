import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Tone } from "../../page/declared.ts";
import { Disclosure } from "../../page/shown.tsx";

interface Bar {
  /** Its time. */
  words: string;
  /** One value for each part: each stands on those before. */
  parts: number[];
  /** What else is shown of it. */
  more: string[];
}

interface ChartProps {
  label: string;
  bars: readonly Bar[];
  parts: { label: string; tone: Tone }[];
  /** The table with the same values, also for people who cannot see the chart. */
  children: ComponentChildren;
}

/** In units of the picture, which is as wide as its place. */
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [720, 220, 44, 22];
const PLOT = { width: WIDTH - LEFT, height: HEIGHT - BOTTOM };
/** Marks on the time axis. */
const TIME_MARKS = 8;

/** Bars; the values of the one under the pointer are above them, those of the last one otherwise. */
export function Chart({ label, bars, parts, children }: ChartProps) {
  const [pointed, point] = useState<number | null>(null);
  const most = topOf(bars.map((bar) => sum(bar.parts)));
  const width = PLOT.width / Math.max(bars.length, 1);
  const x = (index: number): number => LEFT + index * width;
  const y = (value: number): number => PLOT.height * (1 - value / most);
  const every = Math.ceil(bars.length / TIME_MARKS);
  const shown = bars[pointed ?? bars.length - 1];
  return (
    <figure class="chart">
      <figcaption class="row small">
        {shown !== undefined && <strong>{shown.words}</strong>}
        {parts.map(({ label: name, tone }, index) => (
          <span key={name} class="chart-key" data-tone={tone}>
            {name} {shown?.parts[index]?.toLocaleString("en")}
          </span>
        ))}
        {shown?.more.map((words) => (
          <span key={words} class="soft">
            {words}
          </span>
        ))}
      </figcaption>
      <svg
        class="chart-box"
        viewBox={`0 -8 ${WIDTH} ${HEIGHT + 8}`}
        aria-hidden="true"
        onPointerLeave={() => point(null)}
      >
        {[0, most / 2, most].map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} class="chart-line" />
            <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {Number.isInteger(value) ? value.toLocaleString("en") : ""}
            </text>
          </g>
        ))}
        {bars.map(({ words, parts: values }, index) => (
          <g
            key={`${index} ${words}`}
            class="chart-bar"
            onPointerEnter={() => point(index)}
            onPointerDown={() => point(index)}
          >
            <rect class="chart-hover" x={x(index)} y={0} width={width} height={PLOT.height} />
            {values.map((value, part) => (
              <rect
                key={parts[part]?.label}
                data-tone={parts[part]?.tone}
                x={x(index) + width * 0.15}
                y={y(sum(values.slice(0, part + 1)))}
                width={width * 0.7}
                height={PLOT.height - y(value)}
              />
            ))}
            {index % every === 0 && (
              <text x={x(index) + width / 2} y={HEIGHT - 4} text-anchor="middle">
                {words}
              </text>
            )}
          </g>
        ))}
      </svg>
      <Disclosure summary={`${label} as a table`}>{children}</Disclosure>
    </figure>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((before, value) => before + value, 0);
}

/** The next number above all of 1, 2 or 5 times a power of ten, so that half of it is a plain number, too. */
function topOf(values: readonly number[]): number {
  const most = Math.max(2, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}
