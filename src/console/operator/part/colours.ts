/** The page's colours for a canvas, which cannot use style sheets. */
const NAMES = {
  good: "--good",
  bad: "--bad",
  pending: "--pending",
  accent: "--accent",
  soft: "--ink-soft",
  line: "--line",
};

export type ColourName = keyof typeof NAMES;

/** The current colours, light or dark. */
export function colours(): Record<ColourName, string> & { font: string } {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  const { good, bad, pending, accent, soft, line } = NAMES;
  return {
    good: read(good),
    bad: read(bad),
    pending: read(pending),
    accent: read(accent),
    soft: read(soft),
    line: read(line),
    font: `12px ${read("--font")}`,
  };
}

/** Calls `onChange` whenever the colours have changed. Returns a function that stops this. */
export function watchColours(onChange: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", onChange);
  return () => dark.removeEventListener("change", onChange);
}
