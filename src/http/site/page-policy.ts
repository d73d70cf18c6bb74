/**
 * The Content-Security-Policy of the documentation: scripts and data from the site's own files only. `styles` are the
 * sources of styles.
 */
export function pagePolicy(styles = "'self'"): string {
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
