/** Shared by the Worker and the site's build. */

/**
 * Scripts and data from the site's own files only.
 *
 * @param styles the sources of styles
 */
export function pagePolicy(styles = "'self'"): string {
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

export interface Switches {
  console: boolean;
  operator: boolean;
}

/** Without `.html`: `start`, `start-with-console`, `start-with-console-operator` … */
export function startPageName({ console, operator }: Switches): string {
  const parts = [...(console ? ["console"] : []), ...(operator ? ["operator"] : [])];
  return parts.length === 0 ? "start" : `start-with-${parts.join("-")}`;
}
