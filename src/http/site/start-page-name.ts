/** Which pages the start page leads to. */
export interface Switches {
  console: boolean;
  operator: boolean;
}

/** The name of the static start page, without `.html`: `start`, `start-with-console`, `start-with-console-operator` … */
export function startPageName({ console, operator }: Switches): string {
  const parts = [...(console ? ["console"] : []), ...(operator ? ["operator"] : [])];
  return parts.length === 0 ? "start" : `start-with-${parts.join("-")}`;
}
