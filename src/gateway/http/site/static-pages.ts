/** The Worker and the site's build share this file. */

/** Allows scripts, styles and data from the site's own files only. */
export function pagePolicy(styles = "'self'", images = "'self'"): string {
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src ${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/**
 * The documentation's pages have the colours of their code and the place of its menus in style attributes, and icons within their
 * style sheet: VitePress makes them so. They hold no token and take no input but the search's. Scripts are files here as well:
 * on the same origin, a foreign one could act as an operator whom Cloudflare Access lets in.
 */
export function docsPolicy(): string {
  return pagePolicy("'self' 'unsafe-inline'", "'self' data:");
}

export interface Switches {
  console: boolean;
  operator: boolean;
}

/** Returns the name without `.html`: `start`, `start-with-console`, `start-with-console-operator` … */
export function startPageName({ console, operator }: Switches): string {
  const parts = [...(console ? ["console"] : []), ...(operator ? ["operator"] : [])];
  return parts.length === 0 ? "start" : `start-with-${parts.join("-")}`;
}
