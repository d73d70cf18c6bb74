import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { Disclosure } from "../../page/shown.tsx";
import { clock } from "../words.ts";

interface Series {
  label: string;
  colour: ColourName;
  /** One for each time; null if unknown. */
  values: (number | null)[];
}

interface ChartProps {
  /** For people who cannot see the chart. */
  label: string;
  /** Seconds since 1970. */
  times: number[];
  series: Series[];
  /** For the axis and the legend. */
  words: (value: number) => string;
  kind: "bars" | "lines";
  /** The table with the same values. */
  children: ComponentChildren;
}

const HEIGHT = 160;
const HOUR_SECONDS = 3_600;

export function Chart({ label, times, series, words, kind, children }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const key = JSON.stringify([times, series]);
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const draw = (): void => {
      drawn.current?.destroy();
      const data: uPlot.AlignedData = [times, ...series.map(({ values }) => values)];
      drawn.current = new uPlot(optionsOf(target.clientWidth, { series, words, kind }), data, target);
    };
    draw();
    const resized = new ResizeObserver(() => drawn.current?.setSize({ width: target.clientWidth, height: HEIGHT }));
    resized.observe(target);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    return () => {
      dark.removeEventListener("change", draw);
      resized.disconnect();
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [key]);
  return (
    <figure class="chart">
      <figcaption class="row">
        <span>{label}</span>
        {series.map(({ label: name, colour }) => (
          <span key={name} class="chart-key small" data-colour={colour}>
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={box} class="chart-box" aria-hidden="true" />
      <Disclosure summary={`${label} as a table`}>{children}</Disclosure>
    </figure>
  );
}

function optionsOf(
  width: number,
  { series, words, kind }: Pick<ChartProps, "series" | "words" | "kind">,
): uPlot.Options {
  const colour = colours();
  const axis = {
    stroke: colour.soft,
    grid: { stroke: colour.line, width: 1 },
    ticks: { show: false },
    font: colour.font,
  };
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], align: 1 });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // A bar stands for the hour that begins at its time.
    scales: {
      x: { range: (_, first, last) => [first, kind === "bars" ? last + HOUR_SECONDS : last] },
      y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        values: (_, splits) => splits.map((seconds) => clock(new Date(seconds * 1000).toISOString())),
      },
      { ...axis, size: 64, values: (_, splits) => splits.map(words) },
    ],
    series: [
      {},
      ...series.map((one) => ({
        label: one.label,
        stroke: colour[one.colour],
        width: kind === "bars" ? 0 : 2,
        // A line needs two points: a value without neighbours gets a dot.
        points: { show: kind === "lines", size: 4, fill: colour[one.colour] },
        spanGaps: false,
        ...(kind === "bars" && bars !== undefined ? { fill: colour[one.colour], paths: bars } : {}),
      })),
    ],
  };
}

/** Names in the style sheet: a canvas cannot use CSS variables. */
const COLOURS = { good: "good", bad: "bad", pending: "pending", accent: "accent", soft: "ink-soft", line: "line" };

type ColourName = keyof typeof COLOURS;

/** The current theme's, light or dark. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const found = Object.entries(COLOURS).map(([name, property]) => [name, read(property)]);
  return { ...(Object.fromEntries(found) as Record<ColourName, string>), font: `12px ${read("font")}` };
}
