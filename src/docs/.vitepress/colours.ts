import type { MarkdownOptions } from "vitepress";

type Transformer = NonNullable<MarkdownOptions["codeTransformers"]>[number];

/** Each style has a class. A page of code has thousands of words, but few pairs of colours. */
const classes = new Map<string, string>();

/** Words of code get a class in place of their two colours, which makes a page half as long. */
export const coloursAsClasses: Transformer = {
  name: "colours-as-classes",
  postprocess(html) {
    return html.replaceAll(/<span style="(--shiki-[^"]*)">/gu, (_, style: string) => {
      const known = classes.get(style) ?? `k${classes.size}`;
      classes.set(style, known);
      return `<span class="${known}">`;
    });
  },
};

/** The style sheet of all pages that were built before. */
export function coloursCss(): string {
  return [...classes].map(([style, name]) => `.vp-code .${name} { ${style} }\n`).join("");
}
