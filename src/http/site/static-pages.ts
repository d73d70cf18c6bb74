/** What the Worker and the site's build both know of the pages that are static files. */

/**
 * The Content-Security-Policy of the documentation: scripts and data from the site's own files only. `styles` are the
 * sources of styles.
 */
export function pagePolicy(styles = "'self'"): string {
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

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
