/**
 * What a browser may do with a page of the documentation: show it, and nothing else. Scripts and data are the site's own
 * files. `styles` are the sources of styles.
 */
export function pagePolicy(styles = "'self'"): string {
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
