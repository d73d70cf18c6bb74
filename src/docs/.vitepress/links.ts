import type { MarkdownRenderer } from "vitepress";

/** `npm start`: a link to it works wherever a file of the repository is shown. */
const GATEWAY = "http://127.0.0.1:8787";

/**
 * Links to `npm start`, or to a path of the gateway, lead to the gateway that serves the page: to its documentation, or to its
 * other files, which VitePress must leave to the browser, like those of the examples.
 */
export function pluginForLinks(md: MarkdownRenderer): void {
  const link = md.renderer.rules.link_open;
  md.renderer.rules.link_open = (tokens, index, ...rest) => {
    const token = tokens[index];
    const href = (token?.attrGet("href") ?? "").replace(`${GATEWAY}/`, "/");
    const [, page] = /^\/docs(?:$|\/|(?=#))(.*)$/u.exec(href) ?? [];
    if (page !== undefined) token?.attrSet("href", `/${page}`);
    else if (/^(?:\/|examples\/|monitoring\/)/u.test(href)) {
      token?.attrSet("href", href);
      token?.attrSet("target", "_self");
    }
    return link?.(tokens, index, ...rest) ?? "";
  };
}
