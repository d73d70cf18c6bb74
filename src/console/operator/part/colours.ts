/** The page's colours for a canvas, which knows nothing of style sheets. */
const NAMES = {
  good: "--good",
  bad: "--bad",
  pending: "--pending",
  accent: "--accent",
  soft: "--ink-soft",
  line: "--line",
};

export type ColourName = keyof typeof NAMES;

/** The colours as they are now, in the light or in the dark. */
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

/** Calls back whenever the colours have changed. Returns what ends that. */
export function watchColours(onChange: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", onChange);
  return () => dark.removeEventListener("change", onChange);
}
